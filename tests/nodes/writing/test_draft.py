import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.writing.draft import (
    Written,
    WrittenChoice,
    WrittenStatement,
    claim_text,
    parse,
    problem_text,
    read_free_text,
    read_structured,
    says_not_found,
    without_unfinished_sentence,
)
from prompts import NOT_FOUND

IDS = ["a#0", "b#0", "c#0"]


def claims_in(text: str) -> list[tuple[str, list[str]]]:
    return [(item["text"], item["citations"]) for item in parse(text, IDS)]


def test_each_sentence_is_a_statement_with_the_passages_it_cites() -> None:
    assert claims_in("Asthma causes wheezing [1]. It can be treated [2, 3].") == [
        ("Asthma causes wheezing.", ["a#0"]),
        ("It can be treated.", ["b#0", "c#0"]),
    ]


def test_a_marker_behind_the_full_stop_belongs_to_the_sentence_before() -> None:
    assert claims_in("Asthma causes wheezing. [1] Fever is rare. [2][3]") == [
        ("Asthma causes wheezing.", ["a#0"]),
        ("Fever is rare.", ["b#0", "c#0"]),
    ]


def test_a_number_without_a_passage_is_dropped_and_the_statement_is_uncited() -> None:
    assert claims_in("Asthma causes wheezing [7].") == [("Asthma causes wheezing.", [])]
    assert claims_in("Asthma causes wheezing [0].") == [("Asthma causes wheezing.", [])]


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
    assert claims_in(f"Asthma causes wheezing {marker}.") == [("Asthma causes wheezing.", cited)]


def test_thoughts_markup_headings_and_a_list_of_sources_are_no_statements() -> None:
    text = (
        "<think>Honey cures it.</think># Answer\n**Asthma** causes wheezing [1].\nSources:\n[1] X"
    )
    assert claims_in(text) == [("Asthma causes wheezing.", ["a#0"])]


def test_an_endless_number_is_no_error() -> None:
    assert claims_in(f"Asthma causes wheezing [{'1' * 5000}].")


def test_bullets_become_statements() -> None:
    assert claims_in("- Wheezing is a sign [1]\n2. Cough is a sign [2]") == [
        ("Wheezing is a sign", ["a#0"]),
        ("Cough is a sign", ["b#0"]),
    ]


def test_items_of_a_few_words_are_stated_with_their_lead_in() -> None:
    text = (
        "Asthma is common. Signs of asthma include [1]:\n- Wheezing\n- COPD [2]\n"
        "- Some people with asthma cough all night long as well\nOther things:\nFever"
    )
    assert claims_in(text) == [
        ("Asthma is common.", []),
        ("Signs of asthma include: wheezing", ["a#0"]),
        ("Signs of asthma include: COPD", ["a#0", "b#0"]),
        ("Some people with asthma cough all night long as well", []),
        ("Fever", []),
    ]


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("The answer is: Asthma causes wheezing.", "Asthma causes wheezing."),
        ("Answer: the document states that asthma causes wheezing.", "Asthma causes wheezing."),
        ("The document claims that asthma causes wheezing.", "Asthma causes wheezing."),
        ("According to the passage, asthma causes wheezing.", "Asthma causes wheezing."),
        ("What is asthma?: Asthma causes wheezing.", "Asthma causes wheezing."),
        ("The answer is no.", ""),
        ("Answer: no.", ""),
        ("Yes", ""),
        ("No treatment is needed.", "No treatment is needed."),
        (
            "The documents do not say that asthma heals.",
            "The documents do not say that asthma heals.",
        ),
        ("The answer to this question is:", ""),
        ("What are the signs of asthma?", ""),
        ("Question: What are the signs of asthma?", ""),
        ("Incorrect answer: Asthma is harmless at any age.", ""),
        ("The wrong statement is: asthma is harmless at any age.", ""),
        ("The correct answer: asthma causes wheezing.", "Asthma causes wheezing."),
        ("False teeth can be cleaned: use a brush.", ""),
        ("…", ""),
    ],
)
def test_what_leads_up_to_a_claim_is_left_off(said: str, claim: str) -> None:
    assert claim_text(said) == claim


@given(st.text())
def test_a_claim_is_the_end_of_what_was_said(said: str) -> None:
    assert said.strip().casefold().endswith(claim_text(said)[1:].casefold())


