"""What was not to be kept is not kept by a later turn, either."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from anamnesis.memory.store import Memories
from retrievers.index import Index
from tests.fakes import ToolChat, in_turn
from tests.graph.conftest import ASK, CHECKED, GOOD, Queue, built

Chat = Callable[..., Queue]
ANN = CHECKED.changed({"user": "ann"})
KEEPS = ANN.changed({"memory.consent": True})
THREAD: Any = {"configurable": {"thread_id": "1"}}
CORRECTION = "No, I meant gout"


@pytest.mark.parametrize(
    ("first", "user", "consents", "kept"),
    [
        ("I have spots, what is asthma?", "ann", True, True),
        ("I have spots, what is asthma?", "ann", False, False),
        ("I have spots, what is asthma?", "bob", True, False),
        ("I took 40 paracetamol tablets to kill myself", "ann", True, False),
    ],
)
def test_words_of_the_turn_before_are_quoted_only_with_the_users_consent_to_that_turn(
    small_index: Index,
    queue: Chat,
    memories: Memories,
    first: str,
    user: str,
    consents: bool,
    kept: bool,
) -> None:
    graph = built(small_index, queue(GOOD, GOOD), {GOOD: 0.9}, memories=memories)
    graph = graph.copy({"checkpointer": InMemorySaver()})
    before = CHECKED.changed({"user": user, "memory.consent": consents})
    graph.invoke({"question": first}, THREAD, context=before)
    graph.invoke({"question": CORRECTION}, THREAD, context=KEEPS)
    texts = [memory.text for memory in memories.all("ann")]
    assert (f"By “{first}” the user meant “gout”" in texts) is kept
    if not kept:
        assert not any(first in text for text in texts)


def test_a_chat_model_finds_what_the_rules_do_not(small_index: Index, memories: Memories) -> None:
    blood = "My blood group is O negative"
    answer = {"found": True, "choice": None, "statements": [{"text": GOOD, "citations": [1]}]}
    # The kinds of notes are asked for at the same time.
    notes = [{"memories": [blood, "The user is rich."]}] * 3
    chat = ToolChat(in_turn(answer, *notes))
    graph = built(small_index, chat, {GOOD: 0.9}, memories=memories)  # type: ignore[arg-type]
    asked = {"question": f"{blood}. What is asthma?"}
    streamed = list(graph.stream(asked, context=KEEPS, stream_mode="messages"))
    assert not any("rich" in str(message) for message, _ in streamed)
    by_kind = {memory.kind: memory.text for memory in memories.all("ann")}
    assert by_kind["question"] == f"The user said: “{blood}”"
    assert set(by_kind) == {"question", "exchange"}


def test_without_consent_the_chat_model_is_not_asked_for_notes(
    small_index: Index, memories: Memories
) -> None:
    answer = {"found": True, "choice": None, "statements": [{"text": GOOD, "citations": [1]}]}
    chat = ToolChat(in_turn(answer))
    graph = built(small_index, chat, {GOOD: 0.9}, memories=memories)  # type: ignore[arg-type]
    assert graph.invoke(ASK, context=ANN)["answer"]["outcome"] == "answered"
    assert len(chat.seen) == 1


@pytest.mark.parametrize("deleted", [True, False])
def test_what_was_deleted_is_no_part_of_the_next_turn(
    small_index: Index, queue: Chat, memories: Memories, deleted: bool
) -> None:
    graph = built(small_index, queue(GOOD, GOOD, GOOD), {GOOD: 0.9}, memories=memories)
    graph = graph.copy({"checkpointer": InMemorySaver()})
    first = "I have spots, what is asthma?"
    graph.invoke({"question": first}, THREAD, context=KEEPS)
    if deleted:
        memories.delete("ann")
    result = graph.invoke({"question": "How is it treated?"}, THREAD, context=KEEPS)
    assert ("asthma" in result["answer"]["query"].lower()) is not deleted
    graph.invoke({"question": CORRECTION}, THREAD, context=KEEPS)
    texts = [memory.text for memory in memories.all("ann")]
    assert any("spots" in text for text in texts) is not deleted
    said = [message.text for message in graph.get_state(THREAD).values["messages"]]
    assert (first in said) is not deleted


def test_of_two_doses_in_one_turn_the_one_said_later_counts(
    small_index: Index, memories: Memories
) -> None:
    doses = ["My dose is 5 mg of warfarin", "My dose is 10 mg of warfarin"]
    answer = {"found": True, "choice": None, "statements": [{"text": GOOD, "citations": [1]}]}
    chat = ToolChat(in_turn(answer, *[{"memories": doses[::-1]}] * 3))
    graph = built(small_index, chat, {GOOD: 0.9}, memories=memories, against=doses)  # type: ignore[arg-type]
    graph.invoke(
        {"question": f"{doses[0]}. Sorry, {doses[1][0].lower()}{doses[1][1:]}."},
        context=KEEPS.changed({"triage.classifier": "patterns"}),
    )
    notes = [memory for memory in memories.all("ann") if memory.kind == "question"]
    assert len(notes) == 2
    assert [note.text for note in notes if note.superseded_by is None] == [
        "The user said: “my dose is 10 mg of warfarin”"
    ]
