"""How well an answer answers: its round, its verdict and its relevance."""

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.checking.answered import (
    LIKELY,
    VERDICT,
    answer_relevance,
    best_cited,
    citable_passages,
    may_miss_question,
    relevance,
    round_result,
    yes_no_verdict,
)
from nodes.fields.passages import Cited
from nodes.state import Part, YesNo
from tests.nodes.steps import drafted, judged, round_of, selected, state_of


def cited(key: str, relevance: float = 0.9, **polar: float) -> Cited:
    return {"id": f"{key}#0", "relevance": relevance, "polar": polar}


def part(relevance: float | None) -> Part:
    return cast(Part, {"relevance": relevance})


SAYS = [judged("It narrows the airways.")]
OTHER = judged("Gout hurts.", citations=["gout#0"])


def test_a_relevance_below_one_half_may_miss_the_question() -> None:
    assert may_miss_question(LIKELY - 0.001)
    assert not may_miss_question(LIKELY)
    assert not may_miss_question(None)


def test_a_round_keeps_what_supported_statements_cite() -> None:
    state = state_of(
        queries=["What is asthma?", "asthma airways"],
        selected=[selected("asthma"), selected("gout"), selected("asthma")],
        draft={**drafted("It narrows the airways."), "problem": "no_statement"},
    )
    item = round_result(state, [*SAYS, {**OTHER, "verdict": "unsupported"}], "B")
    assert item["query"] == "asthma airways"
    assert item["passages"] == ["asthma#0", "gout#0"]
    assert {cited["id"] for cited in item["cited"]} == {"asthma#0"}
    assert (item["score"], item["choice"], item["problem"]) == (0.5, "B", "no_statement")
    assert round_result(state, [], None)["score"] == 0


def test_of_several_questions_a_passage_counts_only_for_the_one_that_it_was_read_for() -> None:
    state = state_of(
        selected=[selected("asthma", part=1), selected("asthma", part=2)], draft=drafted()
    )
    [cited] = round_result(state, [judged("It narrows the airways.", part=2)], None)["cited"]
    assert cited == {"id": "asthma#0", "relevance": 0.9, "polar": {}, "part": 2}


def test_what_earlier_rounds_cited_may_still_be_cited() -> None:
    earlier = round_of(*SAYS, score=1.0, cited=[cited("asthma")])
    state = state_of(selected=[selected("gout")], rounds=[earlier, round_of(score=0.0)])
    assert [item["id"] for item in citable_passages(state)] == ["gout#0", "asthma#0"]


def test_the_most_relevant_cited_passage_counts() -> None:
    found = [cited("asthma", 0.6), cited("measles", 0.99), cited("gout", 0.8)]
    assert best_cited([*SAYS, OTHER], found) == cited("gout", 0.8)
    assert relevance([*SAYS, OTHER], found) == 0.8
    assert relevance(SAYS, found) == 0.6
    assert best_cited([], found) is None
    assert relevance([], found) is None


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        (cited("asthma", 1.0, yes=VERDICT), "yes"),
        (cited("asthma", 1.0, yes=VERDICT - 0.01), None),
        (cited("asthma", 0.9, no=0.9), "no"),  # .81
        (cited("asthma", 0.9, no=0.88), None),  # .79
        (cited("asthma", 0.95, depends=0.9), "depends"),
        (cited("asthma", 1.0, open=1.0), None),
        (cited("gout", 1.0, yes=1.0), None),  # not cited
    ],
)
def test_a_verdict_needs_both_probabilities(cited: Cited, expected: YesNo | None) -> None:
    assert yes_no_verdict(SAYS, [cited]) == expected


CHANCES: Any = st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=5)


@settings(max_examples=25)
@given(CHANCES)
def test_several_questions_are_as_relevant_as_the_worst_answer(chances: list[float | None]) -> None:
    known = [chance for chance in chances if chance is not None]
    found = answer_relevance([part(chance) for chance in chances], SAYS, [cited("asthma")])
    assert found == (min(known) if known else None)
    assert answer_relevance([], SAYS, [cited("asthma")]) == 0.9
