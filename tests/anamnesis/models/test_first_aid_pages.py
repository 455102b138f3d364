"""The layer that finds the page on first aid for a message."""

import numpy as np
import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.errors import ModelError
from anamnesis.models import first_aid_pages
from anamnesis.models.first_aid_pages import (
    COLUMNS,
    NO_PAGE,
    PAGES,
    WEIGHTS,
    inputs,
    page_probabilities,
    words,
)
from anamnesis.models.own_layers import read_layer


def test_words_and_their_parts_are_counted_in_columns_of_their_own() -> None:
    one, twice = words("gout"), words("gout gout")
    assert one.shape == (2 * COLUMNS,)
    # ' gout ' has 5 + 4 + 3 + 2 parts of two to five letters, and one word.
    assert one[:COLUMNS].sum() == 14
    assert one[COLUMNS:].sum() == 1
    # A feature that occurs twice counts 1 + log 2; 'gout gout' is a sequence of two words.
    assert twice[COLUMNS:].sum() == pytest.approx(2 + np.log(2))
    assert not words("").any()


def test_both_kinds_of_words_have_one_length_and_empty_ones_none() -> None:
    arrays = np.zeros(2 * COLUMNS, np.float32)
    arrays[[0, 1]] = 3.0, 4.0
    found = inputs([1.0, 0.0], arrays, np.ones(2 * COLUMNS, np.float32))
    assert found[:4].tolist() == pytest.approx([3.0, 0.0, 2.5 * 0.6, 2.5 * 0.8])
    assert not found[4:].any()


def test_the_published_layer_names_pages_of_the_starter_corpus() -> None:
    names = read_layer(WEIGHTS)[1][PAGES].split(",")
    assert NO_PAGE in names
    assert set(names) - {NO_PAGE} <= {item.id for item in read_starter()}
    chances = page_probabilities("he is having a fit and shaking all over")
    assert list(chances) == names
    assert sum(chances.values()) == pytest.approx(1, abs=1e-5)
    assert max(chances, key=lambda name: chances[name]) == "starter-seizure-first-aid"


def test_a_missing_layer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_aid_pages, "WEIGHTS", "gone.safetensors")
    with pytest.raises(ModelError, match=r"gone\.safetensors is missing or damaged"):
        page_probabilities("help")
