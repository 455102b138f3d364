"""The protocol for retrieval: judged queries, several methods, the same queries for all (R7)."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from anamnesis.errors import SettingError
from evaluation import metrics
from evaluation.methods import Ranker
from evaluation.metrics import Gain, relevant_ids
from evaluation.reading import Query
from evaluation.significance import (
    RESAMPLES,
    Comparison,
    Estimate,
    Floats,
    Rows,
    compare,
    intervals,
)
from retrievers.index import Index

# The metric that methods are compared by.
COMPARED = "ndcg@10"

# How many of how many queries are done.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """What was measured.

    Attributes:
        methods: For each method its metrics.
        comparisons: For each two methods the second's ``COMPARED`` less the first's.
        median_ms: For each method the median time of a query in milliseconds.
        used: Queries that were measured.
        excluded: Queries left out because no document is relevant to them.
        relevant: Relevant documents of all queries; of several queries one counts several times.
        not_in_corpus: Those of them that the index lacks: nothing can find them, and they count
            as not found.
    """

    methods: Mapping[str, Mapping[str, Estimate]]
    comparisons: Mapping[tuple[str, str], Comparison]
    median_ms: Mapping[str, float]
    used: int
    excluded: int
    relevant: int
    not_in_corpus: int

    def to_json(self) -> dict[str, Any]:
        """``methods``, ``comparisons`` and ``median_ms``, as plain dicts and lists."""
        return {
            "methods": {
                name: {metric: own._asdict() for metric, own in found.items()}
                for name, found in self.methods.items()
            },
            "comparisons": [
                {"metric": COMPARED, "of": second, "less": first}
                | {"difference": found.difference._asdict(), "p": found.p}
                for (first, second), found in self.comparisons.items()
            ],
            "median_ms": dict(self.median_ms),
        }


def evaluate_retrieval(
    index: Index,
    queries: Sequence[Query],
    methods: Mapping[str, Ranker],
    *,
    gain: Gain = "linear",
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Progress | None = None,
) -> RetrievalResult:
    """Measure methods on the same queries.

    Args:
        index: The documents; asked only which of the relevant ones it has.
        queries: Those without a relevant document are left out and counted.
        methods: For each name a function from a query's text to document ids, best first. Of an
            id that comes twice the first place counts.
        gain: See ``metrics.ndcg``.
        seed: Of the bootstrap and of the randomisation test.
        resamples: Of the bootstrap.
        progress: Called after each query.

    Raises:
        SettingError: There is no method, or no query with a relevant document.
    """
    judged = [query for query in queries if query.judged]
    if not judged or not methods:
        raise SettingError(
            f"there are {len(methods)} methods and {len(judged)} queries with a relevant document; "
            "give at least one of each"
        )
    measured: dict[str, list[dict[str, float]]] = {name: [] for name in methods}
    times: dict[str, list[float]] = {name: [] for name in methods}
    for done, query in enumerate(judged, start=1):
        # All methods one after the other, so that a busy moment of the machine hits all of them.
        for name, rank in methods.items():
            start = time.perf_counter()
            found = rank(query.text)
            times[name].append((time.perf_counter() - start) * 1000)
            measured[name].append(measure(list(dict.fromkeys(found)), query.relevant, gain))
        if progress is not None:
            progress(done, len(judged))
    values = {name: _columns(rows) for name, rows in measured.items()}
    relevant = [key for query in judged for key in relevant_ids(query.relevant)]
    # A record's passages are numbered from 0: what is there has that one.
    present = index.find([f"{key}#0" for key in dict.fromkeys(relevant)])
    return RetrievalResult(
        methods={name: _estimates(own, seed, resamples) for name, own in values.items()},
        comparisons={
            (first, second): compare(
                values[first][COMPARED], values[second][COMPARED], seed, resamples
            )
            for first, second in combinations(values, 2)
        },
        median_ms={name: float(np.median(own)) for name, own in times.items()},
        used=len(judged),
        excluded=len(queries) - len(judged),
        relevant=len(relevant),
        not_in_corpus=sum(f"{key}#0" not in present for key in relevant),
    )


def measure(
    ranked: Sequence[str], relevant: Mapping[str, float], gain: Gain = "linear"
) -> dict[str, float]:
    """All metrics of one ranking."""
    return {
        COMPARED: metrics.ndcg(ranked, relevant, gain=gain),
        "mrr@10": metrics.reciprocal_rank(ranked, relevant),
        "precision@10": metrics.precision(ranked, relevant),
        "recall@10": metrics.recall(ranked, relevant),
        "hit@1": metrics.hit(ranked, relevant),
    }


def _columns(rows: Sequence[Mapping[str, float]]) -> dict[str, Floats]:
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _estimates(values: Mapping[str, Floats], seed: int, resamples: int) -> dict[str, Estimate]:
    def means(rows: Rows) -> dict[str, float]:
        return {name: float(own[rows].mean()) for name, own in values.items()}

    return intervals(means, len(values[COMPARED]), seed, resamples)
