from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.memory.matching import ranked, word_scores
from anamnesis.memory.record import Memory

WORDS = st.lists(st.sampled_from("gout toe rash not the asthma 5 mg".split()), max_size=8)


def test_the_share_of_the_words_by_hand() -> None:
    # Two texts of two words: the length is the mean one. 'gout' is in both, 'toe' in one,
    # 'asthma' in none: log(1 + ½/2½), log(1 + 1½/1½), log(1 + 2½/½).
    gout, toe, asthma = log(1.2), log(2), log(6)
    most = 1.5 * (gout + toe + asthma)
    found = word_scores("Gout of the toe, or asthma?", ["Gout: the toes.", "gout rash"])
    assert found == pytest.approx([(gout + toe) / most, gout / most])


def test_a_word_said_twice_counts_little_more_and_a_long_text_less() -> None:
    once, twice, long = word_scores("gout", ["gout toe", "gout gout", "gout toe rash pain"])
    assert long < once < twice < 2 * once


@pytest.mark.parametrize("asked", ["", "what is the", "measles"])
def test_what_shares_no_word_has_none(asked: str) -> None:
    assert word_scores(asked, ["gout", "", "the"]) == [0, 0, 0]
    assert word_scores(asked, []) == []


@given(WORDS, st.lists(WORDS, max_size=6))
def test_shares_lie_between_0_and_1(asked: list[str], texts: list[list[str]]) -> None:
    found = word_scores(" ".join(asked), [" ".join(text) for text in texts])
    assert len(found) == len(texts)
    assert all(0 <= share <= 1 for share in found)


def test_similarity_is_the_cosine_with_its_share_of_the_words() -> None:
    gout, rash, lost = (
        Memory.make(owner="ann", kind="question", text=text) for text in ("gout", "rash", "lost")
    )
    cosines = {gout.id: 0.2, rash.id: 0.3}
    several = [gout, rash, lost]
    by_cosine = ranked("gout", several, cosines, ["question"], 5, 0)
    assert [(one.memory, one.closeness, one.words) for one in by_cosine] == [
        (rash, 0.3, 0), (gout, 0.2, 0),
    ]  # fmt: skip
    both = ranked("gout", several, cosines, ["question"], 5, 0.5)
    assert [one.memory for one in both] == [gout, rash]
    assert both[0].closeness == pytest.approx(0.5 * 0.2 + 0.5 * both[0].words)
    assert ranked("gout", several, cosines, ["question"], 1, 0.5) == both[:1]
    assert ranked("gout", several, cosines, ["exchange"], 5, 0.5) == []
