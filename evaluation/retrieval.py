"""The protocol for retrieval: judged queries, several methods, the same queries for all [R7]."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from anamnesis.errors import SettingError
from evaluation import metrics
from evaluation.methods import Ranker
from evaluation.metrics import CUT, Gain, relevant_ids
from evaluation.reading import Query
from evaluation.results import ONCE, Execution
from evaluation.significance import (
    Comparison,
    Estimate,
    Groups,
    compare_all,
    mean_intervals,
    plain_comparisons,
    plain_metrics,
    randomisation_test,
)
from retrievers.corpus import Corpus

# The metric by which methods are compared.
COMPARED = "ndcg@10"


class Counts(NamedTuple):
    """Numbers of queries and of relevant documents.

    Attributes:
        used: Queries with a relevant document.
        excluded: Queries left out because no document is relevant to them.
        relevant: Relevant documents, summed over the queries.
        not_in_corpus: Those of them that are not in the index; they count as not found.
    """

    used: int
    excluded: int
    relevant: int
    not_in_corpus: int


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The measures.

    Attributes:
        methods: For each method its metrics.
        comparisons: For each pair of methods ``COMPARED`` of the second minus that of the first.
        median_ms: For each method the median time of a query in milliseconds.
        best: ``precision@10`` and ``recall@10`` of a perfect ranking, limited by the ten ranks.
        counts: The numbers of queries and documents.
        rows: For each query its ``id``, its ``group`` and ``relevant`` documents with grades; by
            method the first ten ``ranked``, its time in ``ms`` and its ``metrics``.
    """

    methods: Mapping[str, Mapping[str, Estimate]]
    comparisons: Mapping[tuple[str, str], Comparison]
    median_ms: Mapping[str, float]
    best: Mapping[str, float]
    counts: Counts
    rows: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """``methods``, ``comparisons``, ``median_ms`` and ``best``, as plain dicts and lists."""
        return {
            "methods": plain_metrics(self.methods),
            "comparisons": plain_comparisons(self.comparisons, COMPARED),
            "median_ms": dict(self.median_ms),
            "best": dict(self.best),
        }


def evaluate_retrieval(
    index: Corpus,
    queries: Sequence[Query],
    methods: Mapping[str, Ranker],
    execution: Execution = ONCE,
    *,
    gain: Gain = "linear",
    own_left_out: bool = False,
) -> RetrievalResult:
    """Measure methods on the same queries.

    Args:
        index: The documents; used only to count the relevant ones that it has.
        queries: Those without a relevant document are left out and counted. Queries of one group
            are resampled, and the signs of their differences flipped, together.
        methods: For each name a function from a query's text to document ids, best first. Of
            repeated ids the first counts.
        gain: See ``metrics.ndcg``.
        own_left_out: Ignore the document with the query's id.
        execution: See ``results.Execution``.

    Raises:
        SettingError: If there is no method, or no query with a relevant document.
    """
    if own_left_out:
        queries = [_without_own(query) for query in queries]
    judged = [query for query in queries if query.judged]
    if not judged or not methods:
        raise SettingError(
            f"there are {len(methods)} methods and {len(judged)} queries with a relevant document; "
            "give at least one of each"
        )
    rows = []
    for number, query in execution.each(judged):
        rank = partial(_ranked_by_methods, query, methods, own_left_out)
        rows.append(_measured(query, execution.once(number, rank), gain))
    values = {
        (name, metric): np.array([row["metrics"][name][metric] for row in rows])
        for name in methods
        for metric in rows[0]["metrics"][name]
    }
    groups = groups_of(rows)
    estimates = mean_intervals(values, execution.seed, execution.resamples, groups)
    found: dict[str, dict[str, Estimate]] = {name: {} for name in methods}
    for (name, metric), estimate in estimates.items():
        found[name][metric] = estimate
    return RetrievalResult(
        methods=found,
        comparisons=compare_all(
            {name: values[name, COMPARED] for name in methods},
            lambda first, second: randomisation_test(second - first, execution.seed, groups=groups),
            execution.seed,
            execution.resamples,
            groups=groups,
        ),
        median_ms={name: float(np.median([row["ms"][name] for row in rows])) for name in methods},
        best=_best(judged),
        counts=query_counts(index, queries),
        rows=rows,
    )


def _measured(query: Query, ranked: Mapping[str, Any], gain: Gain) -> dict[str, Any]:
    """The row of a query: its relevant documents, the methods' rankings and their metrics."""
    return {
        "id": query.id,
        "group": query.group,
        "relevant": {key: query.relevant[key] for key in relevant_ids(query.relevant)},
        **ranked,
        "metrics": {
            name: measure(ids, query.relevant, gain) for name, ids in ranked["ranked"].items()
        },
    }


def query_counts(index: Corpus, queries: Sequence[Query]) -> Counts:
    """The numbers of queries and relevant documents, and of those missing in the index."""
    judged = [query for query in queries if query.judged]
    relevant = [key for query in judged for key in relevant_ids(query.relevant)]
    # A record's passages are numbered from 0: every record in the index has passage 0.
    present = index.find([f"{key}#0" for key in dict.fromkeys(relevant)])
    return Counts(
        used=len(judged),
        excluded=len(queries) - len(judged),
        relevant=len(relevant),
        not_in_corpus=sum(f"{key}#0" not in present for key in relevant),
    )


def groups_of(rows: Sequence[Mapping[str, Any]]) -> Groups | None:
    """The group of each row of a result, by default its id; None if no row has a group."""
    named = any(row.get("group") is not None for row in rows)
    return [row.get("group") or row["id"] for row in rows] if named else None


def _best(judged: Sequence[Query]) -> dict[str, float]:
    perfect = [measure(list(relevant_ids(item.relevant)), item.relevant) for item in judged]
    return {name: fmean(item[name] for item in perfect) for name in ("precision@10", "recall@10")}


def _ranked_by_methods(
    query: Query, methods: Mapping[str, Ranker], own_left_out: bool
) -> dict[str, Any]:
    """By method, the documents found and the time."""
    ranked: dict[str, list[str]] = {}
    times: dict[str, float] = {}
    # All methods take turns, so that other load on the machine affects all of them.
    for name, rank in methods.items():
        start = time.perf_counter()
        found = rank(query.text)
        times[name] = round((time.perf_counter() - start) * 1000, 3)
        seen = [key for key in dict.fromkeys(found) if not (own_left_out and key == query.id)]
        ranked[name] = seen[:CUT]
    return {"ranked": ranked, "ms": times}


def _without_own(query: Query) -> Query:
    others = {key: grade for key, grade in query.relevant.items() if key != query.id}
    return query._replace(relevant=others)


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
