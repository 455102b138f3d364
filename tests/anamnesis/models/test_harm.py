"""Self-harm that a message mentions, by the shipped layers."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.language.text import sentence_texts
from anamnesis.models.harm import WORDS, harm_probability, score, texts_to_read, words_log_odds
from anamnesis.models.reader import OwnReader

SAID = "I have been thinking of ending my life."
LETTER = (
    "My mother has had psoriasis since she was thirty. She uses a cream twice a day. {} "
    "Is there another cream that she could ask for? Thank you for reading."
)


def harm(reader: OwnReader, message: str) -> float:
    read = texts_to_read(message)
    return harm_probability([*read.values()], [*map(reader.harm, read)])


def test_a_sentence_counts_within_a_long_message(reader: OwnReader) -> None:
    assert harm(reader, LETTER.format(SAID)) > 3 * harm(reader, LETTER.format(""))


def test_the_score_is_the_highest_of_the_message_and_its_sentences(reader: OwnReader) -> None:
    message = LETTER.format(SAID)
    texts = [message, *sentence_texts(message)]
    scores = map(score, map(reader.harm, texts), words_log_odds(texts))
    assert harm(reader, message) == pytest.approx(max(scores))


def test_a_sentence_without_words_of_self_harm_is_not_read() -> None:
    message = LETTER.format(SAID)
    read = texts_to_read(message)
    assert next(iter(read)) == message
    assert SAID in read
    assert "She uses a cream twice a day." not in read
    low = set(sentence_texts(message)) - set(read)
    assert max(words_log_odds(sorted(low))) < WORDS


def test_a_message_of_one_sentence_is_read_once() -> None:
    assert [*texts_to_read(SAID)] == [SAID]


def test_a_message_is_read_however_improbable_its_words() -> None:
    assert [*texts_to_read("She uses a cream.")] == ["She uses a cream."]


def test_the_highest_of_several_texts_counts() -> None:
    assert harm_probability([0.0, -1.0], [0.0, 3.0]) == pytest.approx(1 / (1 + math.exp(-2)))


def test_both_parts_of_the_log_odds_are_added() -> None:
    assert score(0.0, 0.0) == 0.5
    assert score(math.log(2), math.log(2)) == pytest.approx(0.8)
    assert score(-1.0, 1.0) == 0.5


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ("how many panadol would it take to die", "how many panadol can i take in a day"),
        ("I want to die", "I'm dying to know if coffee is allowed with this"),
        ("no point in living any more", "no point in taking both, my pharmacist said"),
    ],
)
def test_harm_is_distinguished_from_the_same_words_without_it(
    reader: OwnReader, worse: str, better: str
) -> None:
    assert harm(reader, worse) > harm(reader, better)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_has_a_score(reader: OwnReader, text: str) -> None:
    assert 0.0 <= harm(reader, text) <= 1.0


@pytest.mark.parametrize("message", [SAID, LETTER.format(SAID)])
def test_the_triage_gives_the_score(reader: OwnReader, message: str) -> None:
    assert reader.triage(message).harm == pytest.approx(harm(reader, message))