def test_the_sentinel_is_no_statement() -> None:
    assert says_not_found(f"{NOT_FOUND}.")
    assert claims_in(f"{NOT_FOUND}.") == []
    assert says_not_found("Answer **not\nfound** in context.")
    assert not says_not_found(f"<think>{NOT_FOUND}</think>Asthma causes wheezing.")


@given(st.text(max_size=300))
def test_no_text_cites_what_is_not_there(text: str) -> None:
    for item in parse(text, IDS):
        assert set(item["citations"]) <= set(IDS)
        assert item["verdict"] == "unchecked"
        assert item["text"].strip()


OPTIONS = {"A": "aspirin", "B": "honey"}


def test_what_a_model_repeats_is_one_statement() -> None:
    parsed = read_free_text("Rest helps [1]. Water helps [1]. Rest HELPS [2].", ["a", "b"], {})
    assert [(statement["text"], statement["citations"]) for statement in parsed.statements] == [
        ("Rest helps.", ["a", "b"]),
        ("Water helps.", ["a"]),
    ]


def test_what_the_model_was_not_shown_is_not_cited() -> None:
    parsed = read_free_text("Rest helps [1][2].", ["", "b"], {})
    assert parsed.statements[0]["citations"] == ["b"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Rest helps. Aspirin is given to chil", "Rest helps. "),
        ("Aspirin is given to chil", ""),
        ("", ""),
        ("Rest helps.", ""),  # nobody knows whether the sentence went on
    ],
)
def test_a_text_that_broke_off_loses_its_last_sentence(text: str, whole: str) -> None:
    assert without_unfinished_sentence(text) == whole


def test_a_text_that_names_an_option_gives_it_and_its_reasons() -> None:
    parsed = read_free_text("Answer: B\nHoney calms a cough [1].", ["a"], OPTIONS)
    assert parsed.choice == "B"
    assert [statement["text"] for statement in parsed.statements] == ["Honey calms a cough."]


@pytest.mark.parametrize("text", ["Both help [1].", ""])
def test_a_text_that_names_no_option_cannot_be_used(text: str) -> None:
    assert read_free_text(text, ["a"], OPTIONS).problem == "no_option"


@pytest.mark.parametrize("text", ["Answer: B", "Honey", "honey."])
def test_the_words_of_an_option_name_it(text: str) -> None:
    assert read_free_text(text, ["a"], OPTIONS) == ([], "B", None)


def test_not_found_is_no_problem() -> None:
    assert read_free_text(f"{NOT_FOUND}.", ["a"], OPTIONS) == ([], None, None)
    assert read_structured(Written(found=False, statements=[]), ["a"], {}) == ([], None, None)


def test_an_answer_by_schema_is_read_as_one_in_text_is() -> None:
    said = [
        WrittenStatement(text="Honey calms a cough [2].", citations=[1, 9]),
        WrittenStatement(text="Honey is sweet. It is sticky.", citations=[]),
    ]
    parsed = read_structured(
        WrittenChoice(found=True, choice="b", statements=said), ["a", "b"], OPTIONS
    )
    assert parsed.choice == "B"
    assert [(statement["text"], statement["citations"]) for statement in parsed.statements] == [
        ("Honey calms a cough.", ["b", "a"]),
        ("Honey is sweet.", []),
        ("It is sticky.", []),
    ]


@pytest.mark.parametrize("choice", [None, "C", "A or B"])
def test_an_answer_by_schema_must_name_one_option(choice: str | None) -> None:
    said = [WrittenStatement(text="Honey calms a cough.", citations=[1])]
    parsed = read_structured(
        WrittenChoice(found=True, choice=choice, statements=said), ["a"], OPTIONS
    )
    assert parsed.problem == "no_option"
    assert problem_text(parsed.problem, OPTIONS) == "Name exactly one option: A, B."


def test_an_option_by_schema_needs_no_reason_yet() -> None:
    empty = WrittenChoice(found=True, choice="A", statements=[])
    assert read_structured(empty, ["a"], OPTIONS) == ([], "A", None)


def test_where_nothing_is_to_be_chosen_no_choice_is_asked_for() -> None:
    assert "choice" not in Written.model_json_schema()["properties"]
    assert "choice" in WrittenChoice.model_json_schema()["properties"]


def test_where_to_read_more_is_no_claim() -> None:
    assert claim_text("For more information, go to the Blood Transfusion article.") == ""
    assert claim_text("To learn more, visit the page.") == ""
    assert claim_text("Visit a doctor if it hurts.") == "Visit a doctor if it hurts."
    assert claim_text("More information is needed.") == "More information is needed."
