"""What is read and selected, and which edge follows."""

from typing import Any

import pytest

from nodes.parts import Parts
from nodes.rerank import rerank
from retrievers.index import Index
from tests.fakes import ScriptedReader
from tests.nodes.steps import judged, round_of, run, selected, state_of


def found(*records: str, **more: Any) -> list[dict[str, Any]]:
    return [selected(record, **more) for record in records]


def reader(**scores: float) -> ScriptedReader:
    """A reader that scores a passage by the name of its disease."""
    return ScriptedReader(
        lambda _, pages: [
            next(score for name, score in scores.items() if name in text.lower())
            for _, text in pages
        ]
    )


@pytest.fixture
def parts(small_index: Index) -> Parts:
    return Parts(given_index=small_index, given_reranker=reader(asthma=0.9, gout=0.3, measles=0.1))


def test_the_reader_orders_and_the_best_is_read(parts: Parts) -> None:
    update = run(rerank, state_of(hits=found("measles", "gout", "asthma")), parts)
    assert [item["id"] for item in update["read"]] == ["asthma#0", "gout#0", "measles#0"]
    assert update["route"]["to"] == "generate"
    assert "reason" not in update


def test_only_as_many_passages_as_the_generator_gets_are_selected(parts: Parts) -> None:
    state = state_of(hits=found("measles", "gout", "asthma"))
    update = run(rerank, state, parts, generator__passages=1)
    assert [item["id"] for item in update["selected"]] == ["asthma#0"]
    assert {item["passage"] for item in update["dropped"]} == {"gout#0", "measles#0"}


def test_a_place_is_kept_for_the_dense_list(parts: Parts) -> None:
    hits = [*found("asthma", "gout", ranks={"sparse": 1}), *found("measles", ranks={"dense": 1})]
    update = run(rerank, state_of(hits=hits), parts, generator__passages=2)
    assert [item["id"] for item in update["selected"]] == ["asthma#0", "measles#0"]


@pytest.mark.parametrize(
    ("hits", "reason"), [([], "no_evidence"), (found("measles"), "weak_evidence")]
)
def test_without_good_evidence_nothing_is_written(
    parts: Parts, hits: list[dict[str, Any]], reason: str
) -> None:
    update = run(rerank, state_of(hits=hits), parts)
    assert (update["reason"], update["route"]["to"]) == (reason, "fallback")


def test_a_round_that_finds_nothing_new_is_the_last(parts: Parts) -> None:
    before = round_of(judged("Asthma is rare.", "unsupported"), score=0.0)
    state = state_of(hits=found("asthma"), rounds=[before])
    assert run(rerank, state, parts)["route"]["to"] == "fallback"
    again = run(rerank, state, parts, loop__stop_without_new_passages=False)
    assert again["route"]["to"] == "generate"
