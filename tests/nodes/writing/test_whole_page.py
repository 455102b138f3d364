"""When an answer quotes its first page whole, and what follows it."""

import pytest

from nodes.evidence.sentences import QUOTED
from nodes.writing.whole_page import (
    LEAST_RELEVANCE_QUOTED_WHOLE,
    LEAST_RELEVANCE_WITH_OTHERS,
    MOST_UNITS_QUOTED_WHOLE,
)
from tests.nodes.pages import page, quoted_statements, read, texts

ASPIRIN = page(
    "Aspirin can cause serious bleeding. Aspirin helps to prevent clots. "
    "For many healthy people the risk of bleeding outweighs the benefit."
)


@pytest.mark.parametrize(
    ("relevance", "shown"),
    [(LEAST_RELEVANCE_QUOTED_WHOLE, 3), (LEAST_RELEVANCE_QUOTED_WHOLE - 0.01, 1)],
)
def test_a_short_page_that_surely_answers_is_quoted_whole(relevance: float, shown: int) -> None:
    kept = texts(quoted_statements([ASPIRIN], [read(ASPIRIN, relevance, 0.1, 0.9, 0.1)], 0.3, 6))
    assert kept[0] == "Aspirin helps to prevent clots."
    assert len(kept) == shown


def test_the_first_of_several_pages_is_quoted_whole_and_then_the_others() -> None:
    other = page("Ibuprofen does not prevent clots. It is no substitute for aspirin.", "b")
    read_both = [read(ASPIRIN, 0.9, 0.1, 0.9, 0.1), read(other, 0.9, 0.9, 0.1)]
    kept = texts(quoted_statements([ASPIRIN, other], read_both, 0.5, 6))
    assert (kept[0], len(kept)) == ("Aspirin helps to prevent clots.", 4)
    assert kept[3] == "Ibuprofen does not prevent clots."
    assert texts(quoted_statements([ASPIRIN, other], read_both, 0.5, 3)) == kept[:3]


@pytest.mark.parametrize(("relevance", "whole"), [(0.7, True), (0.69, False)])
def test_with_other_pages_after_it_the_first_must_be_more_relevant(
    relevance: float, whole: bool
) -> None:
    other = page("Ibuprofen does not prevent clots. It is no substitute for aspirin.", "b")
    read_both = [read(ASPIRIN, relevance, 0.1, 0.9, 0.1), read(other, relevance, 0.9, 0.1)]
    kept = texts(quoted_statements([ASPIRIN, other], read_both, 0.3, 6))
    assert ("Aspirin can cause serious bleeding." in kept) == whole
    assert "Ibuprofen does not prevent clots." in kept


@pytest.mark.parametrize(("relevance", "shown"), [(LEAST_RELEVANCE_WITH_OTHERS, 3), (0.69, 0)])
def test_a_short_page_that_answers_as_a_whole_and_by_no_sentence_is_quoted(
    relevance: float, shown: int
) -> None:
    other = page("Ibuprofen does not prevent clots.", "b")
    read_both = [read(other, 0.2, 0.1), read(ASPIRIN, relevance, 0.1, 0.15, 0.1)]
    kept = quoted_statements([other, ASPIRIN], read_both, 0.1, 6)
    assert len(kept) == shown


def test_if_a_question_may_mean_several_topics_no_page_is_quoted_whole() -> None:
    other = page("Ibuprofen does not prevent clots. It is no substitute for aspirin.", "b")
    read_both = [
        {**read(ASPIRIN, 0.9, 0.1, 0.9, 0.1), "topics": ["aspirin", "ibuprofen"]},
        {**read(other, 0.9, 0.9, 0.1), "topics": ["aspirin", "ibuprofen"]},
    ]
    assert texts(quoted_statements([ASPIRIN, other], read_both, 0.5, 6)) == [
        "Aspirin helps to prevent clots.",
        "Ibuprofen does not prevent clots.",
    ]


def test_what_repeats_a_page_that_is_quoted_whole_is_left_out() -> None:
    other = page("Aspirin can also cause stomach bleeding, it is true.", "b")
    first = page("Aspirin helps to prevent clots. Aspirin can also cause stomach bleeding.", "a")
    read_both = [read(first, 0.9, 0.9, 0.1), read(other, 0.9, 0.9)]
    assert texts(quoted_statements([first, other], read_both, 0.5, 6)) == [
        "Aspirin helps to prevent clots.",
        "Aspirin can also cause stomach bleeding.",
    ]


def test_no_more_of_a_page_is_quoted_than_asked_for() -> None:
    kept = texts(quoted_statements([ASPIRIN], [read(ASPIRIN, 0.9, 0.1, 0.9, 0.2)], 0.5, 2))
    assert len(kept) == 2
    assert kept[0] == "Aspirin helps to prevent clots."


def test_a_long_page_is_never_quoted_whole() -> None:
    passage = page(
        " ".join(
            f"Aspirin has the known use number {n}0." for n in range(MOST_UNITS_QUOTED_WHOLE + 1)
        )
    )
    kept = quoted_statements(
        [passage], [read(passage, 0.9, 0.9, *[0.1] * MOST_UNITS_QUOTED_WHOLE)], 0.5, 30
    )
    assert len(kept) == 1


SIX = page(
    "Dog bites are washed with soap. Deep bites need stitches. Dog bites of the hand need care. "
    "Old people heal slowly. Tetanus vaccines are renewed. Fever after a bite needs a doctor."
)
ABROAD = page(
    "Rabies is prevented by vaccines. Vaccines are given abroad too. Cats get rabies.", "b"
)


@pytest.mark.parametrize(
    ("relevance", "chances", "shown"),
    [
        (0.8, (QUOTED, QUOTED, 0.1), ABROAD.text[: ABROAD.text.index(" Cats")]),
        (0.8, (QUOTED, QUOTED - 0.01, 0.1), ""),  # one good sentence is not enough
        (0.7, (0.9, 0.9, 0.9), ""),  # not almost as relevant as the first page
    ],
)
def test_after_a_page_quoted_whole_come_two_good_sentences_of_the_next(
    relevance: float, chances: tuple[float, ...], shown: str
) -> None:
    read_both = [read(SIX, 0.9, *[0.9] * 6), read(ABROAD, relevance, *chances)]
    kept = texts(quoted_statements([SIX, ABROAD], read_both, 0.5, 6))
    assert len(kept) == 6 + (2 if shown else 0)
    assert " ".join(kept[6:]) == shown


def test_nothing_follows_a_page_that_the_setting_does_not_let_be_quoted_whole() -> None:
    read_both = [read(SIX, 0.9, *[0.9] * 6), read(ABROAD, 0.9, 0.9, 0.9, 0.9)]
    assert len(quoted_statements([SIX, ABROAD], read_both, 0.5, 4)) == 4


def test_of_two_further_pages_the_more_relevant_one_follows() -> None:
    other = page("Bites of bats need vaccines. Bites of bats are small.", "c")
    read_all = [
        read(SIX, 0.9, *[0.9] * 6),
        read(other, 0.8, 0.9, 0.9),
        read(ABROAD, 0.85, 0.9, 0.9, 0.1),
    ]
    kept = texts(quoted_statements([SIX, other, ABROAD], read_all, 0.5, 6))
    assert kept[6:] == ["Rabies is prevented by vaccines.", "Vaccines are given abroad too."]
