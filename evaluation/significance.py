"""Uncertainty of figures: bootstrap intervals, paired tests, and corrections [R7].

All use a seed: the same data and seed give the same numbers.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from anamnesis.errors import SettingError

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
# The group of each row, such as its query's subject: its rows are drawn and flipped together.
Groups = Sequence[Hashable]
_Name = TypeVar("_Name")

RESAMPLES = 2_000  # for arbitrary statistics
MEAN_RESAMPLES = 10_000
PERMUTATIONS = 10_000
_INTERVAL = (2.5, 97.5)  # percentiles: 95 % lie between them
_AT_ONCE = 500  # permutations or resamples in memory at the same time
# Sums of equal numbers in a different order differ by rounding; they count as equal.
_ROUNDING = 1e-12


class Estimate(NamedTuple):
    """A figure on all the data, and the interval that contains 95 % of its resamples."""

    mean: float
    low: float
    high: float


class Comparison(NamedTuple):
    """The mean difference of two systems on the same queries, and its p-values.

    ``p`` is that of this comparison alone, ``p_holm`` is corrected for all comparisons of a run.
    """

    difference: Estimate
    p: float
    p_holm: float


def plain_metrics(methods: Mapping[_Name, Mapping[str, Estimate]]) -> dict[_Name, dict[str, Any]]:
    """The metrics of each method as plain dicts, for JSON."""
    return {
        name: {metric: item._asdict() for metric, item in found.items()}
        for name, found in methods.items()
    }


def plain_comparisons(
    comparisons: Mapping[tuple[str, str], Comparison], metric: str
) -> list[dict[str, Any]]:
    """The differences in a metric as plain dicts, for JSON."""
    return [
        {"metric": metric, "of": second, "less": first}
        | {"difference": found.difference._asdict(), "p": found.p, "p_holm": found.p_holm}
        for (first, second), found in comparisons.items()
    ]


def intervals(
    statistic: Callable[[Rows], Mapping[str, float]],
    size: int,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, Estimate]:
    """Percentile bootstrap of several statistics at once (Efron 1979).

    ``statistic`` computes the figures of rows given by numbers in 0..size-1. A missing or NaN
    figure is undefined: on all rows, it has no estimate; on a resample, its interval uses the other
    resamples. The set of all rows counts as one resample.

    Raises SettingError if there are no rows or no resamples, or the seed is negative.
    """
    if size < 1 or resamples < 1:
        raise SettingError(f"{size} rows and {resamples} resamples: give at least one of each")
    random = _random(seed)
    whole = statistic(np.arange(size))
    drawn = [statistic(random.integers(0, size, size)) for _ in range(resamples)]
    estimates = {}
    for name, value in whole.items():
        if not np.isnan(value):
            samples = [figures.get(name, np.nan) for figures in drawn]
            low, high = np.nanpercentile([value, *samples], _INTERVAL)
            estimates[name] = Estimate(float(value), float(low), float(high))
    return estimates


def mean_intervals(
    values: Mapping[_Name, Floats],
    seed: int = 0,
    resamples: int = MEAN_RESAMPLES,
    groups: Groups | None = None,
) -> dict[_Name, Estimate]:
    """``intervals`` of means, fast: for each name one value per row, shape (n,), with equal n.

    Rows of the same group (``groups`` has one for each row) are not independent: whole groups are
    drawn, and the mean is over all their rows (the cluster bootstrap).

    Raises SettingError if there are no rows or no resamples, or the seed is negative.
    """
    columns = np.stack(list(values.values()), axis=1)
    if len(columns) < 1 or resamples < 1:
        raise SettingError(
            f"{len(columns)} rows and {resamples} resamples: give at least one of each"
        )
    random = _random(seed)
    means = [columns.mean(axis=0, keepdims=True)]
    columns, rows = _group_sums(columns, groups)
    for drawn in _resamples(random, len(columns), resamples):
        means.append(drawn @ columns / (drawn @ rows)[:, np.newaxis])
    low, high = np.percentile(np.concatenate(means), _INTERVAL, axis=0)
    found = np.stack([means[0][0], low, high], axis=1)
    return {name: Estimate(*map(float, item)) for name, item in zip(values, found, strict=True)}


def randomisation_test(
    differences: Floats,
    seed: int = 0,
    permutations: int = PERMUTATIONS,
    groups: Groups | None = None,
) -> float:
    """Two-sided p-value of a mean of paired differences, shape (n,) (Fisher 1935).

    Under the null hypothesis both signs of each difference are equally likely: p is the share of
    random sign assignments, including the observed one, whose mean is at least as far from 0. It is
    in 0..1 and never 0. All differences of a group have the same sign (see ``mean_intervals``).

    Raises SettingError if there are no differences, or the seed is negative.
    """
    if not differences.size:
        raise SettingError("there are no differences to test; give at least one query")
    random = _random(seed)
    differences, _ = _group_sums(differences, groups)
    observed = abs(float(differences.sum()))
    as_far = 1
    for start in range(0, permutations, _AT_ONCE):
        shape = min(_AT_ONCE, permutations - start), differences.size
        sums = (1.0 - 2.0 * random.integers(0, 2, shape)) @ differences
        as_far += int((np.abs(sums) >= observed - _ROUNDING * differences.size).sum())
    return as_far / (permutations + 1)


def bootstrap_test(differences: Floats, seed: int = 0, resamples: int = MEAN_RESAMPLES) -> float:
    """Two-sided p-value of a mean of paired differences, shape (n,), by the bootstrap [R7].

    Twice the share of resamples, including the observed one, whose mean is 0 or on the other side
    of 0; at most 1. Prefer ``randomisation_test``, which samples under the null hypothesis.

    Raises SettingError if there are no differences, or the seed is negative.
    """
    if not differences.size:
        raise SettingError("there are no differences to test; give at least one query")
    size = differences.size
    drawn = _resamples(_random(seed), size, resamples)
    means = np.concatenate([counts @ differences / size for counts in drawn])
    less, more = int((means <= _ROUNDING).sum()), int((means >= -_ROUNDING).sum())
    return min(1.0, 2 * (min(less, more) + 1) / (resamples + 1))


def compare_all(
    scores: Mapping[_Name, Floats],
    test: Callable[[Floats, Floats], float],
    seed: int = 0,
    resamples: int = MEAN_RESAMPLES,
    pairs: Sequence[tuple[_Name, _Name]] | None = None,
    groups: Groups | None = None,
) -> dict[tuple[_Name, _Name], Comparison]:
    """All pairs of systems, the second minus the first: one score each for the same n queries.

    ``test`` gives the p-value of two systems' scores, shapes (n,); ``pairs`` are the systems to
    compare, by default all pairs; ``groups`` are those of ``mean_intervals``.
    """
    pairs = list(combinations(scores, 2)) if pairs is None else pairs
    if not pairs:
        return {}
    raw = [test(scores[first], scores[second]) for first, second in pairs]
    differences = {(first, second): scores[second] - scores[first] for first, second in pairs}
    found = mean_intervals(differences, seed, resamples, groups)
    return {
        pair: Comparison(found[pair], p, corrected)
        for pair, p, corrected in zip(pairs, raw, holm(raw), strict=True)
    }


def plain_by_metric(
    found: Mapping[str, Mapping[tuple[str, str], Comparison]],
) -> list[dict[str, Any]]:
    """The comparisons of several metrics, in the form of ``plain_comparisons``."""
    return [item for metric, by in found.items() for item in plain_comparisons(by, metric)]


def compare_with_first(
    scores: Mapping[str, Mapping[str, Floats]], seed: int = 0, resamples: int = MEAN_RESAMPLES
) -> dict[str, dict[tuple[str, str], Comparison]]:
    """By metric, every other system minus the first: one score each for the same n queries.

    p is from the randomisation test, corrected for all metrics and systems together.
    """
    values = {(metric, name): item for metric, by in scores.items() for name, item in by.items()}
    pairs = [
        ((metric, first), (metric, name))
        for metric, (first, *others) in scores.items()
        for name in others
    ]
    found: dict[str, dict[tuple[str, str], Comparison]] = {metric: {} for metric in scores}
    compared = compare_all(
        values, lambda one, other: randomisation_test(other - one, seed), seed, resamples, pairs
    )
    for ((metric, first), (_, name)), item in compared.items():
        found[metric][first, name] = item
    return found


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of several tests, corrected to bound the family-wise error rate (Holm 1979).

    The smallest of m is multiplied by m, the next by m - 1 and so on; each is at least the one
    before it, and at most 1. In the given order.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    found, least = [0.0] * len(p_values), 0.0
    for done, place in enumerate(order):
        least = max(least, min(1.0, p_values[place] * (len(p_values) - done)))
        found[place] = least
    return found


def mcnemar(first: Floats | Bools, second: Floats | Bools) -> float:
    """Two-sided exact p-value of two systems' right answers, shape (n,), 1 or 0 (McNemar 1947).

    Only questions that one has right and the other wrong count; under the null hypothesis either is
    equally likely. 1 if there are none.
    """
    one, other = int((first > second).sum()), int((second > first).sum())
    total = one + other
    # Logarithms, because binomial coefficients can have thousands of digits.
    tail = (
        math.lgamma(total + 1) - math.lgamma(count + 1) - math.lgamma(total - count + 1)
        for count in range(min(one, other) + 1)
    )
    return min(1.0, 2 * math.fsum(math.exp(item - total * math.log(2)) for item in tail))


def _resamples(random: np.random.Generator, size: int, number: int) -> Iterator[Rows]:
    """How often each resample draws each row, several resamples at a time: shape (at once, size).

    The mean of a resample depends only on these counts.
    """
    for start in range(0, number, _AT_ONCE):
        yield random.multinomial(size, np.full(size, 1 / size), min(_AT_ONCE, number - start))


def _group_sums(values: Floats, groups: Groups | None) -> tuple[Floats, Floats]:
    """The sum of each group's values and its number of rows, in order of first occurrence."""
    if groups is None:
        return values, np.ones(len(values))
    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    group_numbers = np.array([places[group] for group in groups])
    sums = np.zeros((len(places), *values.shape[1:]))
    np.add.at(sums, group_numbers, values)
    return sums, np.bincount(group_numbers).astype(np.float64)


def _random(seed: int) -> np.random.Generator:
    if seed < 0:
        raise SettingError(f"the seed must be a whole number from 0 on, not {seed}")
    return np.random.default_rng(seed)
