"""Questions with options asked of the graph, in several settings, and the table of it."""

import random
from collections.abc import Mapping, Sequence

from anamnesis.models.triage import load_triage
from evaluation.answers import AnswersResult, by_graph, evaluate_answers
from evaluation.reading import Question
from evaluation.reproduce.running import Run
from evaluation.significance import Estimate
from graph import Context, build_graph
from nodes.question.triage import triage
from retrievers.index import Index

METRICS = {"accuracy": "accuracy", "F1": "macro_f1", "named": "coverage"}
"""The columns of a table, with the names that our protocol has for them."""


def drawn(questions: Sequence[Question], size: int, seed: int) -> list[Question]:
    """``size`` of the questions by the seed, all if there are no more."""
    return random.Random(seed).sample(questions, min(size, len(questions)))


def answered(
    run: Run, name: str, index: Index, questions: Sequence[Question], rows: Mapping[str, Context]
) -> AnswersResult:
    """The questions in each row's settings."""
    talk = build_graph(index=index)
    with run.bar(name) as progress:
        return evaluate_answers(
            questions,
            {row: by_graph(talk, context) for row, context in rows.items()},
            seed=run.seed,
            progress=progress,
            kept=run.kept(name),
        )


def cells(result: AnswersResult, begin: str = "") -> dict[str, dict[str, Estimate]]:
    """By row the metrics, under names that begin so."""
    return {
        row: {f"{begin}{name}": own[metric] for name, metric in METRICS.items() if metric in own}
        for row, own in result.rows.items()
    }


def emergencies(questions: Sequence[Question], context: Context, what: str) -> list[str]:
    """A deviation with how many questions of ``what`` read as an emergency; none if none does.

    The graph answers them at once and names no option. The papers have no such answer.
    """
    read = load_triage(context.triage.classifier)
    found = sum(triage(own.text, read)["level"] == "emergency" for own in questions)
    if not found:
        return []
    return [
        f"{found} of {len(questions)} questions of {what} read as an emergency. They are answered "
        "as one, at once and without an option, and count as wrong. The paper has no such answer."
    ]
