"""Messages and their kinds as the triage learns them."""

import gzip
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.errors import CorpusError
from anamnesis.models.reading import URGENCY_KINDS, URGENCY_LEVELS
from training import urgent
from training.question_passages import OWN as OWN_ASKED
from training.question_passages import QuestionPassage
from training.urgent import OWN, SHORT, STORIES, kind_of, stories, typed


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
