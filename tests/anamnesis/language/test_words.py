"""Content words, topics, stems and singulars; no other module has a rule for the singular."""

import ast
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.cautions import comparison_key, condition_names, medicine_names, mentions
from anamnesis.corpus.starter import read_starter
from anamnesis.language.variants import kinds
from anamnesis.language.words import (
    content_terms,
    has_words_of,
    overlap,
    repeated,
    singular,
    topic_terms,
)
from anamnesis.memory.refine import ground
from tests.test_house import FLOORS, ROOT

QUESTIONS = [record.question for record in read_starter()]
SINGULAR = {
    "anamnesis/language/words.py": "the one rule, and stems",
    "anamnesis/language/quantities.py": "units, which are looked up in a table with and without s",
}
"""The modules that remove a final s, and why."""


@pytest.mark.parametrize(
    ("word", "single"),
    [
        ("tablets", "tablet"),
        ("diabetes", "diabete"),
        ("psoriasis", "psoriasis"),
        ("lupus", "lupus"),
        ("illness", "illness"),
        ("gas", "gas"),
        ("haemorrhoids", "haemorrhoid"),
        ("fever", "fever"),
    ],
)
def test_the_singular_of_a_word(word: str, single: str) -> None:
    assert singular(word) == single


def test_every_reader_of_names_has_the_same_singular() -> None:
    assert comparison_key("Psoriasis and haemorrhoids") == ("psoriasis", "and", "hemorrhoid")
    assert comparison_key("St John's wort") == comparison_key("st johns wort")
    assert list(kinds("Hepatitis A, hepatitis B")) == ["hepatitis"]
    assert ground("The user has lupus.", "I have lupus.") == "I have lupus"
    assert ground("The user uses tablets.", "I use a tablet.") == "I use a tablet"


@pytest.mark.parametrize("name", ["SSRIs", "snris", "MAOIs", "an SSRI", "Eliquis", "St Johns wort"])
def test_a_medicine_of_the_tables_is_found_in_its_plural(name: str) -> None:
    assert mentions(f"Should I take {name}?", medicine_names())


@pytest.mark.parametrize("name", ["leukemia", "leukaemia", "psoriasis", "sleep apnea"])
def test_a_condition_of_the_tables_is_found_in_both_spellings(name: str) -> None:
    assert mentions(f"I have {name}.", condition_names())


def _removing(tree: ast.Module) -> Iterator[int]:
    """The lines that remove a final s from a text: by name, or after a test for it."""
    for node in ast.walk(tree):
        text = ast.unparse(node)
        if isinstance(node, ast.Call):
            if re.search(r"\.(?:rstrip|removesuffix)\('s'\)$", text):
                yield node.lineno
        elif isinstance(node, ast.IfExp | ast.FunctionDef):
            words = re.findall(r"(\w+)\.endswith\('s'\)", text)
            if any(f"{word}[:-1]" in text for word in words):
                yield node.lineno
        elif isinstance(node, ast.Subscript) and text == "unit[:-1]":
            yield node.lineno


def test_no_other_module_removes_a_final_s() -> None:
    found = {
        str(path.relative_to(ROOT))
        for package in FLOORS
        for path in sorted((ROOT / package).rglob("*.py"))
        if any(_removing(ast.parse(path.read_text("utf-8"))))
    }
    assert found == set(SINGULAR), "use anamnesis.language.words.singular"


@pytest.mark.parametrize(
    "written",
    [
        'def f(word):\n    return word.rstrip("s")',
        'def f(word):\n    return word.lower().removesuffix("s") if len(word) > 3 else word',
        'def f(word):\n    return word[:-1] if word.endswith("s") else word',
        'def f(word):\n    if word.endswith("s"):\n        word = word[:-1]\n    return word',
        'def f(word):\n    many = word.endswith("s")\n    return word[:-1] if many else word',
    ],
)
def test_a_second_rule_is_found(written: str) -> None:
    assert list(_removing(ast.parse(written)))


def test_function_words_and_adverbs_carry_no_meaning() -> None:
    asked = "What are the symptoms of a rapidly growing family of anomalies?"
    assert content_terms(asked) == ["symptoms", "growing", "family", "anomalies"]


def test_order_and_repeats_stay() -> None:
    assert content_terms("Gout, and gout; drug9!") == ["gout", "gout", "drug9"]
    assert content_terms("What is it?") == []


def test_overlap_is_a_share_of_the_shorter_text() -> None:
    assert overlap("gout hurts", "gout hurts the big toe") == 1.0
    assert overlap("gout hurts", "asthma narrows airways") == 0.0
    assert overlap("", "gout") == 0.0


def test_a_text_with_another_number_is_no_repetition() -> None:
    early = "Pills with levonorgestrel are taken within 3 days."
    assert repeated("Levonorgestrel pills are taken within 3 days.", [early]) == 1.0
    assert repeated("Pills with ulipristal are taken within 5 days.", [early]) == 0.0
    assert repeated("Pills with levonorgestrel are taken early.", [early, "Asthma"]) > 0.7


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What are the symptoms of ovarian cancer?", ["ovarian", "cancer"]),
        ("How is hypothyroidism treated?", ["hypothyroidism"]),
        ("What are the symptoms of a urinary tract infection?", ["urinary", "tract"]),
        ("What triggers migraines and how can they be prevented?", ["triggers", "migraines"]),
        ("What are the side effects of ibuprofen?", ["ibuprofen"]),
        ("Should older women take it?", []),
    ],
)
def test_aspects_of_a_topic_do_not_name_it(question: str, topic: list[str]) -> None:
    assert topic_terms(question) == topic


@pytest.mark.parametrize(
    ("text", "topic", "named"),
    [
        ("Is prostate cancer common in old men?", "Prostate cancer", True),
        ("Do kidney stones pass by themselves?", "Kidney stone", True),
        ("Is cancer common in old men?", "Prostate cancer", False),
        ("Is a stone painful?", "Kidney stones", False),
    ],
)
def test_a_text_names_a_topic_by_all_of_its_words(text: str, topic: str, named: bool) -> None:
    assert has_words_of(text, topic) is named


@given(st.sampled_from(QUESTIONS), st.sampled_from(QUESTIONS))
def test_overlap_is_mutual_and_a_part_shares_everything(one: str, other: str) -> None:
    assert overlap(one, other) == overlap(other, one)
    assert 0 <= overlap(one, other) <= 1
    assert overlap(one, f"{other} {one}") == 1
