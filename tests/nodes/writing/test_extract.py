"""Which sentences are quoted, given what the reader says of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import Unit, quoted, units
from anamnesis.language.text import sentences
from nodes.evidence.sentences import (
    ADDED,
    BEST,
    QUOTED,
    ScoredUnit,
    choose_units,
    with_qualification,
)
from nodes.fields.passages import Selected
from nodes.state import Statement
from nodes.writing.extract import SHORT, WHOLE, extract, extracted
from nodes.writing.unquoted import dropped_sentences

PLAIN: dict[str, Any] = {"weigh": None, "question": "", "subject": ""}
"""No sources are weighed, and no question is compared."""


def made(*texts: str, passage: int = 0) -> list[Unit]:
    """Units that stand far apart."""
    span = units("A b c d.")[0].span
    return [Unit(passage, place, span, text) for place, text in enumerate(texts)]


def chosen(found: Sequence[Unit], chances: Sequence[float], most: int = 5) -> list[str]:
    pairs = [ScoredUnit(unit, own) for unit, own in zip(found, chances, strict=True)]
    return [unit.text for unit in choose_units(pairs, [], most).units]


def page(text: str, key: str = "g", title: str = "Gout") -> Passage:
    return Passage(f"{key}#0", key, 0, len(text), text, title=title)


def read(own: Passage, relevance: float, *chances: float) -> Selected:
    spans = sentences(own.text)
    return {
        "id": own.id, "record_id": own.record_id, "score": 1.0, "ranks": {}, "scores": {},
        "relevance": relevance, "polar": {},
        "sentences": [[*span, chance] for span, chance in zip(spans, chances, strict=True)],
    }  # fmt: skip


def texts(kept: Sequence[Statement]) -> list[str]:
    return [item["text"] for item in kept]


def test_sentences_that_a_good_answer_quotes_are_quoted_the_most_direct_one_first() -> None:
    found = made("Gout hurts the toe.", "Cats are animals.", "Gout follows uric acid crystals.")
    assert chosen(found, [0.6, 0.1, 0.9]) == [found[2].text, found[0].text]


def test_behind_the_most_direct_sentence_the_others_stand_in_reading_order() -> None:
    found = made("Rest helps.", "Gout hurts the toe.", "Cold helps the joint.")
    assert chosen(found, [0.6, 0.9, 0.7]) == [found[1].text, found[0].text, found[2].text]


def test_no_more_than_asked_for() -> None:
    found = made("Gout hurts the toe.", "Asthma narrows airways.", "Measles causes rash.")
    assert len(chosen(found, [0.6, 0.6, 0.6], most=2)) == 2
    assert chosen([], []) == []


def test_where_no_sentence_is_sure_the_best_one_is_quoted_if_it_is_likely_at_all() -> None:
    found = made("Gout hurts the toe.", "Cats are animals.")
    assert chosen(found, [(BEST + QUOTED) / 2, BEST / 2]) == [found[0].text]
    assert chosen(found, [BEST / 2, BEST / 4]) == []


def test_a_less_likely_sentence_is_added_only_if_the_likely_ones_are_few() -> None:
    own = page("Gout hurts the big toe. Gout can run in families. Rest helps against gout.")
    entry = read(own, 0.7, 0.9, ADDED, 0.9)
    assert len(extract([own], [entry], 0.5, 3)) == 3
    assert texts(extract([own], [entry], 0.5, 2)) == [
        "Gout hurts the big toe.",
        "Rest helps against gout.",
    ]
    assert len(extract([own], [read(own, 0.7, 0.9, ADDED - 0.01, 0.9)], 0.5, 3)) == 2


ASPIRIN = page(
    "Aspirin can cause serious bleeding. Aspirin helps to prevent clots. "
    "For many healthy people the risk of bleeding outweighs the benefit."
)


@pytest.mark.parametrize(("relevance", "shown"), [(WHOLE, 3), (WHOLE - 0.01, 1)])
def test_a_short_page_that_surely_answers_is_quoted_whole(relevance: float, shown: int) -> None:
    kept = texts(extract([ASPIRIN], [read(ASPIRIN, relevance, 0.1, 0.9, 0.1)], 0.5, 6))
    assert kept[0] == "Aspirin helps to prevent clots."
    assert len(kept) == shown


def test_of_several_pages_none_is_quoted_whole() -> None:
    other = page("Ibuprofen does not prevent clots. It is no substitute for aspirin.", "b")
    read_both = [read(ASPIRIN, 0.9, 0.1, 0.9, 0.1), read(other, 0.9, 0.9, 0.1)]
    assert texts(extract([ASPIRIN, other], read_both, 0.5, 6)) == [
        "Aspirin helps to prevent clots.",
        "Ibuprofen does not prevent clots.",
    ]


def test_no_more_of_a_page_is_quoted_than_asked_for() -> None:
    kept = texts(extract([ASPIRIN], [read(ASPIRIN, 0.9, 0.1, 0.9, 0.2)], 0.5, 2))
    assert len(kept) == 2
    assert kept[0] == "Aspirin helps to prevent clots."


def test_a_long_page_is_never_quoted_whole() -> None:
    own = page(" ".join(f"Aspirin has the known use number {n}0." for n in range(SHORT + 1)))
    kept = extract([own], [read(own, 0.9, 0.9, *[0.1] * SHORT)], 0.5, 30)
    assert len(kept) == 1


def test_what_says_the_same_again_is_left_out() -> None:
    found = made("Gout hurts the big toe.", "The big toe hurts in gout.")
    assert chosen(found, [0.7, 0.6]) == [found[0].text]


def test_a_sentence_that_refers_back_comes_with_the_one_before_or_not_at_all() -> None:
    text = "Gout is a disease of joints. It can be treated."
    found = units(text)
    assert chosen(found, [0.1, 0.9]) == ["Gout is a disease of joints.", "It can be treated."]
    assert chosen(found[1:], [0.9]) == []
    assert chosen(found, [0.1, 0.9], most=1) == []


def test_a_sentence_does_not_refer_to_another_one_when_its_own_was_left_out() -> None:
    own = page("Gout comes of uric acid. A heading\n\nIt is caused by lack of fruit.")
    kept = extract([own], [read(own, 0.9, 0.9, 0.1, 0.9)], 0.5, 5)
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
    found = extracted(pages, selected, 0.3, 5, **{**PLAIN, "subject": question})
    assert texts(found.statements) == [
        "Type 2 diabetes may need pills.",
        "Walking lowers blood sugar.",
    ]
    left = dropped_sentences(pages, selected, found)
    assert [item["why"].lower() for item in left] == ["it fails the check kind: type 1"] * 2
    assert texts(extract(pages, selected, 0.3, 5)) == ["Insulin is always needed."]


def test_a_passage_below_the_least_relevance_is_not_quoted() -> None:
    own = page("Gout hurts the big toe.")
    assert extract([own], [read(own, 0.49, 0.99)], 0.5, 5) == []
    assert texts(extract([own], [read(own, 0.5, 0.99)], 0.5, 5)) == ["Gout hurts the big toe."]


def test_a_quotation_names_the_topic_of_its_page_if_the_question_does_not() -> None:
    text = "Affected individuals have scaly skin."
    own = replace(page(text), focus="Lichen sclerosus", metadata={"aliases": ["Csillag disease"]})

    def topic(question: str) -> str | None:
        [said] = extract([own], [read(own, 0.9, 0.9)], 0.5, 5, question=question)
        return said.get("topic")

    assert topic("does lichen planus itch") == "Lichen sclerosus"
    assert topic("Is lichen SCLEROSUS contagious?") is None
    assert topic("is csillag disease contagious") is None
    assert "topic" not in extract([page(text)], [read(own, 0.9, 0.9)], 0.5, 5)[0]


def test_passages_keep_their_order_and_a_far_worse_one_is_not_quoted() -> None:
    one, other, third = (
        page("Gout hurts the toe.", "a"),
        page("The joint can swell.", "b"),
        page("Beer can bring attacks.", "c"),
    )
    selected = [read(one, 0.8, 0.9), read(other, 0.95, 0.9), read(third, 0.4, 0.9)]
    kept = extract([one, other, third], selected, 0.1, 5)
    assert [item["citations"] for item in kept] == [["a#0"], ["b#0"]]


def test_a_page_of_which_nothing_can_be_quoted_does_not_hide_the_next_one() -> None:
    empty, other, weak = (
        page("Is gout inherited? Gout.org has an overview of it.", "e"),
        page("Gout can run in families.", "f"),
        page("Beer can bring attacks.", "b"),
    )
    selected = [read(empty, 0.95, 0.9, 0.1), read(other, 0.5, 0.9), read(weak, 0.3, 0.9)]
    pages = [empty, other, weak]
    found = extracted(pages, selected, 0.2, 5, **PLAIN)
    assert texts(found.statements) == ["Gout can run in families."]
    why = {item["passage"]: item["why"] for item in dropped_sentences(pages, selected, found)}
    assert why["b#0"] == "relevance of the passage 0.30, below 0.40"


def test_each_sentence_that_is_not_quoted_has_the_one_reason_and_its_figure() -> None:
    own = page(
        "Gout hurts the big toe. Gout hurts the big toe badly. Cats are small animals."
        " Does it last? Beer brings on the attacks. Rest helps against gout."
    )
    selected = [read(own, 0.9, 0.95, 0.9, 0.1, 0.8, 0.7, 0.6)]
    found = extracted([own], selected, 0.2, 2, **PLAIN)
    assert texts(found.statements) == ["Gout hurts the big toe.", "Beer brings on the attacks."]
    left = dropped_sentences([own], selected, found)
    assert [item["why"].removeprefix("probability of the sentence ") for item in left] == [
        "0.90, but it repeats a quotation: overlap 1.00, above 0.7",
        "0.10, below 0.40",
        "0.80, but it is no claim by itself",
        "0.60, but no more than 2 are quoted from this passage",
    ]
    assert [own.text[item["start"] : item["end"]] for item in left][1] == "Cats are small animals."


def test_a_sentence_whose_antecedent_cannot_be_quoted_says_so() -> None:
    own = page("A heading\n\nIt is caused by lack of fruit. Gout hurts the big toe.")
    selected = [read(own, 0.9, 0.1, 0.9, 0.9)]
    left = dropped_sentences([own], selected, extracted([own], selected, 0.2, 5, **PLAIN))
    assert left[1]["why"].endswith("0.90, but what it refers to cannot be quoted before it")


def test_a_passage_on_false_beliefs_is_named_as_the_reason() -> None:
    own = page("Myths about gout\n\nGout only affects rich men.")
    selected = [read(own, 0.9, 0.9, 0.9)]
    left = dropped_sentences([own], selected, extracted([own], selected, 0.2, 5, **PLAIN))
    assert {item["why"] for item in left} == {"its passage is about false beliefs"}


def test_a_list_is_quoted_whole_by_its_likeliest_item() -> None:
    own = page("Gout has several risk factors:\n- obesity\n- alcohol")
    kept = extract([own], [read(own, 0.9, 0.2, 0.8, 0.1)], 0.5, 5)
    assert texts(kept) == [own.text]


def test_what_people_wrongly_believe_is_not_quoted() -> None:
    own = page("Myths about gout\n\nGout only affects rich men. Gout needs no treatment.")
    assert extract([own], [read(own, 0.9, 0.9, 0.9, 0.9)], 0.5, 5) == []


def test_what_qualifies_a_sentence_is_quoted_with_it_also_beyond_the_most() -> None:
    own = page("Gout is cured by honey. But nobody has shown this. Gout is old.")
    kept = extract([own], [read(own, 0.9, 0.9, 0.1, 0.1)], 0.5, 1)
    assert texts(kept) == ["Gout is cured by honey.", "But nobody has shown this."]
    every = units(own.text)
    assert with_qualification(every[:1], every) == every[:2]


def test_a_qualification_with_the_number_of_a_footnote_is_quoted_without_it() -> None:
    own = page(
        "In the past, doctors advised against nuts. However, nuts do no harm.5 Seeds are fine."
    )
    kept = extract([own], [read(own, 0.9, 0.9, 0.1, 0.1)], 0.5, 1)
    assert texts(kept) == [
        "In the past, doctors advised against nuts.",
        "However, nuts do no harm.",
    ]
    assert all(quoted(text, own.text) for text in texts(kept))


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=4),
    st.floats(0.01, 1),
)
def test_every_statement_quotes_the_passage_that_it_cites(
    chances: list[tuple[float, float]], least: float
) -> None:
    pages = [page("Gout hurts the toe. It can swell.", f"p{n}") for n in range(len(chances))]
    selected = [read(own, rel, one, one) for own, (rel, one) in zip(pages, chances, strict=True)]
    by_id = {own.id: own for own in pages}
    relevance = {item["id"]: item["relevance"] for item in selected}
    for item in extract(pages, selected, least, 6):
        [cited] = item["citations"]
        assert item["text"] in by_id[cited].text
        assert relevance[cited] >= least


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_most_counts_over_all_passages(most: int) -> None:
    pages = [page(f"Fact {n} is about gout {n}{n}.", f"p{n}") for n in range(4)]
    kept = extract(pages, [read(own, 0.9, 0.9) for own in pages], 0.5, most)
    assert len(kept) <= most
