"""The protocol for helpful answers: does the first cited source help the user? (row R7)

| a query's answer is | where |
|---|---|
| silent | no statement: it abstained, or is urgent without a cited source |
| right | its first cited source has a grade of at least ``HELPS`` |
| related | that source has a grade between 0 and ``HELPS`` |
| wrong | that source has the grade 0, or was not judged for the query |

The first cited source is the first citation of the first statement.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from anamnesis.errors import SettingError
from evaluation.reading import Query
from evaluation.results import Progress, Rows, with_progress
from evaluation.significance import MEAN_RESAMPLES, Estimate, Floats, mean_intervals
from nodes.state import Answer

HELPS = 2
"""Minimum grade of a source that helps."""

Judged = Literal["right", "related", "wrong", "silent"]
JUDGED: tuple[Judged, ...] = get_args(Judged)


@dataclass(frozen=True, slots=True)
class HelpfulnessResult:
    """The measures.

    Attributes:
        metrics: The shares of ``JUDGED``, which add up to 1, and ``score``: the mean grade of the
            first cited source, 0 if the answer is silent or its source was not judged.
        rows: For each query its ``id``, ``question``, how the answer is ``judged``, its ``outcome``
            and ``reason``, the first source ``cited`` or None, its ``grade`` or None, and the
            ``text`` shown.
    """

    metrics: Mapping[str, Estimate]
    rows: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """``metrics``, as plain dicts."""
        return {"metrics": {name: item._asdict() for name, item in self.metrics.items()}}


def evaluate_helpfulness(
    queries: Sequence[Query],
    ask: Callable[[str], Answer],
    *,
    seed: int = 0,
    resamples: int = MEAN_RESAMPLES,
    progress: Progress | None = None,
    kept: Rows | None = None,
) -> HelpfulnessResult:
    """Ask every query, and grade the first source that each answer cites.

    Args:
        queries: The queries, with the grades of documents.
        ask: Answers a question.
        seed: Seed of the bootstrap.
        resamples: Bootstrap resamples of queries.
        progress: Called after each query.
        kept: Answers of an earlier run by the query's id, which are reused; new ones are added.

    Raises SettingError if there are no queries.
    """
    if not queries:
        raise SettingError("there are no queries to ask; give at least one")
    kept = {} if kept is None else kept
    rows = []
    for query in with_progress(queries, progress):
        if query.id not in kept:
            answer = ask(query.text)
            fields = {name: answer[name] for name in ("outcome", "reason", "text")}
            kept[query.id] = {**fields, **_stated(answer)}
        rows.append(_row(query, kept[query.id]))
    values: dict[str, Floats] = {
        name: np.array([float(row["judged"] == name) for row in rows], np.float64)
        for name in JUDGED
    }
    scores = np.array([row["grade"] or 0.0 for row in rows], np.float64)
    return HelpfulnessResult(mean_intervals({**values, "score": scores}, seed, resamples), rows)


def _stated(answer: Answer) -> dict[str, Any]:
    """Whether the answer has statements, and the first source that it cites."""
    first = answer["statements"][:1]
    cited = first[0]["citations"][:1] if first else []
    silent = not first or (answer["outcome"] == "urgent" and not cited)
    return {"silent": silent, "cited": cited[0] if cited else None}


def _row(query: Query, stated: Mapping[str, Any]) -> dict[str, Any]:
    grade = query.relevant.get(stated["cited"])
    judged: Judged
    if stated["silent"]:
        judged = "silent"
    elif not grade:
        judged = "wrong"
    else:
        judged = "right" if grade >= HELPS else "related"
    return {
        "id": query.id,
        "question": query.text,
        "judged": judged,
        "outcome": stated["outcome"],
        "reason": stated["reason"],
        "cited": stated["cited"],
        "grade": grade,
        "text": stated["text"],
    }
