"""The judged passages: which messages their ids name, and what a further row adds."""

import gzip
import json
from pathlib import Path

import pytest

from anamnesis.errors import CorpusError
from training import judged


def rows(*found: dict[str, object]) -> bytes:
    return gzip.compress("".join(json.dumps(row) + "\n" for row in found).encode())


PASSAGE = {"record": "starter-burns-first-aid", "spans": [[0, 94]], "grade": 3, "answers": [1],
           "polar": None}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def records(folder: Path, name: str) -> list[dict[str, str]]:
        return {
            "medical_question_pairs": [
                {"id": "mqp-1", "question_1": "how to get rid of warts", "question_2": "warts?"}
            ],
            "rqe": [{"id": "rqe-1", "question": "What helps against warts?"}],
        }.get(name, [])

    monkeypatch.setattr(judged, "records", records)
    monkeypatch.setattr(judged, "medquad", lambda folder: [])
    monkeypatch.setattr(judged, "OWN", tmp_path / "judged.jsonl.gz")
    return tmp_path


def test_ids_name_both_questions_of_a_pair_and_further_rows_have_no_level(folder: Path) -> None:
    judged.OWN.write_bytes(
        rows(
            {"id": "mqp-1", "level": "routine", "passages": [PASSAGE]},
            {"id": "mqp-1", "level": "", "passages": [PASSAGE | {"grade": 0, "answers": []}]},
            {"id": "mqp-1#2", "level": "routine", "passages": []},
            {"id": "rqe-1", "level": "urgent", "passages": []},
        )
    )
    found = judged.read_judged(folder)
    assert [item.message for item in found] == [
        "how to get rid of warts", "how to get rid of warts", "warts?", "What helps against warts?"
    ]  # fmt: skip
    assert found[0].held_out == found[2].held_out
    made = judged.judged_readings(found, seed=1)
    assert [item.level for item in made if item.level] == ["routine", "routine", "urgent"]
    assert [item.relevance for item in made if item.pieces] == [1.0, 0.0]


def test_a_row_with_its_own_message_needs_no_data_set(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl.gz"
    row = {"id": "typed-1", "message": "hot water on my hand", "level": "routine"}
    other.write_bytes(rows(row | {"passages": [PASSAGE | {"relevance": 0.4}]}))
    [found] = judged.read_judged(folder, other)
    assert found.message == "hot water on my hand"
    assert [item.relevance for item in found.passages] == [0.4]


def test_a_row_on_an_unknown_message_is_named(folder: Path) -> None:
    judged.OWN.write_bytes(rows({"id": "mqp-7", "level": "routine", "passages": []}))
    with pytest.raises(CorpusError, match=r"line 1: there is no record 'mqp-7'"):
        judged.read_judged(folder)
