"""Self-harm that a message mentions, by the shipped layers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.models.harm import harm_probability, message_sentences, scores
from anamnesis.models.triage import load_triage

SAID = "I have been thinking of ending my life."
LETTER = (
    "My mother has had psoriasis since she was thirty. She uses a cream twice a day. {} "
    "Is there another cream that she could ask for? Thank you for reading."
)


def test_a_sentence_counts_within_a_long_message() -> None:
    assert harm_probability(LETTER.format(SAID)) > 3 * harm_probability(LETTER.format(""))


def test_the_score_is_the_highest_of_the_message_and_its_sentences() -> None:
    message = LETTER.format(SAID)
    assert harm_probability(message) == pytest.approx(
        float(scores([message, *message_sentences(message)]).max())
    )


def test_each_text_has_its_own_score() -> None:
    both = scores([SAID, "What is gout?"])
    assert both[0] == pytest.approx(scores([SAID])[0], abs=1e-4)
    assert both[0] > both[1]


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_has_a_score(text: str) -> None:
    assert 0.0 <= harm_probability(text) <= 1.0
    assert np.isfinite(harm_probability(text))
    assert all(part in text for part in message_sentences(text))


@pytest.mark.parametrize("message", [SAID, LETTER.format(SAID)])
def test_the_triage_gives_the_score(message: str) -> None:
    reads = load_triage("own")
    assert reads is not None
    assert reads(message).harm == pytest.approx(harm_probability(message))
