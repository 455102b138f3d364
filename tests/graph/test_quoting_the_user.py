"""A question about the user's own record is answered by quoting what they said."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from anamnesis.memory.content import ProfileEntry, Said
from anamnesis.memory.record import Memory
from anamnesis.memory.store import Memories
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from graph import Context
from retrievers.index import Index
from tests.graph.conftest import ask, built

ANN = Context(user="ann")
ALLERGY = "I am allergic to penicillin"


@pytest.fixture
def memories(tmp_path: Path) -> Memories:
    kept = Memories(tmp_path / "memory", load_embedder(DEFAULT_EMBEDDER))
    said = [ALLERGY, "I had a stroke in 2019"]
    kept.add(
        "ann",
        [Memory.make(owner="ann", kind="question", content=Said(words=words)) for words in said],
    )
    return kept


def test_it_is_quoted_with_its_date_and_cited_as_the_users_words(
    small_index: Index, memories: Memories
) -> None:
    answer = ask(small_index, memories, "What am I allergic to?", ANN)
    assert (answer["outcome"], answer["reason"]) == ("answered", "remembered")
    [statement] = answer["statements"]
    [source] = answer["sources"]
    [memory] = [memory for memory in memories.all("ann") if ALLERGY in memory.text]
    assert ALLERGY in statement["text"]
    assert str(memory.created.year) in statement["text"]
    assert statement["citations"] == [source["id"]] == [memory.id]
    place = statement["evidence"]
    assert source["text"][place["start"] : place["end"]] == ALLERGY
    assert source["source"] == "Your memory"
    assert source["provenance"] is None
    assert "[1] What you said on" in answer["text"]
    assert memory.recalls == 1


def test_the_profile_is_the_users_word_too(small_index: Index, tmp_path: Path) -> None:
    kept = Memories(tmp_path / "profile", load_embedder(DEFAULT_EMBEDDER))
    words = "I'm a 45 year old woman"
    make = Memory.make
    kept.add(
        "ann",
        [
            make(owner="ann", kind="profile", text="age: 45", words=words),
            make(owner="ann", kind="profile", text="sex: female", words=words),
            make(owner="ann", kind="profile", text="allergy: penicillin"),
        ],
    )
    said = [item["text"] for item in ask(small_index, kept, "How old am I?", ANN)["statements"]]
    assert [words in text for text in said] == [True]
    [statement] = ask(small_index, kept, "What am I allergic to?", ANN)["statements"]
    assert "“allergy: penicillin”" in statement["text"]


def test_what_a_note_and_the_profile_say_is_quoted_once(
    small_index: Index, memories: Memories
) -> None:
    memories.add(
        "ann",
        [Memory.make(owner="ann", kind="profile", text="allergy: penicillin", words=ALLERGY)],
    )
    [statement] = ask(small_index, memories, "What am I allergic to?", ANN)["statements"]
    assert ALLERGY in statement["text"]


def test_it_is_not_stored_as_an_exchange(small_index: Index, memories: Memories) -> None:
    ask(small_index, memories, "What am I allergic to?", ANN.changed({"memory.consent": True}))
    assert {memory.kind for memory in memories.all("ann")} == {"question"}


@pytest.mark.parametrize(
    "question", ["What is asthma?", "Which antibiotic can I take for a sore throat?"]
)
def test_a_medical_question_is_answered_by_documents_alone(
    small_index: Index, memories: Memories, question: str
) -> None:
    answer = ask(small_index, memories, question, ANN)
    assert answer["reason"] != "remembered"
    assert all(source["source"] != "Your memory" for source in answer["sources"])


def test_without_the_users_words_nothing_is_said_of_them(
    small_index: Index, memories: Memories
) -> None:
    question = "What am I allergic to?"
    bob = ask(small_index, memories, question, Context(user="bob"))
    off = ask(small_index, memories, question, ANN.changed({"memory.quote_user": False}))
    nobody = ask(small_index, memories, question, Context())
    for answer in (bob, off, nobody):
        assert answer["reason"] != "remembered"
        assert ALLERGY not in answer["text"]


def test_what_was_inferred_or_noted_by_an_expert_is_not_quoted_as_the_users(
    small_index: Index, tmp_path: Path
) -> None:
    kept = Memories(tmp_path / "other", load_embedder(DEFAULT_EMBEDDER))
    make = Memory.make
    kept.add("ann", [make(owner="ann", kind="question", text="Inferred: allergic to penicillin")])
    note = make(owner="eve", kind="question", scope="expert", content=Said(words="I am allergic"))
    kept.add("eve", [note])
    answer = ask(small_index, kept, "What am I allergic to?", ANN)
    assert answer["reason"] != "remembered"


def test_the_words_of_an_edited_note_are_quoted(small_index: Index, memories: Memories) -> None:
    [note] = [memory for memory in memories.all("ann") if ALLERGY in memory.text]
    memories.edit("ann", note.id, "I am allergic to nuts")
    answer = ask(small_index, memories, "What am I allergic to?", ANN)
    assert "“I am allergic to nuts”" in answer["text"]


def test_the_newer_question_of_a_thread_is_not_answered_by_earlier_words(
    small_index: Index, memories: Memories
) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    graph = built(small_index, None, {}, memories=memories).copy({"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    first = graph.invoke({"question": "What am I allergic to?"}, thread, context=ANN)["answer"]
    assert first["reason"] == "remembered"
    second = graph.invoke({"question": "What is asthma?"}, thread, context=ANN)["answer"]
    assert second["reason"] != "remembered"
    third = graph.invoke({"question": "thanks"}, thread, context=ANN)["answer"]
    assert third["reason"] == "nothing_asked"


def typed(memories: Memories, text: str) -> None:
    memories.add("ann", [Memory.entered("ann", text)])


def test_a_typed_entry_and_a_note_that_say_the_same_are_quoted_once_the_later_one(
    small_index: Index, tmp_path: Path
) -> None:
    kept = Memories(tmp_path / "same", load_embedder(DEFAULT_EMBEDDER))
    make = Memory.make
    entry = ProfileEntry.entered("allergy: penicillin")
    for day, kind, content in ((3, "question", Said(words=ALLERGY)), (9, "profile", entry)):
        at = datetime(2026, 5, day, tzinfo=UTC)
        kept.add("ann", [make(owner="ann", kind=kind, content=content, created=at)])
    answer = ask(small_index, kept, "What am I allergic to?", ANN)
    assert [item["text"] for item in answer["statements"]] == [
        "You said on 9 May 2026: “allergy: penicillin”."
    ]
    assert "does not agree" not in answer["text"]


def test_words_that_say_more_than_a_typed_entry_are_the_ones_quoted(
    small_index: Index, tmp_path: Path
) -> None:
    kept = Memories(tmp_path / "more", load_embedder(DEFAULT_EMBEDDER))
    dose = "I take metformin 500 mg twice a day"
    kept.add("ann", [Memory.make(owner="ann", kind="question", content=Said(words=dose))])
    typed(kept, "medicine: metformin")
    [statement] = ask(small_index, kept, "Which medicines am I on?", ANN)["statements"]
    assert dose in statement["text"]


@pytest.mark.parametrize(
    ("said", "entry", "question"),
    [
        ("I am not allergic to penicillin", "allergy: penicillin", "What am I allergic to?"),
        ("I don't have asthma", "condition: asthma", "Do I have asthma? I told you before"),
        ("I'm a 45 year old man", "age: 61", "How old am I?"),
        ("I'm a 45 year old man", "sex: female", "Which sex did I tell you I am?"),
    ],
)
def test_a_contradiction_between_two_is_said(
    small_index: Index, tmp_path: Path, said: str, entry: str, question: str
) -> None:
    kept = Memories(tmp_path / "other", load_embedder(DEFAULT_EMBEDDER))
    kept.add("ann", [Memory.make(owner="ann", kind="question", content=Said(words=said))])
    typed(kept, entry)
    answer = ask(small_index, kept, question, ANN)
    assert {text for item in answer["statements"] for text in (said, entry)
            if text in item["text"]} == {said, entry}  # fmt: skip
    [note] = [item for item in answer["notes"] if "does not agree" in item]
    assert said in note
    assert entry in note


REMEMBERS = ANN.changed({"memory.consent": True})
HEADACHE = "My head hurts since Tuesday."


@pytest.fixture
def talked(small_index: Index, memories: Memories) -> Memories:
    """The memories after an earlier conversation."""
    ask(small_index, memories, f"{HEADACHE} What are the symptoms of asthma?", REMEMBERS)
    assert "exchange" in {memory.kind for memory in memories.all("ann")}
    return memories


def test_what_the_user_said_in_an_earlier_conversation_is_quoted_and_cited(
    small_index: Index, talked: Memories
) -> None:
    answer = ask(small_index, talked, "What did I tell you about my headache?", ANN)
    [statement] = answer["statements"]
    [source] = answer["sources"]
    [exchange] = talked.all("ann", "exchange")
    assert answer["reason"] == "remembered"
    assert statement["text"].startswith("You said on ")
    assert statement["text"].endswith(f": “{HEADACHE.removesuffix('.')}”.")
    assert (source["id"], source["source"]) == (exchange.id, "Your memory")
    place = statement["evidence"]
    assert source["text"][place["start"] : place["end"]] == HEADACHE


def test_of_an_exchange_only_the_users_part_is_quoted(small_index: Index, talked: Memories) -> None:
    [exchange] = talked.all("ann", "exchange")
    answer = ask(small_index, talked, "What did I ask you about asthma?", ANN)
    assert answer["reason"] == "remembered"
    assert any(
        item["text"].startswith("You asked on ")
        and "“What are the symptoms of asthma?”" in item["text"]
        for item in answer["statements"]
    )
    replied = exchange.text.partition("\n")[2]
    shown = " ".join(item["text"] for item in [*answer["statements"], *answer["sources"]])
    assert replied
    assert replied[:30] not in shown


def test_a_medical_question_is_not_answered_from_an_earlier_conversation(
    small_index: Index, talked: Memories
) -> None:
    answer = ask(small_index, talked, "What are the symptoms of asthma?", ANN)
    assert answer["reason"] != "remembered"
    assert all(source["source"] != "Your memory" for source in answer["sources"])


def test_a_question_says_nothing_about_the_user(small_index: Index, tmp_path: Path) -> None:
    kept = Memories(tmp_path / "asked", load_embedder(DEFAULT_EMBEDDER))
    asked = "Am I allergic to penicillin?"
    kept.add("ann", [Memory.make(owner="ann", kind="exchange", text=f"{asked}\nNo.", words=asked)])
    answer = ask(small_index, kept, "What am I allergic to?", ANN)
    assert answer["reason"] != "remembered"


def test_a_question_contradicts_nothing(small_index: Index, tmp_path: Path) -> None:
    kept = Memories(tmp_path / "asked", load_embedder(DEFAULT_EMBEDDER))
    asked, said = "Do I have asthma?", "I don't have asthma"
    make = Memory.make
    kept.add("ann", [make(owner="ann", kind="exchange", text=f"{asked}\nNo.", words=asked)])
    kept.add("ann", [make(owner="ann", kind="question", content=Said(words=said))])
    answer = ask(small_index, kept, "What did I ask you about asthma?", ANN)
    assert any(asked in item["text"] for item in answer["statements"])
    assert not [item for item in answer["notes"] if "does not agree" in item]
