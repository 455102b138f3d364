"""How methods behave, on three queries that can be followed by hand [R8]."""

import math

import pytest

from evaluation.behaviour import change, curves, overlaps, relevant_overlap, spread
from evaluation.retrieval import measure


def row(relevant: dict[str, float], **ranked: str) -> dict[str, object]:
    found = {name: list(text) for name, text in ranked.items()}
    metrics = {name: measure(texts, relevant) for name, texts in found.items()}
    return {"relevant": relevant, "ranked": found, "metrics": metrics}


ROWS = [
    row({"a": 1, "b": 1}, hybrid="abc", reranked="bac"),  # two of three places, and the top
    row({"a": 1}, hybrid="xay", reranked="xya"),  # two of three places
    row({"a": 1}, hybrid="ab", reranked="ab"),
]


def test_curves_are_means_at_every_rank() -> None:
    found = curves(ROWS)["hybrid"]
    assert [k for k, _ in found["ndcg"]] == list(range(1, 11))
    assert found["precision"][0] == (1, pytest.approx(2 / 3))
    assert found["precision"][1] == (2, pytest.approx((1 + 0.5 + 0.5) / 3))
    assert found["recall"][0] == (1, pytest.approx((0.5 + 0 + 1) / 3))
    assert found["ndcg"][9] == (10, pytest.approx((1 + 1 / math.log2(3) + 1) / 3))


def test_a_change_of_order_is_counted_by_place_and_at_the_top() -> None:
    found = change(ROWS, "hybrid", "reranked")
    assert found["positions"].mean == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert found["top"].mean == pytest.approx(1 / 3)
    assert found["gain"].mean == pytest.approx((1 / math.log2(4) - 1 / math.log2(3)) / 3)


def test_lists_of_other_lengths_and_empty_ones_are_compared() -> None:
    rows = [row({"a": 1}, hybrid="ab", reranked="abcd"), row({"a": 1}, hybrid="", reranked="")]
    found = change(rows, "hybrid", "reranked")
    assert found["positions"].mean == pytest.approx((2 / 4 + 0) / 2)
    assert found["top"].mean == 0


def test_a_document_counts_for_the_lists_that_have_it_and_no_others() -> None:
    rows = [row({}, sparse="abc", dense="cd"), row({}, sparse="a", dense="a")]
    assert overlaps(rows, ["sparse", "dense"]) == {
        ("sparse",): 1.0,
        ("sparse", "dense"): 1.0,
        ("dense",): 0.5,
    }


def test_a_spread_has_five_numbers() -> None:
    assert spread([4, 1, 2, 3, 5]) == (1, 2, 3, 4, 5)
    assert spread([0.5]) == (0.5,) * 5


def test_relevant_documents_are_shared_or_found_by_one_alone() -> None:
    rows = [
        {"id": "1", "relevant": {"a": 1, "b": 1}, "ranked": {"x": ["a", "c"], "y": ["d", "a"]}},
        {"id": "2", "relevant": {"a": 1, "b": 1}, "ranked": {"x": ["a", "b"], "y": ["b"]}},
        {"id": "3", "relevant": {"a": 1}, "ranked": {"x": ["c"], "y": ["d"]}},
        {"id": "4", "relevant": {"a": 1, "b": 1}, "ranked": {"x": ["a"], "y": ["b"]}},
    ]
    found = relevant_overlap(rows, ["x", "y"])
    assert {name: estimate.mean for name, estimate in found.items()} == {
        "same": 0.25,
        "x": 0.5,
        "y": 0.25,
    }
