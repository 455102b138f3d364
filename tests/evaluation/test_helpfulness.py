"""Answers with known first sources, and what is measured of them."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from anamnesis.errors import CorpusError, SettingError
from evaluation.compared import of_helpfulness, systems
from evaluation.helpfulness import evaluate_helpfulness
from evaluation.reading import Query, read_queries
from evaluation.results import Execution
from nodes.state import Answer


def answer(outcome: str, *statements: list[str]) -> Answer:
    statements_of = [{"text": "said", "citations": list(statement)} for statement in statements]
    whole = {"outcome": outcome, "reason": "for it", "text": "shown", "statements": statements_of}
    return cast(Answer, whole)


ANSWERS = {
    "right": answer("answered", ["good", "bad"], ["bad"]),
    "related": answer("partial", ["near"]),
    "graded 0": answer("answered", ["bad", "good"]),
    "not judged": answer("answered", ["other"], ["good"]),
    "abstains": answer("abstained"),
    "urgent": answer("urgent"),
    "urgent, cites nothing": answer("urgent", []),
    "urgent with first aid": answer("urgent", ["starter"]),
    "cites nothing": answer("answered", [], ["good"]),
    "best": answer("answered", ["best"]),
}
QUERIES = [Query(name, name, {"best": 3, "good": 2, "near": 1, "bad": 0}) for name in ANSWERS]


def test_the_first_citation_of_the_first_statement_decides() -> None:
    result = evaluate_helpfulness(QUERIES, ANSWERS.__getitem__, Execution(resamples=50))
    judged = {row["id"]: row["judged"] for row in result.rows}
    assert judged == {
        "right": "right",
        "related": "related",
        "graded 0": "wrong",
        "not judged": "wrong",
        "abstains": "silent",
        "urgent": "silent",
        "urgent, cites nothing": "silent",
        "urgent with first aid": "wrong",
        "cites nothing": "wrong",
        "best": "right",
    }
    means = {name: estimate.mean for name, estimate in result.metrics.items()}
    assert means == pytest.approx(
        {"right": 0.2, "related": 0.1, "wrong": 0.4, "silent": 0.3, "score": 0.6}
    )
    for metric in result.metrics.values():
        assert metric.low <= metric.mean <= metric.high
    assert result.rows[0] == {
        "id": "right", "question": "right", "judged": "right", "outcome": "answered",
        "reason": "for it", "cited": "good", "grade": 2, "text": "shown",
    }  # fmt: skip
    assert [result.rows[3][name] for name in ("cited", "grade")] == ["other", None]
    assert result.rows[4]["cited"] is None


def test_what_was_answered_before_is_not_asked_again() -> None:
    kept: dict[str, Any] = {}
    first = evaluate_helpfulness(QUERIES, ANSWERS.__getitem__, Execution(resamples=50, kept=kept))
    kept = json.loads(json.dumps(kept))
    asked: list[str] = []
    del kept["best"]

    def ask(question: str) -> Answer:
        asked.append(question)
        return ANSWERS[question]

    reported: list[tuple[int, int]] = []
    again = evaluate_helpfulness(
        QUERIES,
        ask,
        Execution(resamples=50, kept=kept, progress=lambda *progress: reported.append(progress)),
    )
    assert asked == ["best"]
    assert again == first
    assert reported[-1] == (10, 10)
    with pytest.raises(SettingError, match="at least one"):
        evaluate_helpfulness([], ask)


def written(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    file = tmp_path / "queries.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_queries_without_an_answer_in_the_corpus_are_asked_too(tmp_path: Path) -> None:
    file = written(tmp_path, {"id": 1, "text": "Why?", "relevant": {}})
    assert read_queries(file, graded=True) == [Query("1", "Why?", {})]
    with pytest.raises(CorpusError, match="none of its 1 queries has a relevant document"):
        read_queries(file)


@pytest.mark.parametrize("grade", [-1, "good", True, 101, None])
def test_grades_that_are_none_are_refused_with_their_line(tmp_path: Path, grade: Any) -> None:
    good = {"id": "1", "text": "Why?", "relevant": {"a": 2, "b": 0}}
    file = written(tmp_path, good, {"id": "2", "text": "How?", "relevant": {"a": grade}})
    with pytest.raises(
        CorpusError, match=r"queries.jsonl, line 2: the grade of 'a' is.*Correct the record"
    ):
        read_queries(file, graded=True)


def test_two_results_on_the_same_queries_can_be_compared() -> None:
    result = evaluate_helpfulness(QUERIES, ANSWERS.__getitem__, Execution(resamples=50))
    configuration = {"queries": {"sha256": "q"}, "corpus": {"sha256": "c"}}
    whole = {"protocol": "helpfulness", "configuration": configuration, "per_question": result.rows}
    [system] = systems("mine", whole, of_helpfulness)
    assert (system.metric, system.questions) == ("score", "q c")
    assert (system.scores["best"], system.scores["abstains"], system.scores["not judged"]) == (
        3,
        0,
        0,
    )
