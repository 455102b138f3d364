"""The messages that the triage is judged by: well-formed, and none that it is trained on."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from anamnesis.models.reading import URGENCY_LEVELS
from evaluation.urgency import read_messages
from training.examples import json_lines
from training.urgent import OWN

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FILE = BENCHMARKS / "short_messages.jsonl"
FURTHER = BENCHMARKS / "further_messages.jsonl"
PHONE = BENCHMARKS / "phone_messages.jsonl"


def test_each_message_has_a_level_a_kind_and_a_form() -> None:
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert all(set(row) == {"text", "level", "kind", "form"} for row in rows)
    assert all(row["kind"] and row["text"] == row["text"].strip() for row in rows)
    assert len({row["text"].casefold() for row in rows}) == len(rows)
    number = Counter((row["form"], row["level"]) for row in rows)
    assert set(number) == {(form, level) for form in ("short", "story") for level in URGENCY_LEVELS}
    assert max(len(row["text"].split()) for row in rows if row["form"] == "short") <= 30
    assert min(len(row["text"].split()) for row in rows if row["form"] == "story") >= 30


def test_each_further_message_has_them_too() -> None:
    rows = [json.loads(line) for line in FURTHER.read_text(encoding="utf-8").splitlines()]
    assert all(set(row) == {"text", "level", "kind", "form"} for row in rows)
    assert len({row["text"].casefold() for row in rows}) == len(rows)
    number = Counter((row["form"], row["level"]) for row in rows)
    forms = ("typical", "question")
    assert set(number) == {(form, level) for form in forms for level in URGENCY_LEVELS}


def test_messages_from_a_phone_are_short() -> None:
    rows = [json.loads(line) for line in PHONE.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 707
    assert all(row["kind"] for row in rows)
    assert len({row["text"].casefold() for row in rows}) == len(rows)
    assert {row["level"] for row in rows} == set(URGENCY_LEVELS)
    assert all(2 <= len(row["text"].split()) <= 14 for row in rows)


@pytest.mark.parametrize("file", [FILE, FURTHER, PHONE])
def test_the_protocol_reads_every_message(file: Path) -> None:
    assert len(read_messages(file)) == len(file.read_text(encoding="utf-8").splitlines())


def words(text: str) -> str:
    """The text as it reads without case and marks, so that a comma hides no repetition."""
    return " ".join(re.findall(r"\w+", text.casefold()))


@pytest.mark.parametrize("file", [FILE, FURTHER, PHONE])
def test_no_message_is_trained_on(file: Path) -> None:
    trained = set()
    for written in OWN.parent.glob("*.jsonl.gz"):
        rows = list(json_lines(written))
        trained |= {words(row["text"]) for row in rows if {"text", "level"} <= set(row)}
    assert len(trained) > 3000
    assert not [message.text for message in read_messages(file) if words(message.text) in trained]
