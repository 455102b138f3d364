from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    told, route = after_rerank(best, 0.5, new_passage=True, remembered=False)
    assert (told, route["to"]) == (reason, to)
    assert route["why"]


def verified(**changed: Any) -> tuple[str, str]:
    given_: dict[str, Any] = {
        "found": True, "checked": True, "undecided": False, "score": 1.0, "threshold": 0.7,
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
        found=found, checked=checked, undecided=False, score=score, threshold=threshold,
        rounds=rounds, max_rounds=most, new_query=new,
    )  # fmt: skip
    if route["to"] == "remember":
        assert found
        assert not checked or (score > 0 and score >= threshold)
    if route["to"] == "rewrite":
        assert rounds < most
        assert new
