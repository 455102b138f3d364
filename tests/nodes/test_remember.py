"""The end of a turn: the answer as a message, and what is stored by consent."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from anamnesis.memory.store import Memories
from nodes.parts import Parts
from nodes.remember import remember
from nodes.remembering.replies import KEPT_MESSAGES
from nodes.state import State
from nodes.verify import verify
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.graph.conftest import GOOD, Always, ScriptedCritic
from tests.nodes.steps import QUESTION, WithoutMemories, drafted, run, selected, state_of


@pytest.fixture
def parts(small_index: Index, tmp_path: Path) -> Parts:
    return Parts(
        given_index=small_index,
        given_reranker=Always(),
        given_critic=ScriptedCritic({GOOD: 0.95}),
        given_memories=Memories(tmp_path / "memory", HashEmbedder()),
    )


@pytest.fixture
def answered(parts: Parts) -> State:
    before = state_of(selected=[selected("asthma")], draft=drafted(GOOD))
    return {**before, **run(verify, before, parts)}


def stored(parts: Parts, kind: Any = "exchange") -> list[str]:
    return [memory.text for memory in parts.memories().all("ann", kind)]


def test_the_answer_is_the_last_message(parts: Parts, answered: State) -> None:
    update = run(remember, answered, parts)
    assert GOOD in update["answer"]["text"]
    assert update["messages"][-1].content == update["answer"]["text"]
    assert update["topic"] == "asthma"


def test_an_exchange_is_stored_only_with_consent(parts: Parts, answered: State) -> None:
    update = run(remember, answered, parts, user="ann")
    assert (stored(parts), update["consenting_user"], update["consented_turns"]) == ([], "", 0)
    update = run(remember, answered, parts, user="ann", memory__consent=True)
    assert stored(parts) == [f"{QUESTION}\n{GOOD}"]
    assert (update["consenting_user"], update["consented_turns"]) == ("ann", 1)


def test_nothing_of_an_emergency_is_stored(parts: Parts, answered: State) -> None:
    urgent: State = {**answered, "answer": {**answered["answer"], "urgency": "emergency"}}
    update = run(remember, urgent, parts, user="ann", memory__consent=True)
    assert (stored(parts), update["consenting_user"]) == ([], "")


def test_old_messages_leave_the_thread(parts: Parts, answered: State) -> None:
    messages = [HumanMessage(str(number), id=str(number)) for number in range(KEPT_MESSAGES + 2)]
    update = run(remember, {**answered, "messages": [*messages]}, parts)
    assert [message.id for message in update["messages"][:-1]] == ["0", "1", "2"]


def test_a_store_that_fails_costs_no_answer(small_index: Index, answered: State) -> None:
    update = run(remember, answered, WithoutMemories(given_index=small_index), user="ann")
    assert GOOD in update["answer"]["text"]
