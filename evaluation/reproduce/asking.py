"""What several experiments share: their records, and questions put with several settings."""

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

from anamnesis.corpus.loading import read
from anamnesis.corpus.record import Record
from anamnesis.models.reranker import load_triage
from evaluation.answers import AnswersResult, by_graph, evaluate_answers
from evaluation.reading import Question
from evaluation.reproduce.running import Run
from evaluation.significance import Estimate
from graph import Context, build_graph
from nodes.question.triage import needs_immediate_answer, triage
from retrievers.index import Index

METRICS = {"accuracy": "accuracy", "F1": "macro_f1", "named": "coverage"}
"""The columns of a table, with their names in our protocol."""

_Item = TypeVar("_Item")


def drawn(items: Sequence[_Item], size: int, seed: int) -> list[_Item]:
    """``size`` items drawn with the seed; all if there are no more."""
    return random.Random(seed).sample(items, min(size, len(items)))


def medquad(run: Run) -> list[Record]:
    """The records of MedQuAD, or for the small sample its first records."""
    file = run.files["MedQuAD"]
    found = list(read("medquad-csv" if ".csv" in file.name else "medquad-jsonl", [file]))
    return found[: run.sizes["records"]] if run.sizes["records"] else found


def answered(
    run: Run, name: str, index: Index, questions: Sequence[Question], rows: Mapping[str, Context]
) -> AnswersResult:
    """Ask the questions with the settings of each row."""
    talk = build_graph(index=index)
    with run.executing(name) as execution:
        answerers = {row: by_graph(talk, context) for row, context in rows.items()}
        return evaluate_answers(questions, answerers, execution)


def cells(result: AnswersResult, begin: str = "") -> dict[str, dict[str, Estimate]]:
    """By row, the metrics whose names have this prefix."""
    return {
        row: {f"{begin}{name}": item[metric] for name, metric in METRICS.items() if metric in item}
        for row, item in result.rows.items()
    }


def emergencies(questions: Sequence[Question], context: Context, what: str) -> list[str]:
    """A deviation with the number of questions of ``what`` treated as emergencies; none if none is.

    The graph answers emergencies at once and names no option; possible ones are answered as any
    other question. The papers have no such answer.
    """
    read = load_triage(context.triage.classifier)
    found = sum(needs_immediate_answer(triage(item.text, read)) for item in questions)
    if not found:
        return []
    return [
        f"{found} of {len(questions)} questions of {what} are treated as emergencies. They are "
        "answered at once and without an option, and count as wrong. The paper has no such answer."
    ]
