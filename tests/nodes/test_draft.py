import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.draft import parse, says_not_found
from prompts import NOT_FOUND

IDS = ["a#0", "b#0", "c#0"]


def told(text: str) -> list[tuple[str, list[str]]]:
    return [(item["text"], item["citations"]) for item in parse(text, IDS)]


def test_each_sentence_is_a_statement_with_the_passages_it_cites() -> None:
    assert told("Asthma causes wheezing [1]. It can be treated [2, 3].") == [
        ("Asthma causes wheezing.", ["a#0"]),
        ("It can be treated.", ["b#0", "c#0"]),
    ]


def test_a_marker_behind_the_full_stop_belongs_to_the_sentence_before() -> None:
    assert told("Asthma causes wheezing. [1] Fever is rare. [2][3]") == [
        ("Asthma causes wheezing.", ["a#0"]),
        ("Fever is rare.", ["b#0", "c#0"]),
    ]


def test_a_number_without_a_passage_is_dropped_and_the_statement_is_uncited() -> None:
    assert told("Asthma causes wheezing [7].") == [("Asthma causes wheezing.", [])]
    assert told("Asthma causes wheezing [0].") == [("Asthma causes wheezing.", [])]


@pytest.mark.parametrize(
    ("marker", "cited"),
    [
        ("[1-3]", ["a#0", "b#0", "c#0"]),
        ("[^1]", ["a#0"]),
        ("[Document 2]", ["b#0"]),
        ("【1】", ["a#0"]),
        ("【2†source】", ["b#0"]),
        ("[7-9]", []),
    ],
)
def test_citations_are_read_however_they_are_written(marker: str, cited: list[str]) -> None:
    assert told(f"Asthma causes wheezing {marker}.") == [("Asthma causes wheezing.", cited)]


def test_thoughts_markup_headings_and_a_list_of_sources_are_no_statements() -> None:
    text = (
        "<think>Honey cures it.</think># Answer\n**Asthma** causes wheezing [1].\nSources:\n[1] X"
    )
    assert told(text) == [("Asthma causes wheezing.", ["a#0"])]


def test_an_endless_number_is_no_error() -> None:
    assert told(f"Asthma causes wheezing [{'1' * 5000}].")


def test_bullets_become_statements() -> None:
    assert told("- Wheezing is a sign [1]\n2. Cough is a sign [2]") == [
        ("Wheezing is a sign", ["a#0"]),
        ("Cough is a sign", ["b#0"]),
    ]


def test_the_sentinel_is_no_statement() -> None:
    assert says_not_found(f"{NOT_FOUND}.")
    assert told(f"{NOT_FOUND}.") == []
    assert says_not_found("Answer **not\nfound** in context.")
    assert not says_not_found(f"<think>{NOT_FOUND}</think>Asthma causes wheezing.")


@given(st.text(max_size=300))
def test_no_text_cites_what_is_not_there(text: str) -> None:
    for item in parse(text, IDS):
        assert set(item["citations"]) <= set(IDS)
        assert item["verdict"] == "unchecked"
        assert item["text"].strip()
