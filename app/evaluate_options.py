"""The options of ``anamnesis evaluate``."""

import argparse
from typing import Any

from app.run_options import context_of, run_options


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

    answers = kinds.add_parser("answers", help="does it choose the right option?")
    answers.add_argument(
        "--questions", metavar="FILE", required=True, help="JSON Lines: question, options, answer"
    )
    answers.add_argument(
        "--facts-k",
        metavar="LIST",
        help="numbers of facts to compare, with commas between them (default: that of the preset)",
    )
    answers.add_argument(
        "--fact-search",
        metavar="LIST",
        help="ways to find facts to compare: broad, refined, names (default: that of the preset)",
    )
    answers.add_argument("--dataset", metavar="NAME", help="only records whose dataset is NAME")
    answers.add_argument(
        "--sample", metavar="N", type=int, help="ask N questions drawn by the seed"
    )
    answers.add_argument("--seed", metavar="N", type=int, default=0, help="of sample and intervals")
    run_options(answers)
    answers.add_argument("--json", action="store_true", help="print metrics and configuration")

    memory = kinds.add_parser("memory", help="does it recall what was said?")
    memory.add_argument(
        "--conversations", metavar="FILE", required=True, help="conversations in LoCoMo's form"
    )
    memory.add_argument(
        "--skip", metavar="N", type=int, default=0, help="leave out the first N conversations"
    )
    memory.add_argument("--seed", metavar="N", type=int, default=0, help="of the intervals")
    memory.add_argument("--json", action="store_true", help="print metrics and configuration")

    def run_memory(given: argparse.Namespace) -> int:
        from app.evaluating_memory import memory

        return memory(given)

    memory.set_defaults(run=run_memory)

    def run_answers(given: argparse.Namespace) -> int:
        from app.evaluating_answers import answers

        return answers(given, context_of(given))

    answers.set_defaults(run=run_answers)

    def run_critic(given: argparse.Namespace) -> int:
        from app.evaluating import critic

        return critic(given)

    def run_retrieval(given: argparse.Namespace) -> int:
        from app.evaluating import retrieval

        return retrieval(given)

    critic.set_defaults(run=run_critic)
    retrieval.set_defaults(run=run_retrieval)
