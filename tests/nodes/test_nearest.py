"""The option that passages come nearest to, with vectors that are given."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.passage import Passage
from models.encoder import Vectors
from nodes.nearest import nearest, nearest_option

OPTIONS = {"A": "colchicine", "B": "penicillin"}
PASSAGE = Passage("f#0", "f", 0, 0, "Penicillin may treat Syphilis.", title="F")
OTHER = Passage("g#0", "g", 0, 0, "Colchicine may treat Gout.", title="G")


@pytest.mark.parametrize(
    ("near", "about", "negated", "number"),
    [
        ([0.2, 0.9, 0.5], [0, 1, 2], False, 1),
        ([0.2, 0.9, 0.95], [0, 1, 0], False, 0),
        ([0.5, 0.5], [1, 0], False, 0),
        ([0.2, 0.9, 0.5], [0, 1, 2], True, 0),
        ([0.2, 0.9], [0, 1], True, 2),
    ],
)
def test_the_option_of_the_nearest_text_is_named(
    near: list[float], about: list[int], negated: bool, number: int
) -> None:
    assert nearest_option(np.array(near, np.float32), about, 3, negated) == number


@given(st.lists(st.tuples(st.floats(-1, 1, width=32), st.integers(0, 3)), min_size=1))
def test_an_option_without_a_text_is_named_of_an_exception_alone(
    texts: list[tuple[float, int]],
) -> None:
    near, about = np.array([n for n, _ in texts], np.float32), [a for _, a in texts]
    assert nearest_option(near, about, 4, False) in about
    assert len(set(about)) == 4 or nearest_option(near, about, 4, True) not in about


class Words:
    """Unit vectors of texts by the words gout, syphilis, colchicine and penicillin."""

    def __call__(self, texts: Sequence[str]) -> Vectors:
        names = ("gout", "syphilis", "colchicine", "penicillin")
        rows = np.array([[name in text.lower() for name in names] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_the_draft_quotes_what_is_nearest_and_has_no_probability() -> None:
    draft = nearest("How is gout treated?", OPTIONS, [PASSAGE, OTHER], Words())
    assert (draft["choice"], draft["chosen"]) == ("A", 0.0)
    assert [item["text"] for item in draft["statements"]] == [OTHER.text]
    assert draft["statements"][0]["citations"] == ["g#0"]


def test_of_an_exception_the_farthest_option_is_named() -> None:
    asked = "All of these treat gout EXCEPT:"
    assert nearest(asked, OPTIONS, [PASSAGE, OTHER], Words())["choice"] == "B"


def test_without_passages_no_option_is_named() -> None:
    draft = nearest("How is gout treated?", OPTIONS, [], Words())
    assert (draft["choice"], draft["statements"]) == (None, [])
