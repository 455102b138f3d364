"""Planted errors change one thing, and what is put in is not in the source."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.planted import _KINDS, CONTRADICTING, Planted, corrupt
from evaluation.vocabulary import Vocabulary

WORDS = Vocabulary.of(
    ["Marfan syndrome", "Down syndrome", "Turner syndrome", "Rett syndrome", "gout"],
    ["The FBN1 gene. FBN1 again, FBN1. TP53 TP53 TP53. " + "dermatitis " * 3 + "hepatitis " * 3],
)
TRUE = "Gout affects 4 percent of men and can cause arthritis."


def changed(kind: str, sentence: str, premise: str = "", seed: int = 0) -> str | None:
    return _KINDS[kind](sentence, premise or sentence, WORDS, random.Random(seed))


@pytest.mark.parametrize(
    ("kind", "sentence", "expected"),
    [
        ("negation", "Gout is contagious.", "Gout is not contagious."),
        ("negation", "Gout is not contagious.", "Gout is contagious."),
        ("negation", "It does not spread.", "It spread."),
        ("negation", "You cannot catch it.", "You can catch it."),
        ("negation", "You can't always prevent it.", "You can always prevent it."),
        ("negation", "It isn’t known why.", "It is known why."),
        ("negation", "Doctors don't know why.", "Doctors know why."),
        ("negation", "There is no cure.", "There is some cure."),
        ("negation", "The gene causes gout.", "The gene does not cause gout."),
        ("direction", "It increases the risk.", "It decreases the risk."),
        ("population", "It is seen in boys.", "It is seen in girls."),
        ("roles", "Smoking can cause lung cancer.", "Lung cancer can cause smoking."),
        ("certainty", "The cause is unclear.", "The cause is clear."),
    ],
)
def test_each_kind_changes_what_it_says(kind: str, sentence: str, expected: str) -> None:
    assert changed(kind, sentence) == expected


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("number", "It has a cause."),
        ("dose", "In 2010 it was found."),
        ("population", "It hurts."),
        ("roles", "It hurts."),
        ("entity", "It hurts."),
    ],
)
def test_a_kind_that_does_not_fit_leaves_it(kind: str, sentence: str) -> None:
    assert changed(kind, sentence) is None


@pytest.mark.parametrize("seed", range(20))
def test_doses_keep_a_number_and_a_unit(seed: int) -> None:
    found = changed("dose", "Take 20 mg daily.", seed=seed)
    assert found is not None
    assert found != "Take 20 mg daily."
    assert found.startswith("Take ")
    assert found.endswith(" daily.")


@given(st.integers(0, 10_000))
def test_what_is_put_in_is_not_in_the_premise(seed: int) -> None:
    planted = corrupt(TRUE, TRUE, WORDS, random.Random(seed), "gout")
    assert isinstance(planted, Planted)
    assert planted.text != TRUE
    new = set(planted.text.lower().rstrip(".").split()) - set(TRUE.lower().rstrip(".").split())
    assert new or planted.kind in {"roles", "negation"}


def test_the_seed_decides() -> None:
    one, two = (corrupt(TRUE, TRUE, WORDS, random.Random(3), "gout") for _ in range(2))
    assert one == two


def test_a_topic_gives_way_to_one_of_its_kind() -> None:
    sentence = "Marfan syndrome is a disorder of connective tissue."
    found = {
        corrupt(sentence, sentence, WORDS, random.Random(n), "Marfan syndrome") for n in range(60)
    }
    topics = {
        planted.text.partition(" is ")[0]
        for planted in found
        if planted and planted.kind == "entity"
    }
    assert topics >= {"Down syndrome", "Turner syndrome", "Rett syndrome"}


def test_vocabulary_holds_what_occurs_often_enough() -> None:
    assert WORDS.symbols == ["FBN1", "TP53"]
    assert WORDS.suffixed == {"itis": ["dermatitis", "hepatitis"]}
    assert WORDS.topics["syndrome"][0] == "Down syndrome"


def test_what_the_source_denies_is_distinguished_from_what_it_lacks() -> None:
    assert set(_KINDS) > CONTRADICTING
