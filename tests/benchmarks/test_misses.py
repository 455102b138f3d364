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
