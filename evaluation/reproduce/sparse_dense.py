"""Sparse-dense fusion: retrieval on MedQuAD, significance, and how the lists differ [R7, R8]."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median, stdev
from typing import Any

import numpy as np

from anamnesis.corpus.record import Record
from evaluation.behaviour import change, relevant_overlap
from evaluation.focus import LEAST, first_queries, focus_queries, run_means
from evaluation.methods import rankers
from evaluation.reading import Query
from evaluation.reproduce.asking import medquad
from evaluation.reproduce.running import Measured, Run
from evaluation.retrieval import RetrievalResult, evaluate_retrieval, groups_of
from evaluation.significance import (
    MEAN_RESAMPLES,
    Estimate,
    Floats,
    Rows,
    bootstrap_test,
    intervals,
    mean_intervals,
)

LISTS = {"BM25": "sparse", "FAISS": "dense", "hybrid": "hybrid"}
"""The paper's names of the methods, with ours."""
METRICS = ("precision@10", "recall@10", "mrr@10", "ndcg@10")
_SIGNIFICANT = 0.05
_ALONE = ("sparse", "dense")

Row = Mapping[str, Any]


def measure(run: Run) -> Measured:
    """The paper's tables 3, 5 and 6 and its figure 11; the first queries of §4.8."""
    records = medquad(run)
    index = run.index("medquad", ("medquad", records))
    context = run.context()
    ways = rankers(index, list(LISTS.values()), "own", context)
    more = rankers(index, ["hybrid", "reranked"], str(run.models["reranker"]), context)
    drawn = focus_queries(
        records, runs=run.sizes["runs"], sample=run.sizes["queries_a_run"], seed=run.seed
    )
    queries = [query for item in drawn for query in item]
    first = first_queries(records, run.sizes["areas"])
    some = queries[: run.sizes["reranked"]]

    def asked(
        name: str, queries_asked: Sequence[Query], methods: Mapping[str, Any], out: bool = False
    ) -> Any:
        with run.executing(name) as execution:
            return evaluate_retrieval(index, queries_asked, methods, execution, own_left_out=out)

    plain = asked("queries", queries, ways)
    alone = asked("queries without their own record", queries, ways, True)
    firsts = asked("first queries", first, ways)
    ordered = asked("re-ranked", some, more)
    tables = {
        "retrieval": _retrieval(plain, run_means(drawn, plain.rows), run.seed),
        "reranked": {
            "hybrid": dict(ordered.methods["hybrid"]),
            "re-ranked": dict(ordered.methods["reranked"]),
        },
        "significance": _significance(drawn, plain.rows, run.seed),
        "first": {"hybrid": {"ndcg@1": plain.methods["hybrid"]["hit@1"]}},
        "changes": _changes(plain.rows, ordered.rows, run),
        "overlap": _overlap(plain.rows, run.seed),
        "times": _times(plain.rows, ordered.rows, run.seed),
        "The first query of each focus area, in alphabetical order (§4.8)": _methods(firsts),
        "The drawn queries, their own record left out (not in the paper)": _methods(alone),
    }
    return Measured(tables, _notes(run, records, plain, some, first))


def _methods(result: RetrievalResult) -> dict[str, dict[str, Estimate]]:
    return {
        name: {metric: result.methods[item][metric] for metric in METRICS}
        for name, item in LISTS.items()
    }


def _retrieval(
    result: RetrievalResult, means: Mapping[str, Mapping[str, list[float]]], seed: int
) -> dict[str, dict[str, Estimate]]:
    """Table 5: each method, and what the fused list gains over the better single list, by metric;
    both with the deviation between the runs, of which ``means`` are the means.
    """
    values, differences = {}, {}
    for metric in METRICS:
        best = max(_ALONE, key=lambda name: result.methods[name][metric].mean)
        metrics = [row["metrics"] for row in result.rows]
        values[metric] = np.array([row["hybrid"][metric] - row[best][metric] for row in metrics])
        both = zip(means["hybrid"][metric], means[best][metric], strict=True)
        differences[metric] = [fused - single for fused, single in both]
    gained = mean_intervals(values, seed, groups=groups_of(result.rows))
    rows = _methods(result) | {"hybrid less the better one alone": gained}
    by_run = [*(means[item] for item in LISTS.values()), differences]
    return {
        name: row | _deviations(run_metrics, seed)
        for (name, row), run_metrics in zip(rows.items(), by_run, strict=True)
    }


