"""Which sentences are quoted, given what the reader says of them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.language.quotable import quoted, units
from graph import Context
from nodes.evidence.sentences import (
    ADDED,
    with_qualification,
)
from nodes.writing.extract import (
    extract_quotations,
)
from nodes.writing.unquoted import dropped_sentences
from nodes.writing.weighing import source_ranks
from nodes.writing.whole_page import LEAST_RELEVANCE_QUOTED_WHOLE
from tests.nodes.pages import page, quoted_statements, read, texts

PLAIN: dict[str, Any] = {"source_rank": None, "question": "", "checked_question": ""}
"""No sources are weighed, and no question is compared."""


def test_a_less_likely_sentence_is_added_only_if_the_likely_ones_are_few() -> None:
    passage = page("Gout hurts the big toe. Gout can run in families. Rest helps against gout.")
    low = LEAST_RELEVANCE_QUOTED_WHOLE - 0.01
    entry = read(passage, low, 0.9, ADDED, 0.9)
    assert len(quoted_statements([passage], [entry], 0.3, 3)) == 3
    assert texts(quoted_statements([passage], [entry], 0.3, 2)) == [
        "Gout hurts the big toe.",
        "Rest helps against gout.",
    ]
    assert (
        len(quoted_statements([passage], [read(passage, low, 0.9, ADDED - 0.01, 0.9)], 0.3, 3)) == 2
    )


def test_of_two_sentences_that_differ_in_a_number_both_are_quoted() -> None:
    pills = page(
        "Emergency pills with levonorgestrel are taken within 3 days. "
        "Emergency pills with ulipristal are taken within 5 days."
    )
    assert len(quoted_statements([pills], [read(pills, 0.9, 0.8, 0.5)], 0.3, 6)) == 2


def test_a_sentence_does_not_refer_to_another_one_when_its_own_was_left_out() -> None:
    passage = page("Gout comes of uric acid. A heading\n\nIt is caused by lack of fruit.")
    kept = quoted_statements([passage], [read(passage, 0.9, 0.9, 0.1, 0.9)], 0.5, 5)
    assert texts(kept) == ["Gout comes of uric acid."]


def test_what_is_about_another_kind_gives_way_to_the_next_sentence_and_page() -> None:
    one = page("Type 1 diabetes needs insulin. Type 2 diabetes may need pills.", "a")
    other = replace(
        page("Insulin is always needed.", "b"), question="How is type 1 diabetes treated?"
    )
    third = page("Walking lowers blood sugar.", "c")
    pages = [other, one, third]
    selected = [read(other, 0.9, 0.9), read(one, 0.5, 0.9, 0.8), read(third, 0.45, 0.9)]
    question = "how is type 2 diabetes treated"
    found = extract_quotations(pages, selected, 0.3, 5, **{**PLAIN, "checked_question": question})
    assert texts(found.statements) == [
        "Type 2 diabetes may need pills.",
        "Walking lowers blood sugar.",
    ]
    left = dropped_sentences(pages, selected, found)
    assert [item["why"].lower() for item in left] == ["it fails the check kind: type 1"] * 2
    assert texts(quoted_statements(pages, selected, 0.3, 5)) == ["Insulin is always needed."]


def test_of_a_page_on_another_medicine_what_names_the_family_is_quoted() -> None:
    text = "Lisinopril may cause dizziness. ACE inhibitors such as lisinopril can cause a cough."
    source = replace(page(text, "a"), question="Does lisinopril cause a cough?")
    found = extract_quotations(
        [source],
        [read(source, 0.9, 0.9, 0.3)],
        0.3,
        5,
        **{**PLAIN, "checked_question": "ramipril cough"},
    )
    assert texts(found.statements) == ["ACE inhibitors such as lisinopril can cause a cough."]


def test_a_passage_below_the_least_relevance_is_not_quoted() -> None:
    passage = page("Gout hurts the big toe.")
    assert quoted_statements([passage], [read(passage, 0.49, 0.99)], 0.5, 5) == []
    assert texts(quoted_statements([passage], [read(passage, 0.5, 0.99)], 0.5, 5)) == [
        "Gout hurts the big toe."
    ]


def test_a_quotation_names_the_topic_of_its_page_if_the_question_does_not() -> None:
    text = "Affected individuals have scaly skin."
    passage = replace(
        page(text), focus="Lichen sclerosus", metadata={"aliases": ["Csillag disease"]}
    )

    def topic(question: str) -> str | None:
        [said] = quoted_statements([passage], [read(passage, 0.9, 0.9)], 0.5, 5, question=question)
        return said.get("topic")

    assert topic("does lichen planus itch") == "Lichen sclerosus"
    assert topic("Is lichen SCLEROSUS contagious?") is None
    assert topic("is csillag disease contagious") is None
    assert "topic" not in quoted_statements([page(text)], [read(passage, 0.9, 0.9)], 0.5, 5)[0]


def test_passages_keep_their_order_and_a_far_worse_one_is_not_quoted() -> None:
    one, other, third = (
        page("Gout hurts the toe.", "a"),
        page("The joint can swell.", "b"),
        page("Beer can bring attacks.", "c"),
    )
    selected = [read(one, 0.8, 0.9), read(other, 0.95, 0.9), read(third, 0.4, 0.9)]
    kept = quoted_statements([one, other, third], selected, 0.1, 5)
    assert [item["citations"] for item in kept] == [["a#0"], ["b#0"]]


@pytest.mark.parametrize(("relevance", "first"), [(0.73, "b"), (0.71, "a")])
def test_of_pages_almost_as_relevant_as_the_best_the_one_with_a_date_comes_first(
    relevance: float, first: str
) -> None:
    undated = page("Gout hurts the big toe.", "a")
    dated = replace(page("Rest helps against gout.", "b"), metadata={"date": "2026"})
    selected = [read(undated, 0.9, 0.9), read(dated, relevance, 0.9)]
    weighed = {**PLAIN, "source_rank": source_ranks(Context())}
    found = extract_quotations([undated, dated], selected, 0.3, 5, **weighed)
    assert found.statements[0]["citations"] == [f"{first}#0"]
    plain = extract_quotations([undated, dated], selected, 0.3, 5, **PLAIN)
    assert plain.statements[0]["citations"] == ["a#0"]


def test_a_page_of_which_nothing_can_be_quoted_does_not_hide_the_next_one() -> None:
    empty, other, weak = (
        page("Is gout inherited? Gout.org has an overview of it.", "e"),
        page("Gout can run in families.", "f"),
        page("Beer can bring attacks.", "b"),
    )
    selected = [read(empty, 0.95, 0.9, 0.1), read(other, 0.5, 0.9), read(weak, 0.3, 0.9)]
    pages = [empty, other, weak]
    found = extract_quotations(pages, selected, 0.2, 5, **PLAIN)
    assert texts(found.statements) == ["Gout can run in families."]
    why = {item["passage"]: item["why"] for item in dropped_sentences(pages, selected, found)}
    assert why["b#0"] == "relevance of the passage 0.30, below 0.40"


def test_a_list_is_quoted_whole_by_its_likeliest_item() -> None:
    passage = page("Gout has several risk factors:\n- obesity\n- alcohol")
    kept = quoted_statements([passage], [read(passage, 0.9, 0.2, 0.8, 0.1)], 0.5, 5)
    assert texts(kept) == [passage.text]


def test_what_people_wrongly_believe_is_not_quoted() -> None:
    passage = page("Myths about gout\n\nGout only affects rich men. Gout needs no treatment.")
    assert quoted_statements([passage], [read(passage, 0.9, 0.9, 0.9, 0.9)], 0.5, 5) == []


def test_what_qualifies_a_sentence_is_quoted_with_it_also_beyond_the_most() -> None:
    passage = page("Gout is cured by honey. But nobody has shown this. Gout is old.")
    kept = quoted_statements([passage], [read(passage, 0.9, 0.9, 0.1, 0.1)], 0.5, 1)
    assert texts(kept) == ["Gout is cured by honey.", "But nobody has shown this."]
    every = units(passage.text)
    assert with_qualification(every[:1], every) == every[:2]


def test_a_qualification_with_the_number_of_a_footnote_is_quoted_without_it() -> None:
    passage = page(
        "In the past, doctors advised against nuts. However, nuts do no harm.5 Seeds are fine."
    )
    kept = quoted_statements([passage], [read(passage, 0.9, 0.9, 0.1, 0.1)], 0.5, 1)
    assert texts(kept) == [
        "In the past, doctors advised against nuts.",
        "However, nuts do no harm.",
    ]
    assert all(quoted(text, passage.text) for text in texts(kept))


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=4),
    st.floats(0.01, 1),
)
def test_every_statement_quotes_the_passage_that_it_cites(
    chances: list[tuple[float, float]], least: float
) -> None:
    pages = [page("Gout hurts the toe. It can swell.", f"p{n}") for n in range(len(chances))]
    selected = [read(page, rel, one, one) for page, (rel, one) in zip(pages, chances, strict=True)]
    by_id = {page.id: page for page in pages}
    relevance = {item["id"]: item["relevance"] for item in selected}
    for item in quoted_statements(pages, selected, least, 6):
        [cited] = item["citations"]
        assert item["text"] in by_id[cited].text
        assert relevance[cited] >= least


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_most_counts_over_all_passages(most: int) -> None:
    pages = [page(f"Fact {n} is about gout {n}{n}.", f"p{n}") for n in range(4)]
    kept = quoted_statements(pages, [read(page, 0.9, 0.9) for page in pages], 0.5, most)
    assert len(kept) <= most
