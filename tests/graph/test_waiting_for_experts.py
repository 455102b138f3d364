"""A question that is not answered waits for an expert, with its user's consent."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from anamnesis.memory.questions import Questions
from anamnesis.memory.store import Memories
from graph import Context
from retrievers.index import Index
from tests.graph.conftest import ask

AGREED = Context(user="ann", memory={"consent": True, "ask_experts": True})
SILENT = {"retrieval.min_relevance": 1.0}


@pytest.fixture
def questions(memories: Memories) -> Questions:
    return Questions(memories.folder)


def test_what_is_not_answered_waits_and_what_is_answered_does_not(
    small_index: Index, memories: Memories, questions: Questions
) -> None:
    ask(small_index, memories, "What is asthma?", AGREED)
    assert questions.all() == []
    ask(small_index, memories, "How is tularemia treated?", AGREED.changed(SILENT))
    [waiting] = questions.of("ann")
    assert (waiting.text, waiting.why) == ("How is tularemia treated?", "abstained")


@pytest.mark.parametrize(
    ("question", "changed"),
    [
        ("How is tularemia treated?", {"memory.consent": False}),
        ("How is tularemia treated?", {"memory.ask_experts": False}),
        ("How is tularemia treated?", {"user": None}),
        ("thank you", {}),
        ("I took a whole box of paracetamol and want to die", {}),
    ],
)
def test_without_consent_or_a_question_nothing_waits(
    small_index: Index,
    memories: Memories,
    questions: Questions,
    question: str,
    changed: dict[str, Any],
) -> None:
    ask(small_index, memories, question, AGREED.changed({**SILENT, **changed}))
    assert questions.all() == []


def test_its_user_is_informed_with_the_next_answer_and_once(
    small_index: Index, memories: Memories, questions: Questions
) -> None:
    ask(small_index, memories, "How is tularemia treated?", AGREED.changed(SILENT))
    [waiting] = questions.of("ann")
    questions.decide(waiting.id, "eve", "answered", note="With doxycycline.")
    bob = ask(small_index, memories, "What is asthma?", AGREED.changed({"user": "bob"}))
    assert not [note for note in bob["notes"] if "expert" in note]
    answer = ask(small_index, memories, "What is asthma?", AGREED)
    [note] = [note for note in answer["notes"] if "expert" in note]
    assert "“How is tularemia treated?”: “With doxycycline.”" in note
    assert note in answer["text"]
    again = ask(small_index, memories, "What is asthma?", AGREED)
    assert not [note for note in again["notes"] if "expert" in note]


def test_experts_see_no_other_question_of_its_user(
    small_index: Index, memories: Memories, questions: Questions
) -> None:
    ask(small_index, memories, "What is asthma?", AGREED)
    [old] = [memory for memory in memories.all("ann") if memory.kind == "exchange"]
    assert old.grounds
    lost = old.grounds.model_copy(update={"unsupported": ("Lost.",)})
    memories.update_citations("ann", {old.id: (old.grounds, lost)})
    answer = ask(small_index, memories, "How is tularemia treated?", AGREED.changed(SILENT))
    assert "your question “What is asthma?”" in answer["text"]
    [waiting] = questions.all()
    assert "Not found" in waiting.answer
    assert "have changed since" not in waiting.answer
    assert "Lost." not in waiting.answer


def test_a_question_that_was_asked_again_is_not_said_to_have_a_new_document(
    small_index: Index, memories: Memories, questions: Questions
) -> None:
    ask(small_index, memories, "How is tularemia treated?", AGREED.changed(SILENT))
    [waiting] = questions.of("ann")
    questions.decide(waiting.id, "eve", "answered", answer="Not found.")
    [note] = [
        note
        for note in ask(small_index, memories, "What is asthma?", AGREED)["notes"]
        if "expert" in note
    ]
    assert "asked again" in note
    assert "approved" not in note


def test_a_damaged_question_keeps_its_user_from_no_memory(
    small_index: Index, memories: Memories, questions: Questions
) -> None:
    ask(small_index, memories, "How is tularemia treated?", AGREED.changed(SILENT))
    with closing(sqlite3.connect(memories.folder / "memories.sqlite")) as base, base:
        base.execute("update questions set record = '{'")
    unsaid = AGREED.changed({**SILENT, "memory.stored_exchanges": "all"})
    ask(small_index, memories, "How is tularemia treated?", unsaid)
    assert [memory for memory in memories.all("ann") if "tularemia" in memory.text]
