from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.question.next_query import extend_query
from nodes.question.several import best_round
from nodes.routes import after_rerank, after_verify


@pytest.mark.parametrize(
    ("best", "to", "reason"),
    [
        (None, "fallback", "no_evidence"),
        (0.49, "fallback", "weak_evidence"),
        (0.5, "generate", None),
    ],
)
def test_generation_needs_evidence(best: float | None, to: str, reason: str | None) -> None:
    told, route = after_rerank(best, 0.5)
    assert (told, route["to"]) == (reason, to)
    assert route["why"]


def verified(**changed: Any) -> tuple[str, str]:
    given_: dict[str, Any] = {
        "found": True, "checked": True, "score": 1.0, "threshold": 0.7,
        "rounds": 1, "max_rounds": 3, "new_query": True,
    }  # fmt: skip
    reason, route = after_verify(**{**given_, **changed})
    return reason, route["to"]


def test_every_route_of_verify() -> None:
    assert verified() == ("supported", "remember")
    assert verified(score=0.75) == ("some_unsupported", "remember")
    assert verified(score=0.7) == ("some_unsupported", "remember")
    assert verified(score=0.6) == ("some_unsupported", "rewrite")
    assert verified(score=0.0) == ("unsupported", "rewrite")
    assert verified(score=0.0, threshold=0.0) == ("unsupported", "rewrite")
    assert verified(score=0.6, rounds=3) == ("some_unsupported", "fallback")
    assert verified(score=0.0, rounds=3) == ("unsupported", "fallback")
    assert verified(score=0.6, new_query=False) == ("some_unsupported", "fallback")
    assert verified(found=False, score=0.0) == ("not_found", "fallback")
    assert verified(checked=False, score=0.0) == ("unchecked", "remember")


@given(
    st.booleans(), st.booleans(), st.floats(0, 1), st.floats(0, 1), st.integers(1, 10),
    st.integers(1, 10), st.booleans(),
)  # fmt: skip
def test_nothing_unsupported_goes_on_to_be_remembered_when_it_was_checked(
    found: bool, checked: bool, score: float, threshold: float, rounds: int, most: int, new: bool
) -> None:
    _, route = after_verify(
        found=found, checked=checked, score=score, threshold=threshold, rounds=rounds,
        max_rounds=most, new_query=new,
    )  # fmt: skip
    if route["to"] == "remember":
        assert found
        assert not checked or (score > 0 and score >= threshold)
    if route["to"] == "rewrite":
        assert rounds < most
        assert new


def test_the_next_query_is_the_last_with_what_was_unsupported() -> None:
    assert extend_query("asthma signs", ["Fever is a sign."]) == "asthma signs Fever is a sign."
    assert extend_query("asthma signs", ["Asthma signs."]) == "asthma signs"
    assert extend_query("asthma", []) == "asthma"


def test_the_best_round_has_the_largest_share_then_the_most_statements() -> None:
    def a_round(score: float, supported: int) -> Any:
        return {"score": score, "statements": [{"verdict": "supported"}] * supported}

    rounds = [a_round(0.5, 1), a_round(0.6, 2), a_round(0.6, 3), a_round(0.2, 5)]
    assert best_round(rounds) is rounds[2]
    assert best_round([]) is None
