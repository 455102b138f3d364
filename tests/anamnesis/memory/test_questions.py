"""Questions that wait for an expert: kept with consent, decided, and deleted with every byte."""

import sqlite3
from pathlib import Path
from time import time

import pytest

from anamnesis.errors import MemoryFolderError, SettingError
from anamnesis.memory.encryption import KEY, new_key
from anamnesis.memory.questions import Question, Questions
from anamnesis.memory.resealing import reseal
from anamnesis.memory.store import Memories
from tests.fakes import HashEmbedder

TULAREMIA = "How is tularemia treated?"


@pytest.fixture
def questions(folder: Path) -> Questions:
    return Questions(folder)


def ask(questions: Questions, text: str = TULAREMIA, owner: str = "ann") -> Question:
    found = questions.ask(owner, text, "abstained", "Not found.")
    assert found
    return found


def test_the_same_question_is_counted_and_not_stored_twice(questions: Questions) -> None:
    first = ask(questions)
    again = ask(questions, "how is  TULAREMIA treated?")
    assert (again.id, again.times) == (first.id, 2)
    assert ask(questions, owner="bob").id != first.id
    assert [question.times for question in questions.all("waiting")] == [2, 1]
    assert [question.id for question in questions.of("ann")] == [first.id]


def test_a_decision_is_stored_with_who_made_it_and_its_owner_is_informed_once(
    questions: Questions,
) -> None:
    waiting = ask(questions)
    decided = questions.decide(waiting.id, "eve", "answered", note="Doxycycline.", answer="See.")
    assert (decided.by, decided.note, decided.answer) == ("eve", "Doxycycline.", "See.")
    assert questions.all("waiting") == []
    questions.inform("bob", [waiting.id])
    assert not questions.get(waiting.id).seen
    questions.inform("ann", [waiting.id])
    assert questions.get(waiting.id).seen
    # Asked again it stays answered; one that was dismissed waits again.
    assert ask(questions).state == "answered"
    questions.decide(waiting.id, "eve", "dismissed")
    assert ask(questions).state == "waiting"


def test_what_is_wrong_is_refused(questions: Questions) -> None:
    with pytest.raises(SettingError, match="there is no question"):
        questions.get("0" * 32)
    with pytest.raises(SettingError, match="this one is blank"):
        questions.ask("ann", " ", "abstained", "")
    with pytest.raises(SettingError, match="need an owner"):
        questions.ask(" ", TULAREMIA, "abstained", "")
    question = ask(questions)
    with pytest.raises(SettingError, match="which expert"):
        questions.decide(question.id, " ", "answered")
    with pytest.raises(SettingError, match="there is no question"):
        questions.decide("0" * 32, "eve", "answered")
    with pytest.raises(SettingError, match="note: String should have at most 8000"):
        questions.decide(question.id, "eve", "answered", note="a" * 8001)
    with pytest.raises(SettingError, match="there is no question"):
        questions.delete("bob", [question.id])
    assert questions.get(question.id) == question


def test_with_all_that_is_stored_of_a_user_their_questions_go(
    folder: Path, questions: Questions
) -> None:
    ask(questions)
    bobs = ask(questions, "How is plague treated?", "bob")
    memories = Memories(folder, HashEmbedder())
    begun = time() - 1
    memories.delete("ann")
    assert questions.of("ann") == []
    assert [question.id for question in questions.all()] == [bobs.id]
    assert b"tularemia" not in (folder / "memories.sqlite").read_bytes()
    # A run that began before the deletion brings nothing back.
    assert questions.ask("ann", TULAREMIA, "abstained", "", begun) is None
    assert questions.of("ann") == []


def test_a_single_question_is_deleted_with_every_byte(folder: Path, questions: Questions) -> None:
    question = ask(questions)
    assert questions.delete("ann", []) == 0
    assert questions.delete("ann", [question.id]) == 1
    assert b"tularemia" not in (folder / "memories.sqlite").read_bytes()
    lines = Memories(folder, HashEmbedder()).audit("ann")
    assert [line["what"] for line in lines] == ["ask experts", "delete"]


def test_no_user_has_more_than_the_most_and_decided_ones_go_first(
    questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis.memory.questions._MOST", 2)
    first, second = ask(questions, "one"), ask(questions, "two")
    questions.decide(second.id, "eve", "answered")
    third = ask(questions, "three")
    assert {question.id for question in questions.of("ann")} == {first.id, third.id}


def test_questions_are_encrypted_as_memories_are(
    folder: Path, questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = ask(questions)
    monkeypatch.setenv(KEY, new_key())
    assert reseal(folder, "encrypt") == 1
    assert b"tularemia" not in (folder / "memories.sqlite").read_bytes()
    assert questions.get(question.id) == question
    assert ask(questions).times == 2
    assert reseal(folder, "decrypt") == 1
    monkeypatch.delenv(KEY)
    assert ask(questions).times == 3


def test_a_damaged_question_is_named(folder: Path, questions: Questions) -> None:
    question = ask(questions)
    with sqlite3.connect(folder / "memories.sqlite") as base:
        base.execute("update questions set record = '{}'")
    with pytest.raises(MemoryFolderError, match=f"question {question.id} cannot be read"):
        questions.get(question.id)


def test_a_damaged_question_keeps_nobody_from_the_others_and_can_be_deleted(
    folder: Path, questions: Questions
) -> None:
    broken = ask(questions)
    other, bobs = ask(questions, "What is plague?"), ask(questions, "What is gout?", "bob")
    with sqlite3.connect(folder / "memories.sqlite") as base:
        base.execute("update questions set record = '{' where id = ?", [broken.id])
    assert {question.id for question in questions.all()} == {other.id, bobs.id}
    assert [question.id for question in questions.of("ann")] == [other.id]
    questions.inform("ann", [broken.id, other.id])
    assert questions.get(other.id).seen
    with pytest.raises(SettingError, match="there is no question"):
        questions.delete("bob", [broken.id])
    assert questions.delete("ann", [broken.id]) == 1
    assert questions.ids("ann") == [other.id]


def test_a_key_is_refused_where_nothing_but_questions_is_stored_in_plain_text(
    folder: Path, questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = ask(questions)
    monkeypatch.setenv(KEY, new_key())
    with pytest.raises(MemoryFolderError, match="are not encrypted; encrypt them"):
        questions.of("ann")
    assert reseal(folder, "encrypt") == 1
    assert b"tularemia" not in (folder / "memories.sqlite").read_bytes()
    assert questions.of("ann") == [question]
