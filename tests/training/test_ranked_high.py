"""The stage of the reader that learns from its own errors: which passages it learns from."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from training import ranked_high
from training.judged import RANKED_HIGH, Graded, Judged
from training.question_passages import Reading


def passage(topic: str, grade: int, relevance: float) -> Graded:
    return Graded(topic, ("What is it?", f"{topic}."), grade, frozenset(), None, relevance)


MESSAGES = [
    Judged(f"typed-{number}", f"question {number}", "", "routine", ()) for number in range(300)
]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Reading]:
    def judged(data: Path, path: Path | None = None) -> list[Judged]:
        if path is None:
            return []
        return [replace(item, passages=passages) for item in MESSAGES]

    passages = (passage("gout", 0, 0.4), passage("croup", 0, 0.01), passage("mumps", 1, 0.01))
    monkeypatch.setattr(ranked_high, "read_judged", judged)
    monkeypatch.setattr(ranked_high.question_passages, "read_question_passages", lambda data: [])
    monkeypatch.setattr(ranked_high.urgent, "messages", lambda data: [])
    for name in ("graded_answers", "collections"):
        monkeypatch.setattr(ranked_high.relevance, name, lambda *_: [])
    return ranked_high.ranked_high(Path(), seed=1)


def test_obvious_passages_are_thinned_out_and_others_are_kept(drawn: list[Reading]) -> None:
    judgements = [item for item in MESSAGES if not item.held_out]
    numbers = {
        topic: sum(f"{topic}." in item.pieces for item in drawn)
        for topic in ("gout", "croup", "mumps")
    }
    assert numbers["gout"] == numbers["mumps"] == len(judgements)
    assert 0.25 < numbers["croup"] / len(judgements) < 0.55


def test_the_held_out_messages_are_not_drawn(drawn: list[Reading]) -> None:
    aside = {item.id.removeprefix("typed-") for item in MESSAGES if item.held_out}
    assert aside
    assert not [item for item in drawn if item.question.removeprefix("question ") in aside]


def test_the_shipped_rows_are_valid() -> None:
    """Real messages are named by their ids; those written for the project are in the rows."""
    with gzip.open(RANKED_HIGH, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert ("message" in row) == row["id"].startswith("typed-")
        for item in row["passages"]:
            assert item["grade"] in range(4)
            assert 0 <= item["relevance"] <= 1
            assert all(1 <= place <= len(item["spans"]) for place in item["answers"])
            assert not item["answers"] or item["grade"] > 1
            assert item["polar"] in (None, "yes", "no", "depends", "open")
