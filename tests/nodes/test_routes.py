from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.routes import after_rerank, after_verify, route_after_verify
from nodes.settings.loop import LoopSettings
from nodes.writing.round_support import RoundSupport
from tests.nodes.steps import judged, round_of, state_of

GOOD, WRONG = judged("Asthma narrows the airways."), judged("Asthma is a virus.", "unsupported")
QUERIES = {"0": {"query": "asthma virus", "claims": [WRONG["text"]]}}


@pytest.mark.parametrize(
    ("best", "to", "reason"),
    [
        (None, "fallback", "no_evidence"),
        (0.49, "fallback", "weak_evidence"),
        (0.5, "generate", None),
    ],
)
def test_generation_needs_evidence(best: float | None, to: str, reason: str | None) -> None:
    text, route = after_rerank(best, 0.5, new_passage=True, remembered=False)
    assert (text, route["to"]) == (reason, to)
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


def routed(support: RoundSupport, *, checked: bool = True, **loop: Any) -> tuple[str, str]:
    state = state_of(rounds=[round_of(GOOD, WRONG, score=support.score)])
    state["draft"]["found"] = True
    reason, route = route_after_verify(
        state, support, LoopSettings(**loop), checked=checked, time_is_up=False
    )
    return reason, route["to"]


def test_the_step_after_verify_depends_on_what_the_round_supports() -> None:
    assert routed(RoundSupport([GOOD], [], 1.0, {})) == ("supported", "remember")
    # The question may have been answered in an earlier round, and this one has a wrong statement.
    assert routed(RoundSupport([GOOD], [WRONG], 1.0, {})) == ("some_unsupported", "remember")
    half = RoundSupport([GOOD], [WRONG], 0.5, QUERIES)
    assert routed(half) == ("some_unsupported", "rewrite")
    assert routed(half, max_rounds=1) == ("some_unsupported", "fallback")
    assert routed(half._replace(queries={})) == ("some_unsupported", "fallback")
    assert routed(half._replace(queries={}), history="rounds") == ("some_unsupported", "rewrite")
    # Without a critic a draft that is turned down altogether counts as not found.
    assert routed(RoundSupport([], [WRONG], 0.0, {}), checked=False) == ("not_found", "fallback")


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
