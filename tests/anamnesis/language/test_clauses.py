"""Questions of the starter corpus, and others, as statements: which word is the verb."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.starter import read_starter
from anamnesis.language.clauses import AUXILIARIES, BASE_VERBS, declared, finite, inflected

QUESTIONS = [record.question for record in read_starter()]
YES_NO = [item for item in QUESTIONS if re.match(r"(?:is|are|do|does|can|should)\b", item, re.I)]


@pytest.mark.parametrize(
    ("clause", "statement"),
    [
        ("Does allopurinol treat a gout attack", "allopurinol treats a gout attack"),
        ("Does high blood pressure cause any symptoms", "high blood pressure causes some symptoms"),
        (
            "Does nicotine replacement therapy help people stop smoking",
            "nicotine replacement therapy helps people stop smoking",
        ),
        ("Does a high PSA test mean prostate cancer", "a high PSA test means prostate cancer"),
        ("Do antibiotics work for a cold or the flu", "antibiotics work for a cold or the flu"),
        (
            "Can atorvastatin or another statin cause muscle pain",
            "atorvastatin or another statin can cause muscle pain",
        ),
        (
            "Are benzodiazepines such as diazepam addictive",
            "benzodiazepines such as diazepam are addictive",
        ),
        ("Is breathing secondhand smoke harmful", "breathing secondhand smoke is harmful"),
        (
            "Is diphenhydramine safe for older people as a sleep aid",
            "diphenhydramine is safe for older people as a sleep aid",
        ),
        (
            "Is there a treatment or cure for Alzheimer's disease",
            "there is a treatment or cure for Alzheimer's disease",
        ),
        ("Is there any cure for HIV", "there is some cure for HIV"),
        ("does it cause autism", "it causes autism"),
        ("Has the rash been there since Monday?", "the rash has been there since Monday"),
        ("Did the fever go after two days?", "the fever went after two days"),
        ("Doesn't aspirin harm children", "aspirin harms children"),
    ],
)
def test_the_subject_comes_before_the_verb(clause: str, statement: str) -> None:
    assert declared(clause) == statement


@pytest.mark.parametrize(
    "clause", ["", "”", "Is", "Is measles", "measles is dangerous", "what is gout"]
)
def test_what_begins_with_no_auxiliary_and_subject_is_no_clause(clause: str) -> None:
    assert declared(clause) is None


@pytest.mark.parametrize("question", YES_NO)
def test_no_word_of_a_question_is_lost(question: str) -> None:
    """But for 'do', which becomes an ending, and 'any', which becomes 'some'."""
    found = declared(question)
    assert found
    aux, *words = question.strip(" ?").lower().split()
    said = found.lower().split()
    assert len(said) == len(words) + (not aux.startswith("do"))
    kept = {word for word in words if word not in BASE_VERBS and word != "any"}
    assert kept <= set(said)
    assert aux in said or aux.startswith("do")


@pytest.mark.parametrize(
    ("verb", "aux", "expected"),
    [
        ("treat", "does", "treats"), ("pass", "does", "passes"), ("go", "does", "goes"),
        ("carry", "does", "carries"), ("delay", "does", "delays"), ("have", "does", "has"),
        ("carry", "did", "carried"), ("cause", "did", "caused"), ("spread", "did", "spread"),
        ("undergo", "did", "underwent"), ("treat", "do", "treat"),
    ],
)  # fmt: skip
def test_a_verb_takes_the_ending_of_what_is_removed(verb: str, aux: str, expected: str) -> None:
    assert inflected(verb, aux) == expected


@given(st.sampled_from(sorted(BASE_VERBS)))
def test_the_third_person_of_every_verb_is_finite(verb: str) -> None:
    assert finite(inflected(verb, "does"))
    assert not finite(verb) or verb in AUXILIARIES
