"""Feedback on an answer moves the trust of what shaped it, and of nothing else."""

import pytest

from anamnesis import SettingError
from memory.feedback import rate_shaping
from memory.store import Memories
from tests.memory.conftest import Make


def test_each_memory_that_shaped_an_answer_is_rated_once(kept: Memories, make: Make) -> None:
    [first, second, third] = kept.add(
        "ann", [make(f"I take {name}.") for name in ("aspirin", "insulin", "digoxin")]
    )
    rated = rate_shaping(kept, "ann", [first.id, second.id], correct=False)
    assert [own.id for own in rated] == [first.id, second.id]
    # TS = .8 x .25 + .2 x (0 + 1) / (1 + 4)
    assert [(own.incorrect, round(own.trust, 3)) for own in rated] == [(1, 0.24)] * 2
    assert kept.get("ann", first.id).trust == rated[0].trust
    assert kept.get("ann", third.id) == third


def test_what_is_gone_or_is_another_users_is_passed_over(kept: Memories, make: Make) -> None:
    [gone, mine] = kept.add("ann", [make("I take aspirin."), make("I take insulin.")])
    [theirs] = kept.add("bob", [make("I take digoxin.", owner="bob")])
    kept.delete("ann", [gone.id])
    rated = rate_shaping(kept, "ann", [gone.id, theirs.id, mine.id], correct=True)
    assert [(own.id, own.correct) for own in rated] == [(mine.id, 1)]
    assert kept.get("bob", theirs.id) == theirs


def test_a_memory_that_shaped_wrong_answers_again_and_again_goes(
    kept: Memories, make: Make
) -> None:
    [bad] = kept.add("ann", [make("I take aspirin.")])
    for _ in range(50):
        if not rate_shaping(kept, "ann", [bad.id], correct=False):
            break
    assert kept.all("ann") == []


def test_a_blank_owner_is_refused(kept: Memories) -> None:
    with pytest.raises(SettingError):
        rate_shaping(kept, " ", [], correct=True)
