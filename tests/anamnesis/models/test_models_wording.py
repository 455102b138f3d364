"""The urgency of a message by its words, together with what the reader says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.models.ngrams import COLUMNS, Counts, counts
from anamnesis.models.reading import URGENCY_LEVELS
from anamnesis.models.reranker import load_triage
from anamnesis.models.wording import combined, features, scaled

NOTHING = np.zeros(3, np.float32)


def test_each_kind_of_features_has_length_one() -> None:
    counts = Counts(np.array([1, 2, COLUMNS + 1]), np.array([1.0, 1.0, 1.0]))
    idf = np.zeros(2 * COLUMNS, np.float16)
    idf[[1, 2, COLUMNS + 1]] = 3, 4, 7
    assert scaled(counts, idf).values == pytest.approx([0.6, 0.8, 1.0])


def test_features_that_were_never_seen_count_nothing() -> None:
    idf = np.zeros(2 * COLUMNS, np.float16)
    assert not scaled(counts("gout"), idf).values.any()


@pytest.mark.parametrize("block", [0, 1], ids=["last", "middle"])
def test_what_each_block_of_the_reader_says_counts(block: int) -> None:
    said = [NOTHING, NOTHING]
    said[block] = np.array([5.0, 0.0, -5.0], np.float32)
    moved = combined("my knee hurts", *said) - combined("my knee hurts", NOTHING, NOTHING)
    assert moved[0] > 0 > moved[2]
    assert moved[0] == pytest.approx(-moved[2], rel=1e-4)


def test_the_words_alone_separate_a_complaint_from_an_emergency() -> None:
    level = [
        URGENCY_LEVELS[int(combined(text, NOTHING, NOTHING).argmax())]
        for text in ("runny nose since monday", "he collapsed and is not breathing")
    ]
    assert level == ["routine", "emergency"]


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_message_has_finite_log_odds(message: str) -> None:
    assert np.isfinite(combined(message, NOTHING, NOTHING)).all()
    assert len(features(message).columns) == len(features(message).values)


def test_the_triage_uses_the_words_and_the_reader() -> None:
    reads = load_triage("own")
    assert reads is not None
    levels = reads("i have a bit of a sore throat").levels
    assert levels["routine"] > 0.9
    assert sum(levels.values()) == pytest.approx(1.0, abs=1e-3)
