"""The options of ``anamnesis evaluate``."""

import argparse
from typing import Any


def evaluate(commands: Any) -> None:
    """Add the command with its kinds."""
    command = commands.add_parser("evaluate", help="measure the parts on labelled data")
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    critic = kinds.add_parser("critic", help="does it tell what a text entails?")
    critic.add_argument(
        "--pairs", metavar="FILE", required=True, help="JSON Lines: premise, hypothesis, label"
    )
    critic.add_argument("--critic", metavar="REF", help="critic (default: that of ask)")
    retrieval = kinds.add_parser("retrieval", help="does it find the relevant documents?")
    retrieval.add_argument(
        "--corpus", metavar="FILE", required=True, help="JSON Lines: id, title, text"
    )
    retrieval.add_argument(
        "--queries", metavar="FILE", required=True, help="JSON Lines: id, text, relevant"
    )
    retrieval.add_argument(
        "--methods",
        metavar="LIST",
        default="sparse,dense,hybrid,reranked",
        help="with commas between them (default: sparse,dense,hybrid,reranked)",
    )
    retrieval.add_argument(
        "--gain",
        choices=("linear", "exponential"),
        default="linear",
        help="of a grade in NDCG: the grade, or 2^grade - 1 (default: linear)",
    )
    retrieval.add_argument("--reranker", metavar="REF", help="reranker (default: that of ask)")
    retrieval.add_argument(
        "--embedder", metavar="REF", help="embedder of a new index (default: all-MiniLM-L6-v2)"
    )
    retrieval.add_argument("--index", metavar="DIR", help="keep the index here, and use it again")
    for kind in (critic, retrieval):
        kind.add_argument("--split", metavar="NAME", help="only records whose split is NAME")
        kind.add_argument("--seed", metavar="N", type=int, default=0, help="of the intervals")
        kind.add_argument("--json", action="store_true", help="print metrics and configuration")

    def run_critic(given: argparse.Namespace) -> int:
        from app.evaluating import critic

        return critic(given)

    def run_retrieval(given: argparse.Namespace) -> int:
        from app.evaluating import retrieval

        return retrieval(given)

    critic.set_defaults(run=run_critic)
    retrieval.set_defaults(run=run_retrieval)
