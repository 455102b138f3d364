"""Options that several protocols of ``anamnesis evaluate`` have."""

import argparse
from typing import Any

from app.run_options import with_default

Command = argparse.ArgumentParser


def setting_option(command: Command, name: str, setting: str, what: str, **more: Any) -> None:
    """An option that replaces the value of a setting."""
    command.add_argument(name, help=f"{what} (default: that of the setting {setting})", **more)


def probability_option(command: Command, name: str, setting: str, what: str) -> None:
    """An option that replaces the value of a setting that is a probability."""
    setting_option(command, name, setting, what, metavar="P", type=float)


def sampled_questions(command: Command, what: str) -> None:
    """The file of the questions, and how many of them are drawn."""
    file_option(command, "--questions", what)
    with_default(command, "--sample", "N", 50, "number of questions")


def index_options(command: Command) -> None:
    """How the index of the corpus is built."""
    command.add_argument(
        "--embedder", metavar="REF", help="embedder of a new index (default: the shipped one)"
    )
    with_default(
        command,
        "--collection",
        "NAME",
        "evaluation",
        "name under which the corpus is stored in the index",
    )


def file_option(command: Command, name: str, help: str) -> None:
    """An option that must be given, for a file."""
    command.add_argument(name, metavar="FILE", required=True, help=help)


def split_option(command: Command) -> None:
    """Only a part of the records."""
    command.add_argument(
        "--split", metavar="NAME", help="only pairs or queries whose field split is NAME"
    )


def cache_option(command: Command) -> None:
    """The file with the chat model's replies."""
    command.add_argument(
        "--cache", metavar="FILE", help="store the chat model's replies here, and use stored ones"
    )


def held_out_option(command: Any) -> None:
    """Only held-out topics."""
    command.add_argument(
        "--held-out", action="store_true", help="only topics that our models were not trained on"
    )


def result_options(command: Command, drawn: str = "the confidence intervals") -> None:
    """The seed of what is ``drawn``, and where and how the result is written."""
    help = f"random seed of {drawn} (default: 0)"
    command.add_argument("--seed", metavar="N", type=int, default=0, help=help)
    command.add_argument(
        "--json", action="store_true", help="print metrics and configuration as JSON"
    )
    command.add_argument(
        "--out",
        metavar="FILE",
        help="file for the result, with the measures of each pair, query or question",
    )
