"""Feedback on an answer moves the trust of what shaped it, and of nothing else."""

import pytest

from anamnesis import SettingError
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from tests.anamnesis.memory.conftest import Make


def shaping(*memories: Memory) -> dict[str, str]:
    return {memory.id: memory.text for memory in memories}


def test_each_memory_that_shaped_an_answer_is_rated(kept: Memories, make: Make) -> None:
    [first, second, third] = kept.add(
        "ann", [make(f"I take {name}.") for name in ("aspirin", "insulin", "digoxin")]
    )
    rated = kept.rate_shaping("ann", shaping(first, second), False, {})
    assert sorted(rated) == sorted([first.id, second.id])
    for memory in (first, second):
        # TS = .8 x .25 + .2 x (0 + 1) / (1 + 4)
        found = kept.get("ann", memory.id)
        assert (found.incorrect, found.rating, round(found.trust, 3)) == (1, "bad", 0.24)
    assert kept.get("ann", third.id) == third
    assert [entry["what"] for entry in kept.audit("ann")].count("rate") == 2


def test_what_is_gone_or_changed_or_another_users_is_passed_over(
    kept: Memories, make: Make
) -> None:
    [gone, edited, mine] = kept.add(
        "ann", [make(f"I take {name}.") for name in ("aspirin", "insulin", "lithium")]
    )
    [theirs] = kept.add("bob", [make("I take digoxin.", owner="bob")])
    shaped = shaping(gone, edited, mine, theirs)
    kept.delete("ann", [gone.id])
    kept.edit("ann", edited.id, "I do not take insulin.")
    assert kept.rate_shaping("ann", shaped, True, {}) == [mine.id]
    assert kept.get("ann", edited.id).rating == "unrated"
    assert kept.get("bob", theirs.id) == theirs


def test_an_answer_that_was_right_brings_nothing_back_that_holds_no_longer(
    kept: Memories, make: Make
) -> None:
    [old, new] = kept.add("ann", [make("I take warfarin."), make("I no longer take warfarin.")])
    kept.supersede("ann", old.id, new.id)
    assert kept.rate_shaping("ann", shaping(old), True, {}) == []
    assert kept.get("ann", old.id).superseded_by == new.id
    assert kept.get("ann", new.id).superseded_by is None


def test_wrong_answers_delete_no_memory(kept: Memories, make: Make) -> None:
    [allergy] = kept.add("ann", [make("I am allergic to penicillin.")])
    for _ in range(20):
        kept.rate_shaping("ann", shaping(allergy), False, {})
    assert kept.get("ann", allergy.id).incorrect == 20
    assert kept.get("ann", allergy.id).trust < 0.25


def test_experts_notes_that_the_user_may_see_are_rated(kept: Memories, make: Make) -> None:
    [note] = kept.add("eve", [make("Ask about allergies.", owner="eve", scope="expert")])
    assert kept.rate_shaping("ann", shaping(note), True, {}) == [note.id]
    assert kept.get("eve", note.id).correct == 1


def test_a_blank_owner_is_refused_and_an_empty_store_stays_empty(kept: Memories) -> None:
    with pytest.raises(SettingError):
        kept.rate_shaping(" ", {}, True, {})
    assert kept.rate_shaping("ann", {"1": "I take aspirin."}, True, {}) == []
