"""Words and parts of words as numbered columns."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.models.ngrams import COLUMNS, counts


def test_a_word_has_its_parts_and_itself() -> None:
    # Of " ab ": three pairs, two triples, and the whole, which no five letters exceed.
    found = counts("ab")
    assert (found.columns < COLUMNS).sum() == 3 + 2 + 1
    assert (found.columns >= COLUMNS).sum() == 1


def test_what_occurs_twice_counts_one_plus_the_logarithm_of_two() -> None:
    once, twice = counts("gout"), counts("gout gout")
    values = dict(zip(twice.columns.tolist(), twice.values.tolist(), strict=True))
    assert set(once.values.tolist()) == {1.0}
    assert all(math.isclose(values[at], 1 + math.log(2), rel_tol=1e-6) for at in once.columns)
    # The two words together are a sequence of their own.
    assert len(values) == len(once.columns) + 1


def test_case_and_apostrophes_do_not_count() -> None:
    same = [counts(text) for text in ("can't breathe", "CAN\u2019T breathe", "cant breathe!")]
    assert all(set(item.columns.tolist()) == set(same[0].columns.tolist()) for item in same)


def test_a_text_without_words_has_no_features() -> None:
    assert len(counts(" ?! ").columns) == 0


@given(st.text(max_size=200))
def test_columns_are_in_range_and_unlike_each_other(text: str) -> None:
    found = counts(text)
    assert len(set(found.columns.tolist())) == len(found.columns) == len(found.values)
    assert ((found.columns >= 0) & (found.columns < 2 * COLUMNS)).all()
    assert (found.values >= 1).all()
    again = counts(text)
    assert np.array_equal(found.columns, again.columns)
