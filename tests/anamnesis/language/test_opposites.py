"""The vocabulary of opposites, and what reads it."""

from pathlib import Path

import pytest

from anamnesis.language.opposites import affixes, derived, form, opposites, pairs
from evaluation.swaps import AFFIRMED, CERTAINTY, SWAPS
from nodes.checking.checks import failed_checks
from nodes.checking.differing import differs_in_detail
from nodes.checking.opposing import opposing
from retrievers.spelling import _OPPOSITE
from tests.opposite_pairs import pairs_in_code
from tests.test_house import ROOT

KINDS = ("claim", "denies", "aspect", "people", "general", "degree", "beginning", "ending")
FURTHER = ("planted", "exchanged", "affirmed", "misspelt")
"""The kinds that a pair can have besides."""
EXCEPTIONS = {
    ("anamnesis/memory/reading.py", "anything/nothing"): "both are no name of an allergen",
    ("anamnesis/corpus/result_values.py", "low/high"): "columns of a table",
    ("evaluation/reproduce/sparse_dense.py", "sparse/dense"): "names of methods",
    ("evaluation/urgency.py", "routine/emergency"): "labels of a data set",
}
"""Pairs that code writes, and what they are instead of opposites."""


def test_the_file_names_its_source_and_every_row_has_a_known_kind() -> None:
    file = ROOT / "anamnesis" / "language" / "opposites.tsv"
    head, *rows = file.read_text("utf-8").splitlines()
    assert head.startswith("# ")
    assert "Source: " in head
    for row in rows:
        _, _, kinds = row.split("\t")
        first, *others = kinds.split()
        assert first in (*KINDS, "misspelt"), row
        assert set(others) <= set(FURTHER), row


def test_no_pair_is_written_in_code() -> None:
    assert pairs_in_code() == set(EXCEPTIONS), "take it from opposites.tsv"


@pytest.mark.parametrize(
    "written",
    [
        'P = [(r"rais(?:e|es)|higher", r"lower(?:s|ed)?|reduce")]',
        'P = (("usually|often", ("rarely", "all")),)',
        'P = {"never": "always"}',
        "def f(text):\n    for one, other in (('more', 'less'), ('a', 'b')):\n        print(one)",
    ],
)
def test_a_pair_in_code_is_found(tmp_path: Path, written: str) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "own.py").write_text(f"{written}\n", "utf-8")
    assert pairs_in_code(tmp_path)


def test_no_pair_stands_twice_and_no_word_is_its_own_opposite() -> None:
    every = [frozenset(pair) for pair in pairs(*KINDS, *FURTHER)]
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


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("sometimes", ("always", "never", "in every case")),
        ("rarely", ("usually", "often")),
        ("often", ("rarely", "never", "always")),
        ("may be", ("is always", "are always", "must be")),
        ("unclear", ("clear",)),
    ],
)
def test_what_is_planted_for_a_degree(word: str, others: tuple[str, ...]) -> None:
    assert CERTAINTY[word] == others


def test_what_a_negation_is_replaced_by() -> None:
    assert AFFIRMED == (("never", "always"), ("no", "some"))


def test_affixes_are_those_of_the_file_in_both_orders() -> None:
    assert affixes("ending") == (
        *(("ful", "les"), ("les", "ful"), ("y", "les"), ("les", "y")),
        *(("penia", "cytosi"), ("cytosi", "penia")),
    )
    assert set(_OPPOSITE) > {("hyper", "hypo"), ("hypo", "hyper"), ("ante", "anti")}
    assert ("pre", "post") not in _OPPOSITE


def test_what_is_planted_is_found_by_the_check() -> None:
    planted = [*SWAPS["direction"], *pairs("exchanged"), *pairs("planted")]
    unread = set(pairs("degree"))
    single = [pair for pair in planted if "-" not in "".join(pair) and pair not in unread]
    assert len(single) > 60
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
