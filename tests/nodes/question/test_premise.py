import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.language.text import tokenize
from nodes.question.premise import Assumption, premise_of
from tests.data_sets import ROOT, questions_on_passages, sentences_of_messages


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("Since aspirin cures flu, how much should I take?", "Aspirin cures flu."),
        ("since aspirin cures flu how much should I take", "Aspirin cures flu."),
        ("Because vaccines cause autism, should I skip them?", "Vaccines cause autism."),
        ("Given that sugar feeds cancer, what should I eat?", "Sugar feeds cancer."),
        ("As we all know that garlic cures colds, is it safe?", "Garlic cures colds."),
        ("Now that aspirin is safe in pregnancy, can I?", "Aspirin is safe in pregnancy."),
        ("Seeing that statins damage the liver, can I stop?", "Statins damage the liver."),
        ("I know vitamin C cures colds, so how much is enough?", "Vitamin C cures colds."),
        ("Vaccines cause autism, so should my son skip them?", "Vaccines cause autism."),
        ("Should I stop since insulin causes blindness?", "Insulin causes blindness."),
        ("Since homeopathy works, which remedy is best?", "Homeopathy works."),
        ("Because vaccines do not work, should I skip them?", "Vaccines do not work."),
        ("Since the flu is caused by bacteria, what helps?", "The flu is caused by bacteria."),
        ("I have a cold. Because zinc cures colds, can I take it?", "Zinc cures colds."),
        ("Since gout is very rare, who gets it?", "Gout is very rare."),
        (
            "Since HIV cannot be cured when treated late, am I safe?",
            "HIV cannot be cured when treated late.",
        ),
        (
            "Since aspirin is safe when pregnant should I take it?",
            "Aspirin is safe when pregnant.",
        ),
        ("Since aspirin cures flu when should I take it?", "Aspirin cures flu."),
        ("Since gout can be cured, what now?", "Gout can be cured."),
        ("Given that gout is not common, who gets it?", "Gout is not common."),
        (
            "Since gout is the most common arthritis, who gets it?",
            "Gout is the most common arthritis.",
        ),
        ("Since gout does not appear in men, who gets it?", "Gout does not appear in men."),
        ("Because gout affects only children, what helps?", "Gout affects only children."),
        (
            "Since gout is a skin disease that affects children, what helps?",
            "Gout is a skin disease that affects children.",
        ),
        ("Since gout can not be treated, what helps?", "Gout can not be treated."),
        ("Since insulin contains sugar, what else helps?", "Insulin contains sugar."),
        ("Why is type 1 diabetes not permanent?", "Type 1 diabetes is not permanent."),
        ("Why does sugar cause ADHD?", "Sugar causes ADHD."),
        ("Why is Huntington disease never inherited?", "Huntington disease is never inherited."),
        ("Why does sugar actually cause ADHD?", "Sugar causes ADHD."),
        ("Why does fibre help lose weight?", "Fibre helps lose weight."),
        ("Why does smoking increase risk of gout?", "Smoking increases risk of gout."),
        ("Why do antibiotics work against viruses?", "Antibiotics work against viruses."),
        ("Why don't antibiotics kill viruses?", "Antibiotics do not kill viruses."),
        ("Why does vitamin C not prevent colds?", "Vitamin C does not prevent colds."),
        ("Why is autism caused by vaccines?", "Autism is caused by vaccines."),
        ("Why are statins dangerous?", "Statins are dangerous."),
        ("How does vitamin C cure cancer?", "Vitamin C cures cancer."),
        ("How can garlic cure cancer?", "Garlic can cure cancer."),
        ("How is cancer cured by vitamin C?", "Cancer is cured by vitamin C."),
        ("How come vaccines cause autism?", "Vaccines cause autism."),
    ],
)
def test_what_a_question_takes_for_granted_is_found(question: str, claim: str) -> None:
    assert premise_of(question) == Assumption(claim, certain=True)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What are the symptoms of asthma?",
        "Does vitamin C cure colds?",
        "Is it true that vaccines cause autism?",
        # Times.
        "Since last week my knee hurts, what is it?",
        "Since my surgery, what can I eat?",
        "Since statins were discovered, how many people have died?",
        "How long has it been since aspirin is dangerous?",
        # The asker, and others whom no document knows.
        "Since I am pregnant, can I take aspirin?",
        "Since I was a child, is it hereditary?",
        "Because my son has asthma, can he swim?",
        "I have gout, so what should I eat?",
        "I know that my son has asthma, so what should he do?",
        "Since the pain is worse at night, could it be cancer?",
        "Should I change the dose since triglycerides are high?",
        "Blood pressure is 150/90, so should I worry?",
        "Since the rash appears at night, what could it be?",
        "Since that is a disease, what helps?",
        "Since the cause of that is a virus, what helps?",
        "Since test results are high, what should I do?",
        "Since this cough is very painful, what helps?",
        "Why does my knee hurt?",
        "Why does coffee make me nervous?",
        # A pronoun may stand for anything.
        "Should I skip vaccines because they cause autism?",
        "Why does it cause cancer?",
        # Whether the reason holds is what is asked.
        "Is aspirin bad because aspirin causes bleeding?",
        # Little is taken for granted.
        "How is asthma treated?",
        "How is gout treated by doctors?",
        "How does asthma affect the lungs?",
        "How do doctors treat asthma?",
        "How can parents prevent obesity in children?",
        "How do I prevent gout?",
        "How can gout be prevented?",
        # Which word is the verb is not plain.
        "Why does liver damage cause itching?",
        "Why does the cause matter?",
        "Why does liver damage happen?",
        "Why does liver damage not suddenly develop?",
        "Why can tissue damage start late?",
    ],
)
def test_what_is_no_claim_about_medicine_is_left_alone(question: str) -> None:
    found = premise_of(question)
    assert found is None or (not found.certain and question.startswith("Since "))


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        (
            "Since blood is not supplied to the heart by arteries, what is a heart attack?",
            "Blood is not supplied to the heart by arteries.",
        ),
        (
            "Since mutations in SLC1A3 have been found in ataxia type 18, is it inherited?",
            "Mutations in SLC1A3 have been found in ataxia type 18.",
        ),
    ],
)
def test_a_clause_that_may_claim_something_is_marked_as_that(question: str, claim: str) -> None:
    assert premise_of(question) == Assumption(claim, certain=False)


