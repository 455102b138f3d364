"""The step that lost a question, by hand."""

import gzip
import json
from pathlib import Path
from typing import Any, cast

import pytest

from anamnesis.corpus.topics import is_held_out_topic
from benchmarks import misses
from benchmarks.misses import LostQuestion, is_right, lost_at, table
from evaluation.reading import Query, read_queries
from nodes.state import State
from training.examples import json_lines
from training.judged import FIRST_PAGES, OWN, RANKED_HIGH

GOOD, BAD = "gout", "cough"


def state(
    *order: str,
    relevance: float = 0.9,
    quoted: str = "",
    verdict: str = "supported",
    **changes: Any,
) -> State:
    """A run that read these records, the first with this relevance, and quoted one of them."""
    items = [
        {"id": f"{name}#0", "record_id": name, "relevance": relevance if not place else 0.1}
        for place, name in enumerate(order)
    ]
    statements = [{"citations": [f"{quoted}#0"], "verdict": verdict}] if quoted else []
    shown = [{"citations": [quoted]}] if quoted and verdict == "supported" else []
    made = {
        "queries": ["q"], "urgency": {"level": "routine"}, "hits": items, "read": items,
        "selected": items,
        "rounds": [{"statements": statements}], "answer": {"statements": shown},
    }  # fmt: skip
    return cast(State, made | changes)


@pytest.mark.parametrize(
    ("run", "step"),
    [
        (state(urgency={"level": "emergency"}), misses.EMERGENCY),
        (state(), misses.OTHER),
        (state(BAD), misses.SEARCH),
        (state(BAD, queries=["deep"]), misses.DEPTH),
        (state(BAD, GOOD, queries=["deep"], read=[{"id": f"{BAD}#0"}]), misses.DEPTH),
        (state(BAD, GOOD, quoted=BAD), misses.ANOTHER),
        (state(BAD, GOOD), misses.ANOTHER),
        (state(GOOD, BAD, relevance=0.4), misses.RELEVANCE),
        (state(GOOD, BAD), misses.SENTENCE),
        (state(GOOD, BAD, quoted=GOOD, verdict="unsupported"), misses.CHECK),
    ],
)
def test_a_question_is_lost_at_the_first_step_that_fails(run: State, step: str) -> None:
    def searched(state: State) -> set[str]:
        return {GOOD} if state["queries"] == ["deep"] else set()

    assert lost_at(run, {GOOD}, searched, 0.41) == step


def test_held_out_questions_that_a_page_answers_are_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def row(number: int, *grades: int) -> dict[str, Any]:
        pages = [
            {"record": record, "spans": [[0, 20]], "grade": grade, "answers": [], "polar": None}
            for record, grade in zip(
                ("starter-burns-first-aid", "starter-gout-treatment"), grades, strict=True
            )
        ]
        return {"id": f"week-{number}", "message": f"burn {number}", "level": "", "passages": pages}

    aside = [number for number in range(200) if is_held_out_topic(f"week-{number}")]
    rows = [row(number, 0, 3) for number in range(200)]
    rows[aside[0]] = row(aside[0], 1, 0)
    trained = next(number for number in range(200) if number not in aside)
    rows[aside[1]]["message"] = rows[trained]["message"].upper()
    file = tmp_path / "pages.jsonl.gz"
    file.write_bytes(gzip.compress("".join(json.dumps(each) + "\n" for each in rows).encode()))
    monkeypatch.setattr(misses, "FIRST_PAGES", file)
    for name in ("medquad", "records"):
        monkeypatch.setattr(f"training.judged.{name}", lambda *_: [])
    every = misses.typed_questions(tmp_path)
    assert [item.id for item in every] == [f"week-{aside[0]}", *map("week-{}".format, aside[2:])]
    asked = misses.answerable(every)
    assert [item.id for item in asked] == [f"week-{number}" for number in aside[2:]]
    assert asked[0].relevant == {"starter-burns-first-aid": 0, "starter-gout-treatment": 3}
    file = tmp_path / "sets" / "queries.jsonl"
    misses.write_queries(file, every)
    assert list(read_queries(file, graded=True)) == every


def test_further_questions_are_real_messages_and_questions_written_for_pages() -> None:
    rows = list(json_lines(misses.FURTHER))
    files = (OWN, FIRST_PAGES, RANKED_HIGH)
    trained = {row["id"] for path in files for row in json_lines(path)}
    assert len({row["id"] for row in rows}) == len(rows) > 1_300
    assert trained.isdisjoint(row["id"] for row in rows)
    for row in rows:
        assert ("message" in row) == (":" in row["id"])
        assert len(row["passages"]) == 8
        for item in row["passages"]:
            assert (item["grade"] > 1) == bool(item["answers"])
            assert all(1 <= place <= len(item["spans"]) for place in item["answers"])


def test_the_further_questions_have_the_grades_of_their_pages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    burns, gout = (
        {"record": record, "spans": [[0, 20]], "answers": [], "polar": None, "grade": grade}
        for record, grade in (("starter-burns-first-aid", 3), ("starter-gout-treatment", 0))
    )
    rows = [
        {"id": "mqp-7#2", "level": "", "passages": [gout]},
        {"id": "starter-gout#0:short", "message": "gout", "level": "", "passages": [burns, gout]},
    ]
    file = tmp_path / "pages.jsonl.gz"
    file.write_bytes(gzip.compress("".join(json.dumps(each) + "\n" for each in rows).encode()))
    monkeypatch.setattr(misses, "FURTHER", file)
    monkeypatch.setattr("training.judged.medquad", lambda _: [])
    pair = {"id": "mqp-7", "question_1": "A?", "question_2": "B?"}
    monkeypatch.setattr(
        "training.judged.records", lambda _, name: [pair] * (name == "medical_question_pairs")
    )
    assert misses.further_questions(tmp_path) == {
        "further real messages": [Query("mqp-7#2", "B?", {"starter-gout-treatment": 0})],
        "questions written for pages": [
            Query(
                "starter-gout#0:short",
                "gout",
                {"starter-burns-first-aid": 3, "starter-gout-treatment": 0},
            )
        ],
    }


def test_an_answer_is_right_if_its_first_source_helps() -> None:
    assert is_right(state(GOOD, quoted=GOOD), {GOOD: 2})
    assert not is_right(state(GOOD, quoted=GOOD), {GOOD: 1})
    assert not is_right(state(GOOD), {GOOD: 2})


def test_each_question_is_counted_once() -> None:
    query = Query("1", "gout?", {GOOD: 2})
    lines = list(table(4, [LostQuestion(query, misses.DEPTH, True, 0.5, None)]))
    assert lines[0] == "4 questions, 3 answered rightly (0.750)"
    line = lines[1 + misses.STEPS.index(misses.DEPTH)]
    assert line == f"    1 0.250 {misses.DEPTH}; something else is stated: 1"
    assert sum(int(line.split()[0]) for line in lines[1:]) == 1
