from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis import SettingError
from anamnesis.memory.record import Memory
from anamnesis.memory.retention import deletable, expired, retention, retention_key

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def kept(days: float = 1, **fields: Any) -> Memory:
    made = {"owner": "ann", "kind": "question", "text": "gout", **fields}
    return Memory.make(created=NOW - timedelta(days), **made)


WRONG = {"incorrect": 10, "trust": 0.05}  # PS 2/3 is below .85 · .95


def test_by_how_much_a_memory_is_kept_by_hand() -> None:
    assert retention(kept()) == pytest.approx(1 - 0.85 * 0.75)
    assert retention(kept(**WRONG)) == pytest.approx(2 / 3 - 0.85 * 0.95)


def test_what_the_rule_does_not_keep_goes() -> None:
    wrong, good = kept(**WRONG), kept()
    assert deletable([good, wrong], NOW) == [wrong]
    assert deletable([good], NOW) == deletable([], NOW) == []


@pytest.mark.parametrize(
    ("age", "days", "gone"),
    [(29.9, 30, False), (30, 30, False), (30.1, 30, True), (999, None, False)],
)
def test_what_was_not_said_for_too_long_goes(age: float, days: int | None, gone: bool) -> None:
    memory = kept(age)
    assert expired(memory, NOW, days) is gone
    assert (deletable([memory], NOW, days=days) == [memory]) is gone


def test_what_a_memory_is_worth_by_hand() -> None:
    score = pytest.approx(1 - 0.85 * 0.75)
    assert retention_key(kept(9, recalls=4), NOW) == (True, score, 5 / 10)
    assert retention_key(kept(-1, superseded_by="0" * 32), NOW) == (False, score, 1)


def test_beyond_the_limit_the_least_worth_keeping_go_first() -> None:
    order = [
        kept(0, superseded_by="0" * 32, trust=0.9),
        kept(1, incorrect=1, trust=0.24),
        kept(9),
        kept(3),
        kept(9, recalls=4),
        kept(0),
        kept(9, correct=1, trust=0.28),
    ]
    for limit in range(1, 8):
        assert deletable(order[::-1], NOW, limit=limit) == order[: 7 - limit]


@pytest.mark.parametrize("wrong", [{"days": 0}, {"limit": 0}, {"limit": -1}])
def test_numbers_below_one_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(SettingError, match=f"{next(iter(wrong))} must be 1 or more"):
        deletable([], NOW, **wrong)  # type: ignore[arg-type]


@given(
    st.lists(
        st.builds(kept, st.floats(0, 99), recalls=st.integers(0, 3), trust=st.floats(0.2, 1)),
        max_size=8,
    ),
    st.integers(1, 8),
)
def test_no_more_go_than_must(memories: list[Memory], limit: int) -> None:
    gone = deletable(memories, NOW, limit=limit)
    assert len(gone) == max(0, len(memories) - limit)
    assert {memory.id for memory in gone} <= {memory.id for memory in memories}
    left = [memory for memory in memories if memory not in gone]
    assert all(retention(one) <= retention(other) for one in gone for other in left)
