"""Messages and their kinds as the triage learns them."""

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.starter import read_starter
from anamnesis.errors import CorpusError
from anamnesis.models.reading import URGENCY_KINDS, URGENCY_LEVELS
from benchmarks.triage import LATER
from training import urgent
from training.question_passages import OWN as OWN_ASKED
from training.question_passages import QuestionPassage
from training.urgent import (
    ASKED_LEVELS,
    OWN,
    SHORT,
    STORIES,
    asked_as,
    kind_of,
    stories,
    typed,
    typed_questions,
)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("stroke", "medical"),
        ("suicidal_plan", "self-harm"),
        ("overdose_paracetamol", "poisoning"),
        ("eclampsia", "pregnancy"),
        ("newborn_fever", "child"),
        ("medical_burn_chemical", "medical"),
        ("selfharm_hint", "self-harm"),
        ("child_metabolic", "child"),
    ],
)
def test_kinds_are_read_from_the_names_that_the_data_use(name: str, kind: str) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize("file", [OWN, SHORT])
def test_messages_written_for_the_project_are_whole(file: Path) -> None:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        messages = [json.loads(line) for line in lines]
    assert {message["level"] for message in messages} == set(URGENCY_LEVELS)
    assert {kind_of(message["kind"]) for message in messages} <= set(URGENCY_KINDS)
    texts = [message["text"].casefold() for message in messages]
    assert all(text.strip() for text in texts)
    if file == SHORT:
        assert len(set(texts)) == len(texts)
        routine = sum(message["level"] == "routine" for message in messages)
        assert 0.4 < routine / len(messages) < 0.6


def test_the_projects_own_questions_are_whole() -> None:
    with gzip.open(OWN_ASKED, "rt", encoding="utf-8") as lines:
        asked = [json.loads(line) for line in lines]
    for question in asked:
        assert all(1 <= place <= len(question["spans"]) for place in question["answers"])
        assert bool(question["answers"]) == (question["style"] != "nearmiss")
        assert question["polar"] in (None, "yes", "no", "depends")


def asked(passage: str, style: str = "message") -> QuestionPassage:
    return QuestionPassage(
        f"{style} on {passage}", passage, "t", "", ("a",), frozenset(), None, style
    )


def test_a_question_with_a_story_has_the_level_that_was_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "levels.jsonl"
    file.write_text('{"passage": "1", "level": "urgent"}\n', encoding="utf-8")
    monkeypatch.setattr(urgent, "STORIES", file)
    [one] = stories([asked("1"), asked("1", "search"), asked("1"), asked("2")])
    assert (one.question, one.level, one.pieces) == ("message on 1", "urgent", ())
    file.write_text('{"passage": "1", "level": "urgent"}\n{"passage": "2"}\n', encoding="utf-8")
    with pytest.raises(CorpusError, match=r"levels\.jsonl, line 2"):
        stories([asked("1")])


def test_each_story_was_judged_once() -> None:
    rows = [json.loads(line) for line in STORIES.read_text(encoding="utf-8").splitlines()]
    assert len({row["passage"] for row in rows}) == len(rows) > 900
    assert {row["level"] for row in rows} == set(URGENCY_LEVELS)


def test_a_question_in_other_words_has_the_level_of_its_letter(tmp_path: Path) -> None:
    record = next(read_starter())
    texts = record.metadata["asked_as"]
    assert isinstance(texts, Sequence)
    file = tmp_path / "levels.tsv"
    file.write_text(f"record\tlevels\n{record.id}\trh-c\n", encoding="utf-8")
    assert [(row["text"], row["level"], row["kind"]) for row in asked_as(file)] == [
        (texts[0], "routine", ""),
        (texts[1], "urgent", "self-harm"),
        (texts[3], "emergency", "child"),
    ]


@pytest.mark.parametrize("row", ["{id}\trrr", "{id}\trrrx", "{id}\trrrrr", "unknown\trrrr"])
def test_wrong_letters_are_refused_with_their_line(tmp_path: Path, row: str) -> None:
    file = tmp_path / "levels.tsv"
    line = row.format(id=next(read_starter()).id)
    file.write_text(f"record\tlevels\n{line}\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"levels\.tsv, line 2"):
        asked_as(file)


def test_a_typed_question_has_the_level_of_its_letter(tmp_path: Path) -> None:
    file = tmp_path / "levels.tsv"
    file.write_text("id\tlevel\nweek-qa001\tr\nweek-qa002\t-\nweek-qa003\tp\n", encoding="utf-8")
    routine, poisoned = typed_questions(file)
    assert routine["text"].startswith("norethisterone delay period")
    assert (routine["level"], poisoned["level"], poisoned["kind"]) == (
        "routine", "emergency", "poisoning",
    )  # fmt: skip


@pytest.mark.parametrize("row", ["week-qa001\tx", "unknown\tr"])
def test_a_typed_question_that_is_wrong_is_refused_with_its_line(tmp_path: Path, row: str) -> None:
    file = tmp_path / "levels.tsv"
    file.write_text(f"id\tlevel\n{row}\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"levels\.tsv, line 2"):
        typed_questions(file)


def test_typed_questions_are_judged_once_and_most_are_routine() -> None:
    found = typed_questions()
    assert len({row["text"].casefold() for row in found}) == len(found) > 4_500
    assert 0.85 < sum(row["level"] == "routine" for row in found) / len(found) < 0.95


def test_each_record_is_judged_for_training_or_for_measuring() -> None:
    trained, later = ({row["text"] for row in asked_as(file)} for file in (ASKED_LEVELS, LATER))
    assert len(trained) > 5_000
    assert len(later) > 1_000
    assert not trained & later


@given(st.text("abcdefg h'i,.?!", min_size=1).filter(lambda text: text.strip()), st.integers(0, 99))
def test_what_is_typed_otherwise_keeps_its_letters(text: str, seed: int) -> None:
    def letters(of: str) -> list[str]:
        return sorted(text for text in of if text.isalpha())

    found = typed(text, random.Random(seed))
    assert letters(found) == letters(text)
    assert found == typed(text, random.Random(seed))
    assert len(found.split(" ")) <= len(text.split(" "))


def test_most_lose_the_mark_at_their_end() -> None:
    ends = [typed("I can't sleep.", random.Random(seed))[-1] for seed in range(200)]
    assert 0.6 < sum(last != "." for last in ends) / len(ends) < 0.9
