"""Ages, allergies and names that a question mentions."""

from importlib.resources import files

import pytest

from anamnesis.corpus.cautions import (
    cautions,
    comparison_key,
    condition_names,
    medicine_names,
)
from nodes.question.circumstances import (
    ages,
    allergies,
    beyond_ages,
    denied,
    names_in,
    without_names,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("my 6 year old has a cold", [6]),
        ("a 6-month-old and a 3yo", [0.5, 3]),
        ("a man, 45 years old, or 10 yr old, 12 y/o", [45, 10, 12]),
        ("30 years ago, 5 days, for 2 years", []),
        ("a two year old", []),
        ("safe for 6 year olds, or 3-month-olds?", [6, 0.25]),
        ("grandmother (82), a boy aged 5, 5 yr. old", [5, 82]),
        ("a 200 year old remedy", []),
        ("I am 10 years sober, he is 5 years clean, she is 12 and a half weeks", []),
        ("My mum is 84 and can't sleep. Dad, 80, too; she's 9.", [84, 80, 9]),
        ("he is 6 feet, it is 90, she is 30 weeks, my dad is 84%", []),
    ],
)
def test_ages_of_anybody_are_read(text: str, found: list[float]) -> None:
    assert ages(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("My son is allergic to penicillin. Is aspirin safe?", ["penicillin"]),
        ("she has an allergy to sulfa drugs and peanuts", ["sulfa drugs", "peanuts"]),
        ("a penicillin allergy, can I take Keflex", ["penicillin"]),
        ("allergic to penicillin can he take amoxicillin", ["penicillin"]),
        ("she is not allergic to penicillin, no penicillin allergy", []),
        ("no known allergy to aspirin", []),
        ("allergic to dust", []),
        ("I am allergic to penicillin, amoxicillin ok?", ["penicillin"]),
        ("An allergy to penicillin. Amoxicillin ok?", ["penicillin"]),
        ("allergic to penicillin, aspirin and eggs", ["penicillin", "aspirin", "eggs"]),
        ("allergies: penicillin or aspirin", ["penicillin", "aspirin"]),
        ("a penicillin allergy, amoxicillin", ["penicillin"]),
        ("I do not have a penicillin allergy", []),
        ("she isn’t allergic to penicillin, never been allergic to aspirin", []),
        ("Benadryl Allergy tablets", []),
    ],
)
def test_allergies_of_anybody_are_read(text: str, found: list[str]) -> None:
    assert allergies(text) == found


@pytest.mark.parametrize(
    ("before", "is_denied"),
    [
        ("I am not ", True),
        ("no longer on ", True),
        ("I've never taken ", True),
        ("She doesn’t have ", True),
        ("why can't I take ", False),
        ("Should I not be taking ", False),
        ("she read that you cant have ", False),
        ("you should not have ", False),
        ("cannot have ", False),
        ("I am ", False),
    ],
)
def test_what_is_denied_directly_before_a_word(before: str, is_denied: bool) -> None:
    assert denied(f"{before}warfarin", len(before)) == is_denied


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("warfarin with Nurofen, and Warfarin again", ["Warfarin", "Nurofen"]),
        ("I don't drink alcohol, I take zopiclone", ["zopiclone"]),
        ("rubbing alcohol, alcohol-free beer, wine vinegar", []),
        ("cranberry juice", ["cranberry juice"]),
    ],
)
def test_medicines_are_read_as_written(text: str, found: list[str]) -> None:
    assert names_in(text, medicine_names()) == found


def test_conditions_that_are_denied_are_left_out() -> None:
    assert names_in("I have gout and no asthma", condition_names()) == ["gout"]


def test_each_other_condition_contains_the_name_of_one_with_a_caution() -> None:
    with_caution = {key for one in cautions() if one.field == "condition" for key in one.of}
    table = files("anamnesis.corpus").joinpath("other_conditions.tsv").read_text("utf-8")
    for line in table.splitlines()[1:]:
        names, contained, _ = line.split("\t")
        assert comparison_key(contained) in with_caution
        for name in map(comparison_key, names.split(",")):
            assert set(comparison_key(contained)) < set(name)
            assert name not in with_caution


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ibuprofen for a mouth ulcer", ["mouth ulcer"]),
        ("ulcers in my mouth, and a stomach ulcer", ["ulcers in my mouth", "stomach ulcer"]),
        ("I had an ulcer", ["ulcer"]),
    ],
)
def test_a_longer_name_is_another_condition(text: str, found: list[str]) -> None:
    assert names_in(text, condition_names()) == found


def test_a_text_without_its_names() -> None:
    assert without_names("baby aspirin for a boy", medicine_names()).split() == ["for", "a", "boy"]


@pytest.mark.parametrize(
    ("text", "years", "beyond"),
    [
        ("Do not give honey to babies under 1 year of age.", [2], True),
        ("Do not give honey to babies under 1 year of age.", [0], False),
        ("Babies younger than 6 months need no water.", [0.25], False),
        ("Babies younger than 6 months need no water.", [0.25, 3], False),
        ("Babies younger than 6 months need no water.", [1, 3], True),
        ("Babies over 6 months may eat it.", [0.25], True),
        ("Children under 16 should not take aspirin.", [6], False),
        ("Children over 12 may take it.", [6], True),
        ("Children over 12 may take it.", [12], False),
        ("It is not for children under the age of 2.", [5], True),
        ("Doses over 500 mg and less than 20 minutes of rest.", [30], False),
        ("Babies over 9 pounds need more.", [5], False),
        ("Children may take it.", [6], False),
        ("Do not give honey to babies under 1 year of age.", [], False),
    ],
)
def test_an_age_limit_that_leaves_out_the_age_asked_about(
    text: str, years: list[float], beyond: bool
) -> None:
    assert beyond_ages(text, years) == beyond