def _deviations(means: Mapping[str, Sequence[float]], seed: int) -> dict[str, Estimate]:
    """The deviation between runs, by metric, with an interval over runs; one run has none."""
    found: dict[str, Estimate] = {}
    for metric in METRICS:
        values = np.array(means[metric])
        if len(values) > 1:
            found |= _resampled(
                values, {f"sd of {metric}": lambda item: stdev(item.tolist())}, seed
            )
    return found


def _resampled(
    values: Floats, figures: Mapping[str, Callable[[Floats], float]], seed: int
) -> dict[str, Estimate]:
    """Figures of values, shape (n,), with intervals over them."""

    def statistic(picked: Rows) -> dict[str, float]:
        return {name: figure(values[picked]) for name, figure in figures.items()}

    return intervals(statistic, len(values), seed)


def _significance(
    runs: Sequence[Sequence[Query]], rows: Sequence[Row], seed: int
) -> dict[str, dict[str, Estimate]]:
    """For each pair of methods the median p of the runs, and the share of significant runs, with
    intervals over runs.
    """
    measured = {row["id"]: row["metrics"] for row in rows}
    figures: dict[str, Callable[[Floats], float]] = {
        "median p": lambda tested: median(tested.tolist()),
        "significant runs": lambda tested: float((tested < _SIGNIFICANT).mean()),
    }
    found = {}
    for one, other in (("hybrid", "BM25"), ("hybrid", "FAISS"), ("BM25", "FAISS")):
        first, second = LISTS[one], LISTS[other]
        values = []
        for item in runs:
            asked = [measured[query.id] for query in item if query.id in measured]
            gained = np.array([row[first]["ndcg@10"] - row[second]["ndcg@10"] for row in asked])
            values.append(bootstrap_test(gained, seed, MEAN_RESAMPLES))
        found[f"{one} and {other}"] = _resampled(np.array(values), figures, seed)
    return found


def _changes(
    plain: Sequence[Row], ordered: Sequence[Row], run: Run
) -> dict[str, dict[str, Estimate]]:
    pairs = (
        ("BM25 and FAISS", plain, "sparse", "dense"),
        ("BM25 and hybrid", plain, "sparse", "hybrid"),
        ("FAISS and hybrid", plain, "dense", "hybrid"),
        ("before and after re-ranking", ordered, "hybrid", "reranked"),
    )
    found = {}
    for name, rows, before, after in pairs:
        changed = change(rows[: run.sizes["changes"]], before, after, run.seed)
        found[name] = {"places changed": changed["positions"], "first changed": changed["top"]}
    return found


def _overlap(rows: Sequence[Row], seed: int) -> dict[str, dict[str, Estimate]]:
    found = relevant_overlap(rows, list(LISTS.values()), seed)
    alone = {f"one that {name} alone has": found[item] for name, item in LISTS.items()}
    return {
        name: {"queries": item}
        for name, item in {"all three the same": found["same"], **alone}.items()
    }


def _times(
    plain: Sequence[Row], ordered: Sequence[Row], seed: int
) -> dict[str, dict[str, Estimate]]:
    """Median milliseconds of a query."""
    found = {}
    for name, rows, item in (
        *((name, plain, item) for name, item in LISTS.items()),
        ("hybrid, re-ranked", ordered, "reranked"),
    ):
        spent = np.array([row["ms"][item] for row in rows])
        found[name] = _resampled(spent, {"median ms": lambda times: float(np.median(times))}, seed)
    return found


def _notes(
    run: Run,
    records: Sequence[Record],
    plain: RetrievalResult,
    some: Sequence[Query],
    first: Sequence[Query],
) -> list[str]:
    sizes = run.sizes
    best = plain.best
    return [
        f"{len(records)} records of {run.files['MedQuAD'].name}, "
        f"{len({item.question for item in records})} different questions, "
        f"{len({item.focus.casefold() for item in records if item.focus})} focus areas.",
        f"{sizes['runs']} runs of {sizes['queries_a_run']} queries on areas of at least {LEAST} "
        f"records. A perfect ranking has a precision of {best['precision@10']:.3f} and a recall "
        f"of {best['recall@10']:.3f} at ten.",
        f"{len(some)} of these with re-ranking, {min(len(some), sizes['changes'])} for the changes "
        f"of rank, {len(first)} first queries of an area.",
    ]
