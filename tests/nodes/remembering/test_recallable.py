"""Which near memories are current, and which of those are recalled."""

from datetime import timedelta
from typing import Any

from anamnesis.memory.matching import MatchedMemory
from anamnesis.memory.record import Memory, now
from nodes.remembering.recallable import current, memories_to_recall
from nodes.settings.context import Context


def near(text: str, closeness: float = 0.9, *, days: int = 1, **fields: Any) -> MatchedMemory:
    created = now() - timedelta(days)
    made = Memory.make(owner="ann", kind="exchange", text=text, created=created, **fields)
    return MatchedMemory(made, closeness, 0.0, closeness)


def test_old_and_unverified_memories_are_not_current() -> None:
    kept, old, unverified = near("kept"), near("old", days=40), near("unverified")
    context = Context.model_validate({"memory.max_age_days": 30})
    found = current([kept, old, unverified], {unverified.memory.id}, context)
    assert found == [kept]


def test_a_note_of_an_expert_is_always_current() -> None:
    note = near("note", days=40, scope="expert")
    context = Context.model_validate({"memory.max_age_days": 30})
    assert current([note], {note.memory.id}, context) == [note]


def test_at_most_the_set_number_of_exchanges_is_recalled() -> None:
    memories = [near("second", 0.6), near("first", 0.9), near("far", 0.1)]
    context = Context.model_validate({"memory.max_exchanges": 1})
    recalled = memories_to_recall(memories, context)
    assert [one.found.memory.text for one in recalled] == ["first"]
