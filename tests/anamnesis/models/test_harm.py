"""Self-harm that a message mentions, by the shipped layers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.models import harm
from anamnesis.models.classifier import Scores
from anamnesis.models.harm import harm_probability, message_sentences, scores, words_log_odds
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


def test_a_sentence_without_words_of_self_harm_is_not_embedded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    message = LETTER.format(SAID)
    embedded: list[str] = []

    def recorded(texts: list[str], words: Scores) -> Scores:
        embedded.extend(texts)
        return words

    monkeypatch.setattr(harm, "_scores", recorded)
    harm_probability(message)
    assert embedded[0] == message
    assert SAID in embedded
    assert "Thank you for reading." not in embedded
    low = set(message_sentences(message)) - set(embedded)
    assert max(words_log_odds(sorted(low))) < harm.WORDS


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
