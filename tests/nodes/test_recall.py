"""What is recalled of a user: what is near the question; a failure costs no answer."""

from pathlib import Path

import pytest

from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from nodes.parts import Parts
from nodes.recall import recall
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.nodes.steps import QUESTION, WithoutMemories, run, state_of


@pytest.fixture
def parts(small_index: Index, tmp_path: Path) -> Parts:
    made = Memories(tmp_path / "memory", HashEmbedder())
    made.add(
        "ann", [Memory.make(owner="ann", kind="exchange", text=f"{QUESTION}\nIt narrows airways.")]
    )
    return Parts(given_index=small_index, given_memories=made)


def test_a_near_memory_of_the_user_is_recalled(parts: Parts) -> None:
    [memory] = run(recall, state_of(), parts, user="ann")["recalled"]
    assert memory["text"] == f"{QUESTION}\nIt narrows airways."
    assert memory["score"]["cosine"] > 0.4


@pytest.mark.parametrize(
    "settings",
    [{}, {"user": "bob"}, {"user": "ann", "memory__recall": False}],
    ids=["nobody", "another", "refused"],
)
def test_nobody_else_recalls_it(parts: Parts, settings: dict[str, object]) -> None:
    update = run(recall, state_of(), parts, **settings)
    assert update["recalled"] == []


def test_a_memory_far_from_the_question_stays(parts: Parts) -> None:
    state = state_of(queries=["How long do measles last?"])
    assert run(recall, state, parts, user="ann")["recalled"] == []


def test_a_store_that_fails_costs_the_memories_and_not_the_answer() -> None:
    update = run(recall, state_of(), WithoutMemories(), user="ann")
    assert (update["recalled"], update["user_quotes"]) == ([], [])
