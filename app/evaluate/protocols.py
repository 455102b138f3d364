"""The protocols of ``anamnesis evaluate``. To add one, add an entry to ``PROTOCOLS``.

The commands, their help, the parts of the page and its comparisons are made from the entries.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from app.evaluate import options

if TYPE_CHECKING:  # slow to import, and not needed for the commands
    from evaluation.page import PageParts

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
        compared: What two results are compared by: result → ``evaluation.compared.QuestionScores``.
        published: The papers' figures: result → list of ``evaluation.papers.Published``.
    """

    help: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Function | str
    figures: tuple[str, ...] = ()
    page: Function | str | None = None
    compared: Function | str | None = None
    published: Function | str | None = None


_RANKED = ("ndcg@10", "mrr@10", "precision@10", "recall@10", "hit@1")
_RULED = ("accuracy", "wrong", "undetermined", "coverage", "precision", "macro_f1")

PROTOCOLS: dict[str, Protocol] = {
    "critic": Protocol(
        "does the critic recognise what a text entails?",
        options.critic,
        "app.evaluate.common:critic",
        ("accuracy", "macro_f1", "auroc", "ece", "kept", "passed"),
        page="evaluation.page:critic",
        compared="evaluation.compared:of_critic",
    ),
    "retrieval": Protocol(
        "does the search find the relevant documents?",
        options.retrieval,
        "app.evaluate.retrieval:retrieval",
        _RANKED,
        page="evaluation.page:lists",
        compared="evaluation.compared:of_ranking",
        published="evaluation.papers:of_ranking",
    ),
    "behaviour": Protocol(
        "how does retrieval depend on rank, list and size of the corpus?",
        options.behaviour,
        "app.evaluate.behaviour:behaviour",
        _RANKED,
        page="evaluation.page:lists",
        compared="evaluation.compared:of_ranking",
        published="evaluation.papers:of_ranking",
    ),
    "answers": Protocol(
        "is the right option chosen?",
        options.answers,
        "app.evaluate.answers:answers",
        _RULED,
        compared="evaluation.compared:of_answers",
        published="evaluation.papers:of_answers",
    ),
    "helpfulness": Protocol(
        "do answers cite sources that help?",
        options.helpfulness,
        "app.evaluate.helpfulness:helpfulness",
        ("right", "related", "wrong", "silent", "score"),
        compared="evaluation.compared:of_helpfulness",
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
        published="evaluation.papers:of_chatbot",
    ),
    "corrections": Protocol(
        "do remembered corrections help?",
        options.corrections,
        "app.evaluate.corrections:corrections",
        ("right", "wrong", "undetermined", "aics", "kpcs", "ics", "ics_literal"),
        published="evaluation.papers:of_corrections",
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


def page_parts() -> "PageParts":
    """What the page shows of each protocol, by the protocol's name."""
    from evaluation.page import PagePart

    return {
        name: PagePart(_function(item.page), _function(item.compared), _function(item.published))
        for name, item in PROTOCOLS.items()
    }


def _runner(protocol: Protocol) -> Callable[[argparse.Namespace], int]:
    def run(given: argparse.Namespace) -> int:
        return int(_function(protocol.run)(given))

    return run


@overload
def _function(named: Function | str) -> Function: ...
@overload
def _function(named: None) -> None: ...
def _function(named: Function | str | None) -> Function | None:
    if not isinstance(named, str):
        return named
    module, _, name = named.partition(":")
    found: Function = getattr(import_module(module), name)
    return found
