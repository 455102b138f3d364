"""The protocols of ``anamnesis evaluate``. To add one, add an entry to ``PROTOCOLS``.

The commands, their help and the parts of the page are made from the entries.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from app.evaluate import options

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Protocol:
    """One protocol.

    A function may also be named as "module:name", which is imported when it is called, so the
    command line starts without the protocol's dependencies.

    Attributes:
        help: The question that it answers, in one line.
        options: Adds its options to its command.
        run: Runs the command with the parsed options; returns the exit status.
        figures: The columns of its result: measures, by their names in the result file.
        page: Adds plots to its part of the page: (section, result) → None.
    """

    help: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Function | str
    figures: tuple[str, ...] = ()
    page: Function | str | None = None


_RANKED = ("ndcg@10", "mrr@10", "precision@10", "recall@10", "hit@1")
_RULED = ("accuracy", "wrong", "undetermined", "coverage", "precision", "macro_f1")

PROTOCOLS: dict[str, Protocol] = {
    "critic": Protocol(
        "does the critic recognise what a text entails?",
        options.critic,
        "app.evaluate.common:critic",
        ("accuracy", "macro_f1", "auroc", "ece", "kept", "passed"),
        page="evaluation.page:critic",
    ),
    "retrieval": Protocol(
        "does the search find the relevant documents?",
        options.retrieval,
        "app.evaluate.retrieval:retrieval",
        _RANKED,
        page="evaluation.page:lists",
    ),
    "behaviour": Protocol(
        "how does retrieval depend on rank, list and size of the corpus?",
        options.behaviour,
        "app.evaluate.behaviour:behaviour",
        _RANKED,
        page="evaluation.page:lists",
    ),
    "answers": Protocol(
        "is the right option chosen?", options.answers, "app.evaluate.answers:answers", _RULED
    ),
    "helpfulness": Protocol(
        "do answers cite sources that help?",
        options.helpfulness,
        "app.evaluate.helpfulness:helpfulness",
        ("right", "related", "wrong", "silent", "score"),
    ),
    "reading": Protocol(
        "does the reader find the sentences that answer?",
        options.reading,
        "app.evaluate.reading:reading",
        ("auroc", "top_sentence", "sentence_f1", "verdict"),
    ),
    "urgency": Protocol(
        "are emergencies recognised?",
        options.urgency,
        "app.evaluate.reading:urgency",
        ("recall_emergency", "recall_urgent", "false_alarms"),
    ),
    "robustness": Protocol(
        "how often is something stated that should not be?",
        options.robustness,
        "app.evaluate.robustness:robustness",
        ("right", "abstained", "wrong"),
    ),
    "memory": Protocol(
        "is what was said recalled?",
        options.memory,
        "app.evaluate.memory:memory",
        ("recall@1", "recall@2", "recall@5", "recall@10"),
    ),
    "chatbot": Protocol(
        "how similar are answers to the expected ones?",
        options.chatbot,
        "app.evaluate.chatbot:chatbot",
        ("answered", "recall@5", "precision@5", "rouge_l", "bertscore_f1", "perplexity", "seconds"),
    ),
    "corrections": Protocol(
        "do remembered corrections help?",
        options.corrections,
        "app.evaluate.corrections:corrections",
        ("right", "wrong", "undetermined", "aics", "kpcs", "ics", "ics_literal"),
    ),
    "all": Protocol(
        "all protocols, with default settings", options.everything, "app.evaluate.everything:all"
    ),
}


def evaluate(commands: Any) -> None:
    """Add the command ``evaluate`` with a command for each protocol."""
    command = commands.add_parser("evaluate", help="measure the parts on labelled data")
    command.set_defaults(out=None)
    kinds = command.add_subparsers(dest="kind", required=True, metavar="KIND")
    for name, item in PROTOCOLS.items():
        measured = f"Measured: {', '.join(item.figures)}." if item.figures else None
        kind = kinds.add_parser(name, help=item.help, epilog=measured)
        item.options(kind)
        kind.set_defaults(run=_runner(item))


def report(commands: Any) -> None:
    """Add the command that puts results into a page."""
    command = commands.add_parser("report", help="write the results of evaluate to one HTML page")
    command.add_argument("results", metavar="RESULT", nargs="+", help="files of evaluate --out")
    command.add_argument("-o", "--out", metavar="FILE", required=True, help="the page")

    def run(given: argparse.Namespace) -> int:
        from app.evaluate.page import report

        return report(given, page_parts())

    command.set_defaults(run=run)


def page_parts() -> dict[str, Function]:
    """The additions of each protocol to its part of the page, by the protocol's name."""
    return {name: _function(item.page) for name, item in PROTOCOLS.items() if item.page}


def _runner(protocol: Protocol) -> Callable[[argparse.Namespace], int]:
    def run(given: argparse.Namespace) -> int:
        return int(_function(protocol.run)(given))

    return run


def _function(named: Function | str) -> Function:
    if not isinstance(named, str):
        return named
    module, _, name = named.partition(":")
    found: Function = getattr(import_module(module), name)
    return found
