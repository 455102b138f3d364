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

STARTER = {own.id: own for own in read_starter()}
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
    assert len({own["id"] for own in rows}) == len(rows)
    assert len({own["question"].casefold() for own in rows}) == len(rows)
    for own in rows:
        record = STARTER[own["record"]]
        assert not is_held_out(record)
        assert own["heading"] == record.question
        assert own["sentences"] == [record.text[a:b] for a, b in sentences(record.text)]
        assert all(1 <= place <= len(own["sentences"]) for place in own["answers"])
        assert bool(own["answers"]) == (own["style"] != "nearmiss")
        assert own["polar"] in (None, "yes", "no", "depends")
    near = sum(own["style"] == "nearmiss" for own in rows)
    assert near >= len(rows) / 3


def test_the_rows_are_read_with_the_others(folder: Path) -> None:
    found = question_passages.read_question_passages(folder)
    assert len(found) == len(list(json_lines(question_passages.OWN_STARTER)))
    assert not any(own.held_out for own in found)
    assert {own.style for own in found} == {"search", "message", "specific", "nearmiss"}


def test_a_row_keeps_its_sentences_and_its_records_topic(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        question_passages, "OWN_STARTER", write(folder / "own.gz", [json.dumps(ROW)])
    )
    [own] = question_passages.read_question_passages(folder)
    assert (own.passage, own.sentences) == (ROW["record"], ("a", "b"))
    assert own.answers == {1}
    assert (own.topic, own.polar) == (STARTER[own.passage].focus, "yes")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (json.dumps({**ROW, "record": "gone"}), "line 2: the starter corpus has no record 'gone'"),
        ("{", "line 2: not JSON"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, line: str, told: str
) -> None:
    own = write(folder / "own.gz", [json.dumps(ROW), line])
    monkeypatch.setattr(question_passages, "OWN_STARTER", own)
    with pytest.raises(CorpusError, match=told):
        question_passages.read_question_passages(folder)
