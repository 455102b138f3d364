"""The vocabulary of opposites, and what reads it."""

import pytest

from anamnesis.language.opposites import derived, form, opposites, pairs
from evaluation.swaps import SWAPS
from nodes.checking.checks import failed_checks
from nodes.checking.differing import differs_in_detail
from nodes.checking.opposing import opposing

KINDS = ("claim", "denies", "aspect", "people", "general")


def test_no_pair_stands_twice_and_no_word_is_its_own_opposite() -> None:
    every = [frozenset(pair) for pair in pairs(*KINDS)]
    assert all(len(pair) == 2 for pair in every)
    assert len(set(every)) == len(every) > 1000


@pytest.mark.parametrize(
    ("word", "other"),
    [("higher", "lower"), ("increased", "decreasing"), ("quickly", "slow"), ("worse", "better")],
)
def test_all_forms_of_a_word_have_its_opposite(word: str, other: str) -> None:
    assert form(other) in opposites(form(word))
    assert form(word) in opposites(form(other))


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("contagious", "noncontagious"),
        ("hyperkalemia", "hypokalemia"),
        ("painful", "painless"),
        ("tachycardia", "bradycardia"),
        ("regular", "irregular"),
    ],
)
def test_words_that_only_begin_or_end_otherwise_are_opposites(word: str, other: str) -> None:
    assert form(other) in derived(form(word))
    assert form(word) in derived(form(other))


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("Cheaper generic tablets are sold.", "Less expensive generic tablets are sold."),
        ("Atypical symptoms occur in women.", "Less typical symptoms occur in women."),
        ("Deadly tumors need surgery.", "The tumors need surgery while living tissue is kept."),
    ],
)
def test_what_says_the_same_is_no_opposite(statement: str, evidence: str) -> None:
    assert opposing(statement, evidence) == []


def test_less_before_a_word_is_no_licence_to_say_its_opposite_of_more() -> None:
    assert opposing("Expensive tablets are sold here.", "Cheap tablets are sold here.") == ["cheap"]


def test_what_is_planted_is_found_by_the_check() -> None:
    single = [pair for pair in SWAPS["direction"] if "-" not in "".join(pair)]
    assert len(single) > 50
    for one, other in single:
        evidence, statement = (f"The {word} finding matters to doctors." for word in (one, other))
        codes = [failed["code"] for failed in failed_checks(statement, evidence)]
        assert "opposite" in codes, (one, other)


def test_only_what_cannot_both_be_true_is_a_conflict_of_documents() -> None:
    assert differs_in_detail(
        "Smoking increases the risk of gout.", "Smoking decreases the risk of gout."
    )
    assert not differs_in_detail(
        "The left kidney lies higher up.", "The right kidney lies higher up."
    )
