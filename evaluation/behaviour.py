"""How methods of retrieval behave: pure functions of the rows of a ``RetrievalResult`` [R8]."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from evaluation import metrics
from evaluation.metrics import CUT, Gain
from evaluation.retrieval import groups_of
from evaluation.significance import Estimate, mean_intervals
from retrievers.methods import RERANKED, of_passages

Row = Mapping[str, Any]

CURVES = ("ndcg", "precision", "recall")


def separate_lists(rows: Sequence[Row]) -> list[str]:
    """The measured lists whose overlap is informative: the others are made from them."""
    return [name for name in (*of_passages(), RERANKED) if name in methods_of(rows)]


def curves(
    rows: Sequence[Row], gain: Gain = "linear"
) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """By method and metric, the mean over queries at k = 1 … 10, as pairs of k and value."""
    found: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for method in methods_of(rows):
        found[method] = {name: [] for name in CURVES}
        for k in range(1, CUT + 1):
            asked = [(row["ranked"][method], row["relevant"], k) for row in rows]
            found[method]["ndcg"].append(
                (k, fmean(metrics.ndcg(*item, gain=gain) for item in asked))
            )
            found[method]["precision"].append(
                (k, fmean(metrics.precision(*item) for item in asked))
            )
            found[method]["recall"].append((k, fmean(metrics.recall(*item) for item in asked)))
    return found


def change(rows: Sequence[Row], before: str, after: str, seed: int = 0) -> dict[str, Estimate]:
    """How an order changed: shares of changed ranks among the first ten, and of first ranks.

    ``positions`` is the share of ranks with another document, relative to the length of the longer
    list; ``top`` whether the first document differs; ``gain`` is the difference in nDCG@10.
    """
    places, top, gained = [], [], []
    for row in rows:
        old, new = row["ranked"][before], row["ranked"][after]
        longest = max(len(old), len(new))
        same = sum(one == other for one, other in zip(old, new, strict=False))
        places.append(1 - same / longest if longest else 0.0)
        top.append(float(old[:1] != new[:1]))
        metrics = row["metrics"]
        gained.append(metrics[after]["ndcg@10"] - metrics[before]["ndcg@10"])
    columns = {"positions": places, "top": top, "gain": gained}
    values = {name: np.array(item, np.float64) for name, item in columns.items()}
    return mean_intervals(values, seed, groups=groups_of(rows))


def overlaps(rows: Sequence[Row], names: Sequence[str]) -> dict[tuple[str, ...], float]:
    """How many of the first ten documents are in exactly these lists; means over queries.

    Their sum is the number of distinct documents. Empty combinations are left out.
    """
    found: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        lists = {name: set(row["ranked"][name]) for name in names}
        for key in set().union(*lists.values()):
            found[tuple(name for name in names if key in lists[name])] += 1
    return {item: count / len(rows) for item, count in found.most_common()}


def relevant_overlap(
    rows: Sequence[Row], names: Sequence[str], seed: int = 0
) -> dict[str, Estimate]:
    """Shares of queries, by the relevant documents among the first ten of each method.

    ``same``: all methods have the same ones, at least one; by a method's name: it has one that no
    other method has.
    """
    columns: dict[str, list[bool]] = {name: [] for name in ("same", *names)}
    for row in rows:
        right = {name: set(row["ranked"][name]) & set(row["relevant"]) for name in names}
        first = right[names[0]]
        columns["same"].append(bool(first) and all(item == first for item in right.values()))
        for name in names:
            others = set().union(*(item for other, item in right.items() if other != name))
            columns[name].append(bool(right[name] - others))
    values = {name: np.array(item, np.float64) for name, item in columns.items()}
    return mean_intervals(values, seed, groups=groups_of(rows))


def spread(values: Sequence[float]) -> tuple[float, float, float, float, float]:
    """Minimum, lower quartile, median, upper quartile and maximum."""
    found = np.percentile(np.asarray(values), (0, 25, 50, 75, 100))
    least, lower, median, upper, greatest = map(float, found)
    return least, lower, median, upper, greatest


def methods_of(rows: Sequence[Row]) -> list[str]:
    """The measured methods, in order."""
    return list(rows[0]["ranked"])
