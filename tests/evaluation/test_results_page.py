"""The page of results, its plots, and what it sets side by side."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.evaluate.protocols import page_parts
from evaluation import compared, plots
from evaluation.compared import QuestionScores, System, sides
from evaluation.page import PagePart, page
from evaluation.papers import FACTS, REASONING, SPARSE_DENSE, Published, comparison

PARTS = page_parts()


def systems(name: str, result: dict[str, Any]) -> list[System]:
    return compared.systems(name, result, PARTS[result["protocol"]].compared)


VALUE = {"mean": 0.5, "low": 0.25, "high": 0.75}
COMMON = {
    "configuration_sha256": "0123456789abcdef",
    "created": "2026-01-01T00:00:00+00:00",
    "machine": {"cores": 2, "processor": "a <fast> one"},
}
BASE = {"command": "evaluate x", "seed": 0, "resamples": 5, "program": "1"}
QUERIES = {"file": "q", "sha256": "q", "used": 2}


def retrieval(protocol: str = "focus", better: float = 0.0) -> dict[str, Any]:
    rows = [
        {
            "id": str(number),
            "relevant": {"a": 1},
            "ranked": {"sparse": ["a", "b"], "dense": ["b", "a"]},
            "ms": {"sparse": 1.0, "dense": 9.0},
            "metrics": {
                "sparse": {"ndcg@10": 0.5 + better},
                "dense": {"ndcg@10": 0.25 + number / 100},
            },
        }
        for number in range(10)
    ]
    told = {**BASE, "protocol": protocol, "gain": "linear", "queries": QUERIES}
    return {
        **COMMON,
        "protocol": "retrieval",
        "configuration": {**told, "corpus": {"file": "c", "sha256": "c", "documents": 3}},
        "methods": {name: {"ndcg@10": VALUE} for name in ("sparse", "dense")},
        "comparisons": [
            {"of": "dense", "less": "sparse", "metric": "ndcg@10", "difference": VALUE}
            | {"p": 0.01, "p_holm": 0.02}
        ],
        "reranking": {"positions": VALUE},
        "runs": {"sparse": {"ndcg@10": {"mean": 0.5, "sd": 0.01}}},
        "times": [{"records": n, "ms": {"sparse": n / 100}} for n in (10, 20)],
        "per_question": rows,
    }


def critic() -> dict[str, Any]:
    rows = [
        {"label": label, "support": support, "contradiction": against}
        for label, support, against in (
            ("entailment", 0.9, 0.05), ("neutral", 0.8, 0.1), ("contradiction", 0.1, 0.9),
            ("entailment", 0.2, None),
        )
    ]  # fmt: skip
    told = {"pairs": {"file": "p", "sha256": "p", "split": None, "used": 4}, "threshold": 0.7}
    named = {"critic": {"reference": "own", "name": "entailment:own"}}
    return {
        **COMMON,
        "protocol": "critic",
        "configuration": {**BASE, **told, **named},
        "metrics": {"accuracy": VALUE},
        "notes": ["labels that occur: <b>"],
        "per_question": rows,
    }


def answers(dataset: str | None = None) -> dict[str, Any]:
    rows = [
        {"text": str(number), "answer": "A", "chose": {"no facts": "A" if number else None}}
        for number in range(4)
    ]
    told = {"questions": {"file": "q", "sha256": "a", "used": 4, "dataset": dataset}}
    return {
        **COMMON,
        "protocol": "answers",
        "configuration": {**BASE, **told},
        "rows": {name: {"accuracy": VALUE} for name in ("no facts", "4 facts", "8 facts")},
        "per_question": rows,
    }


def test_a_page_needs_nothing_from_outside_and_shows_what_was_measured() -> None:
    told = page({"one": retrieval(), "two": critic(), "three": answers("medqa")}, PARTS)
    assert not re.search(r"<script|<link|@import|url\(|https?:|src=", told)
    for said in (
        "one (retrieval)", "two (critic)", "three (answers)", "0.500 [0.250, 0.750]",
        "a &lt;fast&gt; one", "labels that occur: &lt;b&gt;", "Row R7", "Row R8", "Row K6",
        "50.00 ± 1.00", "0.0200", "nDCG at k", "Time of a query", "Which lists have a document",
        "Risk against coverage", "Reliability", "prefers-color-scheme: dark", "0123456789ab",
    ):  # fmt: skip
        assert said in told, said
    assert "Side by side" not in told
    for drawn in re.findall(r"<figure>.*?</figure>", told, re.DOTALL):
        ElementTree.fromstring(drawn)


def test_a_result_without_its_rows_has_tables_and_no_plots() -> None:
    bare = {key: own for key, own in retrieval().items() if key not in ("per_question", "times")}
    told = page({"one": bare}, PARTS)
    assert "<figure>" not in told
    assert "Row R7" in told


def test_the_paper_stands_beside_its_own_protocol_only() -> None:
    assert f"{SPARSE_DENSE.values['sparse']['ndcg@10']}" in page({"one": retrieval()}, PARTS)
    assert "Row R7" not in page({"one": retrieval("judged")}, PARTS)


@pytest.mark.parametrize(
    ("dataset", "rows"), [("medqa", ["K6", "S8"]), ("pubmedqa", ["S8"]), ("mmlu", []), (None, [])]
)
def test_answers_stand_beside_the_paper_on_the_same_data_set(
    dataset: str | None, rows: list[str]
) -> None:
    told = page({"one": answers(dataset)}, PARTS)
    assert [row for row in ("K6", "S8") if f"Row {row}" in told] == rows
    # Each of our rows that measures the same is there, and no other.
    found = [own[0] for own in comparison(FACTS, answers()["rows"]) if own[3]]
    assert found == [f"MedQA, {own}" for own in (
        "no facts (ours: no facts)", "facts (ours: 4 facts)", "facts (ours: 8 facts)"
    )]  # fmt: skip
    assert comparison(FACTS, {"critic own": {}})[1] == ("MedQA, facts", "accuracy", 0.4854, None)
    assert len(comparison(REASONING["medqa"], answers()["rows"])) == 3


def test_one_run_is_shown_without_a_deviation() -> None:
    told = retrieval()
    told["runs"] = {"sparse": {"ndcg@10": {"mean": 0.5}, "mrr@10": {"mean": 0.25}}}
    cells = re.findall(r"<td>([^<]*)</td>", page({"one": told}, PARTS).partition("of the runs")[2])
    assert cells[:2] == ["50.00", "25.00"]


def test_two_results_are_tested_on_the_same_questions() -> None:
    old, new = systems("old", retrieval()), systems("new", retrieval(better=0.1))
    assert [own.name for own in old] == ["old: sparse", "old: dense"]
    found = {(own.first, own.second): own for own in sides([old, new])}
    assert len(found) == 4
    own = found["old: sparse", "new: sparse"]
    assert (own.common, own.difference.mean) == (10, pytest.approx(0.1))
    assert own.p == pytest.approx(2 / 2**10, abs=0.001)  # ten equal signs of ten
    assert own.p_holm == pytest.approx(4 * own.p)
    assert found["old: dense", "new: dense"].p == 1
    assert "Side by side" in page({"old": retrieval(), "new": retrieval(better=0.1)}, PARTS)


def test_what_was_asked_otherwise_is_not_compared() -> None:
    one, other = systems("a", retrieval()), systems("b", retrieval("judged"))
    assert sides([one, other]) == []
    assert sides([one, systems("c", critic())]) == []
    assert systems("d", {"protocol": "robustness", "configuration": {}}) == []


def test_critics_and_answers_are_scored_by_what_is_right() -> None:
    [judged] = systems("a", critic())
    assert list(judged.scores.values()) == [1, 0, 1, 0]
    [chosen] = systems("a", answers())
    assert chosen == System(
        "a: no facts", "accuracy", "a", {"0": 0, "1": 1, "2": 1, "3": 1}, {}, True
    )


def test_only_scores_of_0_and_1_are_compared_by_mcnemars_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compared, "mcnemar", lambda *_: 0.125)
    old, new = (System(name, "grade", "q", {"1": 0.0, "2": 1.0}) for name in ("old", "new"))
    assert sides([[old], [new]])[0].p == 1
    assert sides([[item._replace(binary=True)] for item in (old, new)])[0].p == 0.125


def test_a_protocol_that_a_program_adds_is_compared_and_has_its_papers() -> None:
    def lengths(result: Any) -> QuestionScores:
        return QuestionScores("words", "q", {"own": {"1": result["mean"], "2": 0.0}})

    paper = Published("Z1", {"own": {"words": 12.5}}, "The paper counts otherwise.")
    parts = {"length": PagePart(compared=lengths, published=lambda result: [paper])}
    one: dict[str, Any] = {
        **COMMON, "protocol": "length", "configuration": BASE, "mean": 3.0,
        "rows": {"own": {"words": VALUE}}, "per_question": [{"id": "1"}, {"id": "2"}],
    }  # fmt: skip
    shown = page({"one": one, "two": {**one, "mean": 5.0}}, parts)
    for text in ("two: own − one: own", "Row Z1", "12.5", "The paper counts otherwise."):
        assert text in shown, text


def test_questions_with_the_same_text_are_all_compared() -> None:
    told = answers()
    told["per_question"] += told["per_question"][:2]
    [chosen] = systems("a", told)
    assert sorted(chosen.scores.values()) == [0, 0, 1, 1, 1, 1]


def test_questions_of_one_group_are_flipped_together() -> None:
    old, new = retrieval(), retrieval(better=0.1)
    for result in (old, new):
        for number, row in enumerate(result["per_question"]):
            row["group"] = "one" if number < 9 else "other"
    found = {
        (own.first, own.second): own for own in sides([systems("old", old), systems("new", new)])
    }
    assert found["old: sparse", "new: sparse"].p == pytest.approx(0.5, abs=0.02)  # two signs


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_few_and_lie_inside(low: float, width: float) -> None:
    high = low + width
    found = plots.ticks(low, high)
    if width > 1e-9 * abs(low):
        assert 2 <= len(found) <= 6
        assert all(low - width / 1e3 <= own <= high + width / 1e3 for own in found)


def test_ticks_are_round() -> None:
    assert plots.ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert plots.ticks(1, 10) == [2, 4, 6, 8, 10]
    assert plots.ticks(3, 3) == [3]


def test_names_in_plots_are_escaped() -> None:
    drawn = plots.lines("<t>", {"a<b": [(0, 1), (1, 2)], "c": [(0, 1)]}, "x&", "y")
    assert "a&lt;b" in drawn
    assert "x&amp;" in drawn
    ElementTree.fromstring(drawn)
    ElementTree.fromstring(plots.boxes("t", {"<": (0, 0, 0, 0, 0)}, "y"))
    ElementTree.fromstring(plots.upset("t", {("<",): 1.0}, ["<"], "y"))


def test_a_line_starts_and_ends_where_its_points_are() -> None:
    drawn = plots.lines("t", {"a": [(0, 0), (1, 1)]}, "x", "y", square=True)
    assert 'd="M46.0,184.0L330.0,10.0"' in drawn
