"""The protocol for helpful answers: does the first cited source help the user? [R7]

| a query's answer is | if |
|---|---|
| silent | it has no statement, or is an emergency answer without a cited source |
| right | its first cited source has a grade of at least ``MIN_HELPFUL_GRADE`` |
| related | that source has a grade between 0 and ``MIN_HELPFUL_GRADE`` |
| wrong | that source has grade 0 or no grade for this query, or the first statement cites nothing |

The first cited source is the first citation of the first statement. Grades start at 0; they come
from the file of the queries. A source without a grade may help all the same, so the share of wrong
answers may be too high.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from anamnesis.errors import SettingError
from evaluation.reading import Query
from evaluation.results import ONCE, Execution
from evaluation.significance import Estimate, Floats, mean_intervals
from nodes.state import Answer

MIN_HELPFUL_GRADE = 2
"""Minimum grade of a source that helps."""

Rating = Literal["right", "related", "wrong", "silent"]
RATINGS: tuple[Rating, ...] = get_args(Rating)


@dataclass(frozen=True, slots=True)
class HelpfulnessResult:
    """The result of ``evaluate_helpfulness``.

    Attributes:
        metrics: The shares of ``RATINGS``, which add up to 1, and ``score``: the mean grade of the
            first cited source, 0 if the answer is silent or its source was not judged.
        rows: For each query its ``id``, ``question``, the answer's rating (``judged``), ``outcome``
            and ``reason``, the first source ``cited`` or None, its ``grade`` or None, and the
            ``text`` shown.
    """

    metrics: Mapping[str, Estimate]
    rows: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """``metrics``, as plain dicts."""
        return {"metrics": {name: item._asdict() for name, item in self.metrics.items()}}


def evaluate_helpfulness(
    queries: Sequence[Query], ask: Callable[[str], Answer], execution: Execution = ONCE
) -> HelpfulnessResult:
    """Ask every query, and grade the first source that each answer cites.

    Args:
        queries: The queries, with the grades of documents.
        ask: Answers a question.
        execution: See ``results.Execution``.

    Raises SettingError if there are no queries.
    """
    if not queries:
        raise SettingError("there are no queries to ask; give at least one")
    rows = []
    for _, query in execution.each(queries):
        rows.append(_row(query, execution.once(query.id, partial(_asked, ask, query.text))))
    values: dict[str, Floats] = {
        name: np.array([float(row["judged"] == name) for row in rows], np.float64)
        for name in RATINGS
    }
    scores = np.array([row["grade"] or 0.0 for row in rows], np.float64)
    metrics = mean_intervals({**values, "score": scores}, execution.seed, execution.resamples)
    return HelpfulnessResult(metrics, rows)


def _asked(ask: Callable[[str], Answer], question: str) -> dict[str, Any]:
    """Of an answer, its text, whether it is silent, and the first source that it cites, or None."""
    answer = ask(question)
    first = answer["statements"][:1]
    cited = first[0]["citations"][:1] if first else []
    silent = not first or (answer["outcome"] == "urgent" and not cited)
    fields = {name: answer[name] for name in ("outcome", "reason", "text")}
    return {**fields, "silent": silent, "cited": cited[0] if cited else None}


def _row(query: Query, answer: Mapping[str, Any]) -> dict[str, Any]:
    grade = query.relevant.get(answer["cited"])
    rating: Rating
    if answer["silent"]:
        rating = "silent"
    elif not grade:
        rating = "wrong"
    else:
        rating = "right" if grade >= MIN_HELPFUL_GRADE else "related"
    return {
        "id": query.id,
        "question": query.text,
        "judged": rating,
        "outcome": answer["outcome"],
        "reason": answer["reason"],
        "cited": answer["cited"],
        "grade": grade,
        "text": answer["text"],
    }
