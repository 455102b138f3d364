"""What was judged by hand: claims of small models, misspelt words."""

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.questions import ANSWERABLE
from benchmarks.spelling import judged
from evaluation.questions import UNANSWERABLE

FILES = sorted((Path(__file__).parents[2] / "benchmarks").glob("claims_*.jsonl"))


def test_there_are_three_models() -> None:
    assert [file.stem for file in FILES] == ["claims_qwen", "claims_smollm2", "claims_strong"]


def test_errors_were_put_into_claims_of_the_large_model() -> None:
    rows = [json.loads(line) for line in FILES[-1].read_text("utf-8").splitlines()]
    kinds = Counter(row["kind"] for row in rows)
    assert (kinds.pop("written"), sum(kinds.values()), len(kinds)) == (386, 120, 8)
    assert all(row["supported"] is False for row in rows if row["kind"] != "written")
    assert all(row["passages"] for row in rows)


@pytest.mark.parametrize("file", FILES[:2], ids=lambda file: file.stem)
def test_every_claim_of_a_model_is_judged(file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert {row["question"] for row in rows} == {*ANSWERABLE, *UNANSWERABLE}
    for row in rows:
        assert row["answerable"] == (row["question"] in ANSWERABLE)
        if row["statement"] is not None:
            assert row["supported"] in (True, False, "no claim")
            assert len(row["passages"]) > 0


def test_misspelt_words_are_judged_once_each_within_a_part() -> None:
    rows = judged()
    assert len({(row["part"], row["word"]) for row in rows}) == len(rows) == 633
    parts = [row["part"] for row in rows]
    assert {part: parts.count(part) for part in parts} == {
        "chosen on": 200,
        "messages": 200,
        "medicines": 233,
    }
    for row in rows:
        others = {*row["right"].split(","), *row["harmless"].split(",")} - {""}
        assert row["word"] not in others
        assert all(word == word.lower() and word.isalpha() for word in {row["word"], *others})
