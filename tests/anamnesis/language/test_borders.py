"""Where clauses end."""

import re

import pytest

from anamnesis.language.borders import ASKING, border


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("It helps, but not always.", ["It helps", "", "not always", ""]),
        ("Rest (in bed) helps; so do fluids", ["Rest", "in bed", "helps", "", "do fluids"]),
        ("Rest as butter melts", ["Rest as butter melts"]),
    ],
)
def test_a_clause_ends_at_marks_and_words(text: str, clauses: list[str]) -> None:
    assert [item.strip() for item in re.split(border("so"), text)] == clauses


def test_the_items_of_a_list_are_one_clause() -> None:
    text = "ibuprofen, aspirin and codeine: so avoid them"
    assert re.split(border(comma=False), text) == [
        "ibuprofen, aspirin and codeine",
        " so avoid them",
    ]


@pytest.mark.parametrize("word", ["what", "does", "are", "could", "would"])
def test_a_question_begins_with(word: str) -> None:
    assert re.fullmatch(ASKING, word)


@pytest.mark.parametrize("word", ["was", "did", "aspirin", "which"])
def test_no_question_begins_with(word: str) -> None:
    assert not re.fullmatch(ASKING, word)
