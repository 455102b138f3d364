"""When to seek care, at the end of an answer to a message about a person."""

from nodes.settings.context import Context
from nodes.writing.advice import advice


def test_a_message_about_a_person_ends_with_when_to_seek_care() -> None:
    for text in (
        "my son has a rash",
        "I keep coughing",
        "rash on left arm, itchy, three days now, what helps",
    ):
        [line] = advice(
            text, "abstained", "not_found", Context.model_validate({"triage.country": "GB"})
        )
        assert "See a doctor" in line
        assert "999" in line
    for text in ("symptoms of asthma", "what is gout"):
        assert advice(text, "answered", "supported", Context()) == []
    assert advice("thank you, my dear", "abstained", "nothing_asked", Context()) == []
    assert advice("what am I allergic to?", "answered", "remembered", Context()) == []
