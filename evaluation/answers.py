"""The protocol for multiple choice: the same questions for several settings (K5, K6)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anamnesis.errors import SettingError
from evaluation import results
from evaluation.reading import Question
from evaluation.significance import (
    MEAN_RESAMPLES,
    Bools,
    Comparison,
    Estimate,
    Rows,
    compare_all,
    intervals,
    mcnemar,
    plain_comparisons,
    plain_metrics,
)

# The metric that rows are compared by.
COMPARED = "accuracy"

# A question to the key of the chosen option, None if none is.
Answerer = Callable[[Question], str | None]
# How many of how many questions are done.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class AnswersResult:
    """What was measured.

    Attributes:
        rows: For each row ``accuracy``, ``wrong`` and ``undetermined`` (no option named), which
            add up to 1; ``coverage`` (answered of all) and ``precision`` (right of those
            answered; left out where none was).
        comparisons: For each two rows the second's ``COMPARED`` less the first's, with the
            p-value of McNemar's exact test.
        asked: For each question its ``text``, the right ``answer``, and what each row ``chose``.
        chance: The accuracy that is to be expected of guessing.
        used: Questions that were asked.
    """

    rows: Mapping[str, Mapping[str, Estimate]]
    comparisons: Mapping[tuple[str, str], Comparison]
    chance: float
    used: int
    asked: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """``rows``, ``comparisons`` and ``chance``, as plain dicts and lists."""
        return {
            "rows": plain_metrics(self.rows),
            "comparisons": plain_comparisons(self.comparisons, COMPARED),
            "chance": self.chance,
        }


def evaluate_answers(
    questions: Sequence[Question],
    rows: Mapping[str, Answerer],
    *,
    seed: int = 0,
    resamples: int = MEAN_RESAMPLES,
    progress: Progress | None = None,
    kept: results.Rows | None = None,
) -> AnswersResult:
    """Ask every row the same questions.

    Args:
        questions: What is asked. No option chosen counts as not right.
        rows: For each name a function that answers a question.
        seed: Of the bootstrap.
        resamples: Of the bootstrap, over questions.
        progress: Called after each question.
        kept: What rows chose in an earlier run, by the question's number and the row's name,
            which is not asked again; new choices are put into it.

    Raises:
        SettingError: There is no row or no question.
    """
    if not rows or not questions:
        raise SettingError(
            f"there are {len(rows)} rows and {len(questions)} questions; give at least one of each"
        )
    kept = {} if kept is None else kept
    found: dict[str, list[str | None]] = {name: [] for name in rows}
    for done, question in enumerate(questions, start=1):
        for name, answer in rows.items():
            key = f"{done} {name}"
            if key not in kept:
                kept[key] = answer(question)
            found[name].append(kept[key])
        if progress is not None:
            progress(done, len(questions))
    right = {
        name: np.array([key == own.answer for key, own in zip(keys, questions, strict=True)])
        for name, keys in found.items()
    }
    answered = {name: np.array([key is not None for key in keys]) for name, keys in found.items()}
    return AnswersResult(
        rows={
            name: intervals(_shares(right[name], answered[name]), len(questions), seed, resamples)
            for name in rows
        },
        comparisons=compare_all(
            {name: own.astype(np.float64) for name, own in right.items()}, mcnemar, seed, resamples
        ),
        chance=float(np.mean([1 / len(question.options) for question in questions])),
        used=len(questions),
        asked=[
            {"text": own.text, "answer": own.answer}
            | {"chose": {name: found[name][number] for name in rows}}
            for number, own in enumerate(questions)
        ],
    )


def _shares(right: Bools, answered: Bools) -> Callable[[Rows], dict[str, float]]:
    def shares(picked: Rows) -> dict[str, float]:
        told = answered[picked]
        correct = right[picked]
        return {
            COMPARED: float(correct.mean()),
            "wrong": float((told & ~correct).mean()),
            "undetermined": float((~told).mean()),
            "coverage": float(told.mean()),
            "precision": float(correct.sum() / told.sum()) if told.any() else float("nan"),
        }

    return shares
