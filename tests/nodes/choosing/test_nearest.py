"""The option that passages come nearest to, with vectors that are given."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.passage import Passage
from anamnesis.models.encoder import Vectors
from nodes.choosing.nearest import choose_nearest, nearest_option

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
    draft = choose_nearest("How is gout treated?", OPTIONS, [PASSAGE, OTHER], Words())
    assert (draft["choice"], draft["choice_probability"]) == ("A", 0.0)
    assert [item["text"] for item in draft["statements"]] == [OTHER.text]
    assert draft["statements"][0]["citations"] == ["g#0"]


def test_of_an_exception_the_farthest_option_is_named() -> None:
    asked = "All of these treat gout EXCEPT:"
    assert choose_nearest(asked, OPTIONS, [PASSAGE, OTHER], Words())["choice"] == "B"


def test_without_passages_no_option_is_named() -> None:
    draft = choose_nearest("How is gout treated?", OPTIONS, [], Words())
    assert (draft["choice"], draft["statements"]) == (None, [])


def fact(text: str, head: Sequence[str], tail: Sequence[str]) -> Passage:
    names = (tuple(head), tuple(tail))
    return Passage(f"{head[0]}#0", head[0], 0, 0, text, title=head[0], kind="fact", names=names)


GOUT = ("Gout", "podagra")
TREATS = fact("Colchicine may treat Gout.", ["Colchicine"], GOUT)
CAUSES = fact("Penicillin may cause Gout.", ["Penicillin"], GOUT)
KIND = fact("Penicillin belongs to the category of Gout.", ["Penicillin"], GOUT)


def test_a_fact_that_links_an_option_with_the_question_decides_and_is_quoted() -> None:
    asked = "What is given for podagra and syphilis?"
    assert choose_nearest(asked, OPTIONS, [PASSAGE], Words())["choice"] == "B"
    draft = choose_nearest(asked, OPTIONS, [PASSAGE, TREATS, KIND], Words())
    assert draft["choice"] == "A"
    assert [item["text"] for item in draft["statements"]] == [TREATS.text]


def test_facts_that_link_nothing_do_not_count_if_there_are_passages() -> None:
    for unlinked in (KIND, fact("Colchicine may treat Fever.", ["Colchicine"], ["Fever"])):
        draft = choose_nearest(
            "What treats gout and syphilis?", OPTIONS, [PASSAGE, unlinked], Words()
        )
        assert draft["choice"] == "B"
        assert [item["text"] for item in draft["statements"]] == [PASSAGE.text]


def test_an_exception_is_the_option_that_nothing_is_linked_with() -> None:
    asked = "All of these are given for gout EXCEPT:"
    draft = choose_nearest(asked, OPTIONS, [OTHER, TREATS], Words())
    assert draft["choice"] == "B"
    assert [item["text"] for item in draft["statements"]] == [TREATS.text]


def test_of_options_that_are_linked_alike_the_passages_decide() -> None:
    options = {**OPTIONS, "C": "gout"}
    asked = "Which drug is linked with gout?"
    plain = Passage("p#0", "p", 0, 0, "Gout is a painful disease of the joints.")
    assert choose_nearest(asked, options, [plain, OTHER], Words())["choice"] == "C"
    assert choose_nearest(asked, options, [plain, OTHER, TREATS, CAUSES], Words())["choice"] == "A"


def test_of_an_exception_nothing_is_quoted_that_speaks_against_it() -> None:
    asked = "All of these are linked with gout EXCEPT:"
    draft = choose_nearest(asked, OPTIONS, [PASSAGE, OTHER, TREATS, CAUSES], Words())
    quoted = [item["text"] for item in draft["statements"]]
    assert (draft["choice"], quoted) == ("B", [TREATS.text])


def test_facts_still_count_although_there_is_a_myth() -> None:
    myth = Passage("m#0", "m", 0, 0, "Rubbing cures gout.", title="Myths about gout")
    assert (
        choose_nearest("What is given for gout?", OPTIONS, [myth, TREATS], Words())["choice"] == "A"
    )
