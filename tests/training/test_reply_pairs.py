"""Pairs of replies for the critic."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from anamnesis.corpus.topics import is_held_out_topic
from training.examples import Example
from training.replies import replies

KNOWN, ASIDE = (
    next(name for name in (f"topic {n}" for n in range(50)) if is_held_out_topic(name) == held)
    for held in (False, True)
)
ROW: dict[str, Any] = {
    "id": "1", "passage": "p", "style": "search", "question": "gout", "answers": [2], "polar": None,
    "reply": "Yes. Cherries may help.", "wrong": "Yes. Cherries cure it.", "denied": False,
}  # fmt: skip
SENTENCES = ["Gout is a kind of arthritis.", "Some people find that cherries help."]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    def write(name: str, rows: list[dict[str, Any]]) -> None:
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    passage = {"passage": "p", "record": "r", "focus": KNOWN, "heading": "", "sentences": SENTENCES}
    write("asked_passages", [passage, passage | {"passage": "q", "focus": ASIDE}])
    miss = ROW | {"id": "2", "answers": [], "reply": None, "wrong": None, "denied": None}
    two = ROW | {"id": "3", "wrong": "Cherries cure it. So does rest.", "denied": True}
    write("asked", [ROW, miss, two, ROW | {"id": "4", "passage": "q", "reply": "They help."}])
    write("asked_starter", [])
    return tmp_path


def test_replies_are_paired_sentence_by_sentence_with_passage_and_answer(folder: Path) -> None:
    whole, answer = " ".join(SENTENCES), SENTENCES[1]
    faithful = [
        Example(premise, text, label="entailment")
        for premise in (whole, answer)
        for text in ("Yes.", "Cherries may help.")
    ]
    found = replies(folder)
    # What both replies have, and of two changed sentences either, may be true: neither is an error.
    wrong = [Example(premise, "Cherries cure it.", label="neutral") for premise in (whole, answer)]
    assert sorted(found, key=str) == sorted([*faithful, *wrong, *faithful], key=str)


def test_topics_held_out_are_apart(folder: Path) -> None:
    assert {reply.second for reply in replies(folder, held_out=True)} == {"They help."}
