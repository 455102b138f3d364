"""The project's own questions over the starter corpus, and how they are read."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.corpus.topics import is_held_out
from anamnesis.errors import CorpusError
from anamnesis.language.text import sentences
from training import question_passages
from training.examples import json_lines

STARTER = {record.id: record for record in read_starter()}
ROW = {
    "id": "one", "record": next(iter(STARTER)), "heading": "h", "sentences": ["a", "b"],
    "style": "specific", "question": "is it?", "answers": [2], "polar": "yes",
}  # fmt: skip


def write(path: Path, lines: list[str]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder without a question; the project's own files are not there either."""
    for name in ("asked", "asked_passages", "asked_starter"):
        write(tmp_path / f"{name}.jsonl.gz", [])
    monkeypatch.setattr(question_passages, "OWN", tmp_path / "none")
    return tmp_path


def test_every_row_stands_on_a_record_that_is_trained_on() -> None:
    rows: list[dict[str, Any]] = list(json_lines(question_passages.OWN_STARTER))
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({row["question"].casefold() for row in rows}) == len(rows)
    for row in rows:
        record = STARTER[row["record"]]
        assert not is_held_out(record)
        assert row["heading"] == record.question
        assert row["sentences"] == [record.text[a:b] for a, b in sentences(record.text)]
        assert all(1 <= place <= len(row["sentences"]) for place in row["answers"])
        assert bool(row["answers"]) == (row["style"] != "nearmiss")
        assert row["polar"] in (None, "yes", "no", "depends")
    near = sum(row["style"] == "nearmiss" for row in rows)
    assert near >= len(rows) / 3


def test_the_rows_are_read_with_the_others(folder: Path) -> None:
    found = question_passages.read_question_passages(folder)
    assert len(found) == len(list(json_lines(question_passages.OWN_STARTER)))
    assert not any(question.held_out for question in found)
    assert {question.style for question in found} == {"search", "message", "specific", "nearmiss"}


def test_a_row_keeps_its_sentences_and_its_records_topic(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        question_passages, "OWN_STARTER", write(folder / "own.gz", [json.dumps(ROW)])
    )
    [question] = question_passages.read_question_passages(folder)
    assert (question.passage, question.sentences) == (ROW["record"], ("a", "b"))
    assert question.answers == {1}
    assert (question.topic, question.polar) == (STARTER[question.passage].focus, "yes")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (json.dumps({**ROW, "record": "gone"}), "line 2: the starter corpus has no record 'gone'"),
        ("{", "line 2: not JSON"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, line: str, expected: str
) -> None:
    path = write(folder / "own.gz", [json.dumps(ROW), line])
    monkeypatch.setattr(question_passages, "OWN_STARTER", path)
    with pytest.raises(CorpusError, match=expected):
        question_passages.read_question_passages(folder)