@pytest.mark.parametrize(
    "question",
    [
        "Since I am pregnant, can I take aspirin?",
        "Since my surgery failed, what can I eat?",
        "Since the pain is worse at night, could it be cancer?",
        "Since it is not inherited, what causes Miller syndrome?",
        "Since last week, what has changed?",
        "Since statins were discovered, how many have died?",
        "Since antibiotics have not helped, what else can be done for strep throat?",
        "Since antibiotics did not work, what else helps against whooping cough?",
        "Since treatment is not working, what else helps against acne?",
        "Since antibiotics cannot be used, what treats pink eye?",
        "Since surgery is not possible, what helps?",
        "Since antibiotics no longer help, what else can be done?",
        "Since ibuprofen does not help anymore, what else can be taken?",
        "Since surgery failed, what is next?",
        "Since metformin caused diarrhea, what else is there?",
        "Since cancer has spread to the bones, what is the outlook?",
        "Since urine contains blood, what could it be?",
        "Since blood pressure remains high, what should be done?",
        "Since biopsy results are benign, what is next?",
        "Since fever comes every night, what could it be?",
        "Since baby needs formula, which one is best?",
        "How is asthma treated?",
    ],
)
def test_a_clause_on_the_asker_or_on_what_went_before_is_none(question: str) -> None:
    assert premise_of(question) is None


def test_a_certain_claim_goes_before_one_that_may_be_one() -> None:
    said = "Since statins need fat, what changed? Since zinc cures colds, can I take it?"
    assert premise_of(said) == Assumption("Zinc cures colds.", certain=True)


WORDS = st.lists(
    st.sampled_from("since because why how does do is aspirin cures cause flu , ? . so I".split()),
    max_size=14,
)


@given(WORDS)
def test_a_claim_is_made_of_the_questions_words(words: list[str]) -> None:
    question = " ".join(words)
    found = premise_of(question)
    if found:
        assert found.text.endswith(".")
        texts, asked = (
            {word.rstrip("s") for word in tokenize(text)} for text in (found.text, question)
        )
        assert texts <= asked


def test_claims_on_pages_are_found_behind_since_and_cut_in_few_cases() -> None:
    """Claims that were written for another purpose, on pages of MedQuAD.

    In the two halves of all, .480 and .483 are found as they are, and .015 and .013 cut short.
    """
    lines = (ROOT / "training" / "claims.jsonl").read_text("utf-8").splitlines()
    claims = [json.loads(line)["claim"] for line in lines[::10]]
    found = [premise_of(f"Since {claim.rstrip('.')}, what should I do?") for claim in claims]
    whole = [
        assumption is not None and assumption.text == claim
        for assumption, claim in zip(found, claims, strict=True)
    ]
    assert sum(whole) > 0.45 * len(claims)
    assert sum(assumption is not None for assumption in found) - sum(whole) < 0.03 * len(claims)


def test_what_people_write_of_themselves_is_no_premise_and_few_questions_have_one() -> None:
    pattern = re.compile(r"(i|my|he|she|we)\b", re.IGNORECASE)
    said = [text.rstrip(".!") for text in sentences_of_messages()[::2] if pattern.match(text)]
    assert len(said) > 400
    for text in said:
        assert premise_of(f"Since {text}, what should I do?") is None, text
    # Of all 7,336, 12 have one: 10 and 2 in the two halves.
    asked = questions_on_passages()[::3]
    assert sum(premise_of(text) is not None for text in asked) <= 0.004 * len(asked)
