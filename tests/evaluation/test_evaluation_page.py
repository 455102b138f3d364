"""The page of results: what it shows of each protocol."""

import re
from typing import Any
from xml.etree import ElementTree

from app.evaluate.protocols import page_parts
from evaluation.compared import QuestionScores
from evaluation.page import PagePart, page
from evaluation.papers import Published

PARTS = page_parts()
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
    configuration = {**BASE, "protocol": protocol, "gain": "linear", "queries": QUERIES}
    return {
        **COMMON,
        "protocol": "retrieval",
        "configuration": {**configuration, "corpus": {"file": "c", "sha256": "c", "documents": 3}},
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
    configuration = {
        "pairs": {"file": "p", "sha256": "p", "split": None, "used": 4},
        "threshold": 0.7,
    }
    named = {"critic": {"reference": "own", "name": "entailment:own"}}
    return {
        **COMMON,
        "protocol": "critic",
        "configuration": {**BASE, **configuration, **named},
        "metrics": {"accuracy": VALUE},
        "notes": ["labels that occur: <b>"],
        "per_question": rows,
    }


def answers(dataset: str | None = None) -> dict[str, Any]:
    rows = [
        {"text": str(number), "answer": "A", "chose": {"no facts": "A" if number else None}}
        for number in range(4)
    ]
    configuration = {"questions": {"file": "q", "sha256": "a", "used": 4, "dataset": dataset}}
    return {
        **COMMON,
        "protocol": "answers",
        "configuration": {**BASE, **configuration},
        "rows": {name: {"accuracy": VALUE} for name in ("no facts", "4 facts", "8 facts")},
        "per_question": rows,
    }


def test_a_page_needs_nothing_from_outside_and_shows_what_was_measured() -> None:
    text = page({"one": retrieval(), "two": critic(), "three": answers("medqa")}, PARTS)
    assert not re.search(r"<script|<link|@import|url\(|https?:|src=", text)
    for said in (
        "one (retrieval)", "two (critic)", "three (answers)", "0.500 [0.250, 0.750]",
        "a &lt;fast&gt; one", "labels that occur: &lt;b&gt;", "Row R7", "Row R8", "Row K6",
        "50.00 ± 1.00", "0.0200", "nDCG at k", "Time of a query", "Which lists have a document",
        "Risk against coverage", "Reliability", "prefers-color-scheme: dark", "0123456789ab",
    ):  # fmt: skip
        assert said in text, said
    assert "Side by side" not in text
    for drawn in re.findall(r"<figure>.*?</figure>", text, re.DOTALL):
        ElementTree.fromstring(drawn)


def test_a_result_without_its_rows_has_tables_and_no_plots() -> None:
    bare = {
        key: value for key, value in retrieval().items() if key not in ("per_question", "times")
    }
    text = page({"one": bare}, PARTS)
    assert "<figure>" not in text
    assert "Row R7" in text


def test_one_run_is_shown_without_a_deviation() -> None:
    result = retrieval()
    result["runs"] = {"sparse": {"ndcg@10": {"mean": 0.5}, "mrr@10": {"mean": 0.25}}}
    cells = re.findall(
        r"<td>([^<]*)</td>", page({"one": result}, PARTS).partition("of the runs")[2]
    )
    assert cells[:2] == ["50.00", "25.00"]


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
