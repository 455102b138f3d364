"""The answers that were read, and when one has to be read again."""

from typing import Any, cast

from benchmarks.read_answers import changed, rows
from nodes.state import Answer

ERRORS = {"general", "aspect", "similar"}
KINDS = {"useful", "poor", "misleading", "silent-right", "silent-near", "alarm-false"}


def answer(outcome: str, *cited: str) -> Answer:
    return cast(Answer, {"outcome": outcome, "statements": [{"citations": list(cited)}]})


def test_a_hundred_answers_were_read() -> None:
    every = rows()
    assert len({row["id"] for row in every}) == len(every) == 100
    assert {row["judgement"] for row in every} <= KINDS
    for row in every:
        assert (row.get("error") in ERRORS) == (row["judgement"] == "poor")
        assert bool(row["cited"]) == (row["outcome"] in ("answered", "partial"))


def test_an_answer_is_another_one_by_its_outcome_or_its_sources() -> None:
    row: dict[str, Any] = {"outcome": "answered", "cited": ["a", "b"]}
    assert not changed(row, answer("answered", "b", "a"))
    assert changed(row, answer("answered", "a"))
    assert changed(row, answer("partial", "a", "b"))
