"""Fusion of ranked lists and the dense guarantee: pure functions [R3, H3]."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from anamnesis.errors import SettingError


@dataclass(frozen=True, slots=True)
class Fused:
    """A document of a fused list: its score, and its rank (from 1) in each list that has it."""

    id: str
    score: float
    ranks: Mapping[str, int]


def reciprocal_rank_fusion(
    lists: Mapping[str, Sequence[str]],
    k: float = 60,
    weights: Mapping[str, float] | None = None,
    first: str | None = None,
) -> list[Fused]:
    """Fuse ranked lists of ids: a document scores the sum of weight / (k + rank), best first.

    Among equal scores, a document of the list ``first`` (None: the first one given) precedes one
    that is not in it [H3]; then comes the one with the better best rank; then the one that appears
    first, in the list ``first`` or else in the other lists in order. A list without a weight has
    weight 1; a list of weight 0 is left out. If a list repeats an id, its first position counts.

    Raises SettingError if ``k`` is negative, or a weight is negative or of a list not given.
    """
    check_fusion(k, weights, lists)
    first = next(iter(lists), None) if first is None else first
    parts: dict[str, list[float]] = {}
    ranks: dict[str, dict[str, int]] = {}
    for name in sorted(lists, key=lambda name: name != first):
        weight = (weights or {}).get(name, 1.0)
        if weight == 0:
            continue
        for rank, key in enumerate(lists[name], start=1):
            if name not in ranks.setdefault(key, {}):
                ranks[key][name] = rank
                parts.setdefault(key, []).append(weight / (k + rank))
    # fsum rounds once, so that equal terms have equal sums in any order.
    fused = [Fused(key, math.fsum(parts[key]), ranks[key]) for key in ranks]
    # The sort is stable: documents that are equal in all of these respects keep their order.
    fused.sort(key=lambda doc: (-doc.score, first not in doc.ranks, min(doc.ranks.values())))
    return fused


def standardised_fusion(
    lists: Mapping[str, Mapping[str, float]],
    weights: Mapping[str, float] | None = None,
    first: str | None = None,
) -> list[Fused]:
    """Fuse scored lists (id to score, best first): the weighted mean of standardised scores.

    The scores of each list are standardised to mean 0 and deviation 1, so that a clear lead counts,
    unlike with ranks; a document that is not in a list gets the list's last score. The fused scores
    are shifted so that the lowest is 0. Weights as in ``reciprocal_rank_fusion``, and equal scores
    are ordered as there.

    Raises SettingError if a weight is negative or of a list not given.
    """
    check_fusion(0, weights, lists)
    first = next(iter(lists), None) if first is None else first
    ranked = {
        name: list(lists[name])
        for name in sorted(lists, key=lambda name: name != first)
        if lists[name] and (weights or {}).get(name, 1.0) > 0
    }
    ids = list(dict.fromkeys(key for item in ranked.values() for key in item))
    places = {name: {key: n for n, key in enumerate(item, 1)} for name, item in ranked.items()}
    total = dict.fromkeys(ids, 0.0)
    for name, item in ranked.items():
        values = [lists[name][key] for key in item]
        mean = fmean(values)
        # Not pstdev, which computes with fractions and is slow.
        spread = math.sqrt(fmean((value - mean) ** 2 for value in values)) or 1.0
        for key in ids:
            value = lists[name].get(key, values[-1])
            total[key] += (weights or {}).get(name, 1.0) * (value - mean) / spread
    lowest = min(total.values(), default=0.0)
    fused = [
        Fused(key, total[key] - lowest, {n: item[key] for n, item in places.items() if key in item})
        for key in ids
    ]
    fused.sort(key=lambda doc: (-doc.score, first not in doc.ranks, min(doc.ranks.values())))
    return fused


def ensure_listed(
    selected: Sequence[str], ranked: Sequence[str], listed: Collection[str], n: int
) -> list[str]:
    """The selection, cut to ``n`` ids, with at least one from a given list [H3].

    If none of ``selected`` is in ``listed`` (the ids of, say, the dense list), the best of
    ``ranked`` (all candidates, best first) that is in it takes the last place; it replaces the
    lowest-ranked if the selection is full. If no candidate is in ``listed``, nothing changes.
    """
    kept = list(selected[: max(n, 0)])
    if n < 1 or any(key in listed for key in kept):
        return kept
    promoted = next((key for key in ranked if key in listed), None)
    if promoted is None:
        return kept
    return [*kept[: n - 1], promoted]


def check_fusion(k: float, weights: Mapping[str, float] | None, lists: Collection[str]) -> None:
    """Raise SettingError unless ``k`` and ``weights`` can be used to fuse ``lists``."""
    if not _is_number(k) or k < 0:
        raise SettingError(f"rrf_k must be a number from 0 on, not {k!r}; the usual value is 60")
    for name, weight in (weights or {}).items():
        if name not in lists:
            known = ", ".join(lists)
            raise SettingError(f"weights has {name!r}, but the lists to fuse are: {known}")
        if not _is_number(weight) or weight < 0:
            raise SettingError(
                f"the weight of list {name!r} must be a number from 0 on, not {weight!r}"
            )
    if weights and all(weights.get(name, 1.0) == 0 for name in lists):
        raise SettingError("every list has weight 0: give at least one of them a weight above 0")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
