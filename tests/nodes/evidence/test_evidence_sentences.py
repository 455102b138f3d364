"""Which sentences of one passage are quoted, and what belongs to them."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.corpus.starter import read_starter
from anamnesis.language.quotable import Unit, units
from nodes.evidence.sentences import (
    BEST,
    QUOTED,
    ScoredUnit,
    choose_units,
    with_antecedent,
    with_qualification,
)


def made(*texts: str, passage: int = 0) -> list[Unit]:
    """Units that stand far apart."""
    span = units("A b c d.")[0].span
    return [Unit(passage, place, span, text) for place, text in enumerate(texts)]


def chosen(found: Sequence[Unit], chances: Sequence[float], most: int = 5) -> list[str]:
    pairs = [ScoredUnit(unit, chance) for unit, chance in zip(found, chances, strict=True)]
    return [unit.text for unit in choose_units(pairs, [], most).units]


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


def test_what_says_the_same_again_is_left_out() -> None:
    found = made("Gout hurts the big toe.", "The big toe hurts in gout.")
    assert chosen(found, [0.7, 0.6]) == [found[0].text]


def test_a_sentence_that_refers_back_comes_with_the_one_before_or_not_at_all() -> None:
    text = "Gout is a disease of joints. It can be treated."
    found = units(text)
    assert chosen(found, [0.1, 0.9]) == ["Gout is a disease of joints.", "It can be treated."]
    assert chosen(found[1:], [0.9]) == []
    assert chosen(found, [0.1, 0.9], most=1) == []


TEXTS = [record.text for record in read_starter()][::40]


@settings(max_examples=30)
@given(
    st.sampled_from(TEXTS), st.lists(st.floats(0, 1), min_size=20, max_size=20), st.integers(0, 5)
)
def test_what_is_chosen_is_of_the_passage_once_and_what_is_not_has_a_reason(
    text: str, chances: list[float], most: int
) -> None:
    found = units(text)
    scored = [ScoredUnit(unit, chance) for unit, chance in zip(found, chances, strict=False)]
    chosen = choose_units(scored, [], most)
    assert len(chosen.units) <= most
    assert len(set(chosen.units)) == len(chosen.units)
    assert {*chosen.units} | {*chosen.reasons_not_quoted} == {item.unit for item in scored}
    assert not {*chosen.units} & {*chosen.reasons_not_quoted}
    assert all("probability" in why for why in chosen.reasons_not_quoted.values())
    # What was quoted before is not quoted again.
    assert not {*choose_units(scored, chosen.units, most).units} & {*chosen.units}


CROUP = (
    "Croup is usually caused by a virus. It can also follow a cold. But it is rare in adults. "
    "The cough is worse at night."
)


def test_a_sentence_that_refers_back_is_in_a_group_with_its_antecedent() -> None:
    found = units(CROUP)
    assert [with_antecedent(found, at) for at in range(4)] == [[0], [0, 1], [0, 1, 2], [3]]
    assert with_antecedent(found[1:], 0) == []


def test_what_restricts_or_extends_a_sentence_is_shown_with_it() -> None:
    found = units(CROUP)
    assert with_qualification([found[0]], found) == found[:3]
    assert with_qualification([found[3], found[0]], found) == [found[3], *found[:3]]
    assert with_qualification([found[0], found[1]], found) == found[:3]
