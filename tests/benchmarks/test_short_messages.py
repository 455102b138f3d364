"""The messages that the triage is judged by: well-formed, and none that it is trained on."""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from anamnesis.models.reading import URGENCY_LEVELS
from evaluation.urgency import read_messages
from training.examples import json_lines
from training.urgent import AMOUNTS, EVERYDAY, OWN, SHORT, asked_as, typed_questions

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
    assert len(rows) == 705
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


@pytest.mark.parametrize("name", ["short", "further", "everyday", "phone", "amount", "week"])
def test_no_message_is_trained_on(name: str) -> None:
    rows = [row for file in (OWN, SHORT) for row in json_lines(file)]
    for file in (EVERYDAY, AMOUNTS):
        with file.open(encoding="utf-8", newline="") as lines:
            rows += csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    trained = {words(row["text"]) for row in [*rows, *asked_as(), *typed_questions()]}
    assert len(trained) > 20_000
    found = read_messages(BENCHMARKS / f"{name}_messages.jsonl")
    assert not [message.text for message in found if words(message.text) in trained]
