"""When to seek care, at the end of an answer to a message about a person."""

from typing import Any, cast

import pytest

from nodes.settings.context import Context
from nodes.state import Urgency
from nodes.writing.advice import advice

CALM: Urgency = {"level": "routine", "kind": "", "crisis": False, "why": ""}


def test_a_message_about_a_person_ends_with_when_to_seek_care() -> None:
    for text in (
        "my son has a rash",
        "I keep coughing",
        "rash on left arm, itchy, three days now, what helps",
    ):
        [line] = advice(
            text, "abstained", "not_found", CALM, Context.model_validate({"triage.country": "GB"})
        )
        assert "See a doctor" in line
        assert "999" in line
    for text in ("symptoms of asthma", "what is gout"):
        assert advice(text, "answered", "supported", CALM, Context()) == []
    assert advice("thank you, my dear", "abstained", "nothing_asked", CALM, Context()) == []
    assert advice("what am I allergic to?", "answered", "remembered", CALM, Context()) == []


@pytest.mark.parametrize("other", [{"level": "urgent"}, {"level": "emergency", "possible": True}])
def test_what_should_not_wait_does_not_end_with_what_to_wait_for(other: Any) -> None:
    [line] = advice("my son has a rash", "answered", "supported", {**CALM, **other}, Context())
    assert line.startswith("Call ")
    assert "See a doctor if" not in line


def test_a_crisis_line_ends_an_answer_that_it_does_not_precede() -> None:
    low: Urgency = {**CALM, "crisis": True}
    for text in ("I stopped my tablets", "symptoms of asthma"):
        found = advice(text, "answered", "supported", low, Context())
        assert "harming yourself" in found[-1]
    for first in ({"no_doses": True}, {"level": "emergency", "possible": True}):
        high = cast(Urgency, {**low, **first})
        found = advice("I stopped my tablets", "answered", "supported", high, Context())
        assert not any("harming" in line for line in found)
