from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.memory.choosing import FEW, LEAST, adaptive, choose_memories
from anamnesis.memory.matching import MatchedMemory
from anamnesis.memory.record import KINDS, Memory
from anamnesis.memory.scores import RANKINGS, ScoreScaling

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def found(cosine: float, kind: str = "exchange", *, days: int = 1, **fields: Any) -> MatchedMemory:
    made = Memory.make(
        owner="ann", kind=kind, text=f"{kind} {cosine}", created=NOW - timedelta(days), **fields
    )
    return MatchedMemory(made, cosine, 0.0, cosine)


def chosen(
    memories: list[MatchedMemory],
    ranking: str = "similarity",
    threshold: float = 0.4,
    exchanges: int = 2,
    *,
    scaling: ScoreScaling = "min-max",
) -> list[str]:
    weights = RANKINGS[ranking]  # type: ignore[index]
    best = choose_memories(
        memories, NOW, weights=weights, threshold=threshold, exchanges=exchanges, scaling=scaling
    )
    return [one.found.memory.text for one in best]


def test_the_two_nearest_exchanges_above_the_threshold() -> None:
    memories = [found(0.41), found(0.9), found(0.39), found(0.5)]
    assert chosen(memories) == ["exchange 0.9", "exchange 0.5"]
    assert chosen(memories, exchanges=9) == ["exchange 0.9", "exchange 0.5", "exchange 0.41"]
    assert chosen(memories, threshold=0.95) == chosen([]) == chosen(memories, exchanges=0) == []


def test_a_cosine_equal_to_the_threshold_is_enough() -> None:
    assert chosen([found(0.4)]) == ["exchange 0.4"]


def test_one_of_each_refined_kind_in_addition_to_the_exchanges() -> None:
    memories = [found(c, kind) for kind in KINDS for c in (0.5, 0.6, 0.7)]
    assert sorted(chosen(memories)) == [
        "exchange 0.6", "exchange 0.7", "question 0.7", "residual 0.7", "response 0.7",
    ]  # fmt: skip


def test_the_ranking_decides_which_one() -> None:
    old = found(0.8, "question", days=300, recalls=9)
    new = found(0.7, "question", days=0)
    assert chosen([old, new]) == chosen([old, new], "default") == ["question 0.8"]
    assert chosen([old, new], "feedback-freshness") == ["question 0.7"]
    # Unscaled, 1/ε days outweighs everything.
    assert chosen([old, new], "default", scaling="none") == ["question 0.7"]


def test_a_memory_rated_bad_gives_way() -> None:
    bad = found(0.71, "question", rating="bad")
    good = found(0.70, "question", rating="good")
    other = found(0.45, "question")
    assert chosen([bad, good, other], "feedback") == ["question 0.7"]


def test_the_parts_of_the_score_are_shown() -> None:
    [one] = choose_memories(
        [found(0.8)], NOW, weights=RANKINGS["default"], threshold=0.4, exchanges=2
    )
    terms = one.explain()
    assert terms["cosine"] == 0.8
    assert terms["mrs"] == 1.0
    parts = [terms[name] for name in ("recalls", "recency", "similarity", "feedback")]
    assert sum(parts) == pytest.approx(terms["total"])


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.sampled_from(KINDS), st.integers(0, 9)), max_size=15),
    st.sampled_from(sorted(RANKINGS)),
    st.integers(0, 3),
)
def test_never_more_than_asked_for_and_none_below_the_threshold(
    some: list[tuple[float, str, int]], ranking: str, exchanges: int
) -> None:
    memories = [found(cosine, kind, recalls=recalls) for cosine, kind, recalls in some]
    best = choose_memories(
        memories,
        NOW,
        weights=RANKINGS[ranking],  # type: ignore[index]
        threshold=0.4,
        exchanges=exchanges,
    )
    cosines = [one.found.cosine for one in best]
    assert cosines == sorted(cosines, reverse=True)
    assert all(cosine >= 0.4 for cosine in cosines)
    for kind in KINDS:
        most = exchanges if kind == "exchange" else 1
        of_kind = [one for one in best if one.found.memory.kind == kind]
        there = [one for one in memories if one.memory.kind == kind and one.cosine >= 0.4]
        assert len(of_kind) == min(most, len(there))


def test_the_threshold_of_one_user_by_hand() -> None:
    # Nine at 0, one at 1: mean .1, standard deviation .3.
    assert adaptive([0.0] * 9 + [1.0]) == pytest.approx(0.1 + 3 * 0.3)
    assert adaptive([0.1] * 20) == LEAST
    assert adaptive([0.6] * 20) == pytest.approx(0.6)
    assert adaptive([0.9] * (FEW - 1)) == adaptive([]) == LEAST


@given(st.lists(st.floats(-1, 1), max_size=40))
def test_no_more_than_a_tenth_stand_out(values: list[float]) -> None:
    found = adaptive(values)
    assert found >= LEAST
    if len(values) >= FEW and max(values) - min(values) > 1e-6:
        # Chebyshev: a ninth of any distribution lies three deviations or more from its mean.
        assert sum(value >= found + 1e-9 for value in values) <= len(values) / 9
