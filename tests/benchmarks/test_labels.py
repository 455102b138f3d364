"""The judged claims of small models."""

import json
from pathlib import Path

import pytest

from evaluation.questions import ANSWERABLE, UNANSWERABLE

FILES = sorted((Path(__file__).parents[2] / "benchmarks").glob("claims_*.jsonl"))


def test_there_are_two_models() -> None:
    assert [file.stem for file in FILES] == ["claims_qwen", "claims_smollm2"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_claim_of_a_model_is_judged(file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert {row["question"] for row in rows} == {*ANSWERABLE, *UNANSWERABLE}
    for row in rows:
        assert row["answerable"] == (row["question"] in ANSWERABLE)
        if row["statement"] is not None:
            assert row["supported"] in (True, False, "no claim")
            assert len(row["passages"]) > 0
