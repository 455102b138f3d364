"""A memory in the form of the state."""

from datetime import UTC, datetime

from anamnesis.memory.choosing import Chosen
from anamnesis.memory.matching import MatchedMemory
from anamnesis.memory.record import Memory
from anamnesis.memory.scores import Score
from nodes.fields.recalled import state_of_memory


def test_a_memory_keeps_what_it_says_and_why_it_was_chosen_but_not_its_owner() -> None:
    day = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)
    memory = Memory(owner="ann", scope="expert", kind="response", text="Croup passes.", created=day)
    zeros = Score(*[0.123456] * len(Score._fields))
    said = state_of_memory(Chosen(MatchedMemory(memory, 0.5, 0.25, 0.4), zeros))
    assert said["score"].pop("closeness") == 0.4
    assert set(said.pop("score").values()) == {0.5, 0.25, 0.1235}  # type: ignore[misc]
    assert said == {
        "id": memory.id, "kind": "response", "scope": "expert", "text": "Croup passes.",
        "created": "2026-05-04T10:30:00+00:00",
    }  # fmt: skip
