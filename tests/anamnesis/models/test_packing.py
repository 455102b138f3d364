import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.models.packing import OTHER, both_ends, means, packed

ENDS = (1, 2)
TOKENS = st.lists(st.integers(3, 9), max_size=30)


@given(st.lists(st.integers(3, 9), max_size=6), TOKENS, st.lists(TOKENS, max_size=6))
def test_every_token_of_every_sentence_is_in_one_window(
    question: list[int], heading: list[int], sentences: list[list[int]]
) -> None:
    windows = packed(question, heading, sentences, ENDS, 16)
    assert windows
    found: list[list[int]] = [[] for _ in sentences]
    for ids, types, owner in windows:
        assert len(ids) == len(types) == len(owner) <= 16
        behind = len(question) + 2
        assert ids[:behind] == [1, *question, 2]
        assert ids[-1] == 2
        assert types == [0] * behind + [1] * (len(ids) - behind)
        for token, place in zip(ids, owner, strict=True):
            if place != OTHER:
                found[place].append(token)
    assert found == sentences


def test_a_sentence_stays_whole_where_it_fits_a_window() -> None:
    windows = packed([3], [4], [[5] * 4, [6] * 4, [7] * 12], ENDS, 12)
    assert [window.owner.count(place) for window in windows for place in range(3)] == [
        4, 0, 0,
        0, 4, 0,
        0, 0, 7,
        0, 0, 5,
    ]  # fmt: skip
    assert all(window.ids[:4] == [1, 3, 2, 4] for window in windows)


def test_a_sentence_has_the_mean_of_its_tokens_in_all_windows() -> None:
    windows = packed([3], [], [[5], [], [6] * 12], ENDS, 12)
    values = [np.arange(len(window.ids), dtype=np.float32) for window in windows]
    found = means(windows, values, 3)
    assert found[0] == 3
    assert np.isnan(found[1])
    expected = [
        value
        for window, each in zip(windows, values, strict=True)
        for value, place in zip(each, window.owner, strict=True)
        if place == 2
    ]
    assert len(expected) == 12
    assert found[2] == pytest.approx(np.mean(expected))


def test_of_a_long_text_both_ends_are_taken() -> None:
    assert both_ends([1, 2, 3], 3) == [1, 2, 3]
    assert both_ends([1, 2, 3, 4, 5], 4) == [1, 2, 4, 5]
