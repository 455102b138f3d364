"""The options of ``evaluate helpfulness``, ``reading`` and ``urgency``: how people ask."""

import argparse

from app.cli.run_options import run_options


def helpfulness(command: argparse.ArgumentParser) -> None:
    """Add what ``evaluate helpfulness`` takes beside the common options."""
    command.add_argument(
        "--corpus", metavar="FILE", required=True, help="JSON Lines: id, title, question, text"
    )
    command.add_argument("--format", metavar="FORMAT", help="of the corpus, as for index")
    command.add_argument(
        "--queries", metavar="FILE", required=True, help="JSON Lines: id, text, relevant"
    )
    command.add_argument("--split", metavar="NAME", help="only queries whose split is NAME")
    command.add_argument(
        "--embedder", metavar="REF", help="embedder of a new index (default: all-MiniLM-L6-v2)"
    )
    command.add_argument(
        "--collection",
        metavar="NAME",
        default="evaluation",
        help="the collection of the index of --index which is the corpus (default: evaluation)",
    )
    run_options(command, index="keep the index here, and use it again")


def reading(command: argparse.ArgumentParser) -> None:
    """Add what ``evaluate reading`` takes beside the common options."""
    command.add_argument(
        "--questions",
        metavar="FILE",
        required=True,
        help="JSON Lines: heading, sentences, question, answers",
    )
    command.add_argument(
        "--passages", metavar="FILE", help="JSON Lines: passage, heading, sentences of questions"
    )
    command.add_argument("--reranker", metavar="REF", help="reader (default: that of ask)")


def urgency(command: argparse.ArgumentParser) -> None:
    """Add what ``evaluate urgency`` takes beside the common options."""
    command.add_argument(
        "--messages", metavar="FILE", required=True, help="JSON Lines: text, level"
    )
    command.add_argument(
        "--dev", action="store_true", help="only messages that the triage was not trained on"
    )
    command.add_argument(
        "--triage", choices=("own", "patterns"), help="what reads (default: that of ask)"
    )
