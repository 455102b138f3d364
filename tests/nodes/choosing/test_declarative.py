import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.language.words import content_stems
from nodes.choosing.declarative import asks_for_exception, hypothesis, statement_of
from nodes.fields.options import is_yes_no
from training.examples import records


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Is metformin safe in pregnancy?", "Metformin is safe in pregnancy."),
        ("Does aspirin reduce stroke risk?", "Aspirin reduces stroke risk."),
        ("Do statins cause muscle pain?", "Statins cause muscle pain."),
        ("Did the vaccine reduce deaths?", "The vaccine reduced deaths."),
        ("Can propofol cause green urine?", "Propofol can cause green urine."),
        ("May children take aspirin?", "Children may take aspirin."),
        (
            "Should children under 2 receive honey?",
            "Children under 2 should receive honey.",
        ),
        ("Has aspirin been tested in gout?", "Aspirin has been tested in gout."),
        ("Was the trial stopped early?", "The trial was stopped early."),
        (
            "Is therapy for cancer of the skin effective?",
            "Therapy for cancer of the skin is effective.",
        ),
        ("Is cadherin a plasma membrane marker?", "Cadherin is a plasma membrane marker."),
        (
            "Does a diet rich in salt affect and worsen asthma?",
            "A diet rich in salt affects and worsens asthma.",
        ),
        ("Does weight change affect survival?", "Weight change affects survival."),
        ("Does anaemia adversely affect outcome?", "Anaemia adversely affects outcome."),
        ("Do men who take statins live longer?", "Men who take statins live longer."),
        ("Does ibuprofen not help in gout?", "Ibuprofen does not help in gout."),
        ("Does hesperidin have any role in gout?", "Hesperidin has some role in gout."),
        (
            "Is there a connection between gout and diet?",
            "There is a connection between gout and diet.",
        ),
        ("Is it safe to take ibuprofen with gout?", "It is safe to take ibuprofen with gout."),
        (
            "Asthma in adults: does exercise improve sleep?",
            "Asthma in adults: Exercise improves sleep.",
        ),
        ("Keyhole surgery: is it safe in children?", "Keyhole surgery is safe in children."),
        ("Gout after surgery: a rare complication?", "Gout after surgery is a rare complication."),
        ("In gout, is colchicine effective?", "In gout, colchicine is effective."),
        ("Tocilizumab is an antibody, yes or no?", "Tocilizumab is an antibody."),
        (
            "She takes warfarin for a clot. Is ibuprofen safe with warfarin?",
            "She takes warfarin for a clot: Ibuprofen is safe with warfarin.",
        ),
        ("My son has measles. Is it contagious?", "My son has measles. It is contagious."),
        (
            "Are women who are treated for gout at risk of falls?",
            "Women who are treated for gout are at risk of falls.",
        ),
        ("Is gout any different from arthritis?", "Gout is different from arthritis."),
        ("Is p53 mutated in melanoma?", "p53 is mutated in melanoma."),
    ],
)
def test_a_yes_no_question_becomes_its_statement(question: str, statement: str) -> None:
    assert statement_of(question) == statement


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "Is",
        "Does it?",
        "What is gout?",
        "Which drug is used in gout?",
        "How is asthma treated?",
        "Why does gout hurt?",
        "metformin dose",
        "Is it contagious?",
        "What is measles, is it contagious?",
        "Gout and asthma: a cause?",
        "Treatment of gout: which drug?",
    ],
)
def test_what_is_no_yes_no_question_has_no_statement(question: str) -> None:
    assert statement_of(question) is None


@pytest.mark.parametrize(
    ("question", "option", "statement"),
    [
        ("Which of the following drugs causes gout?", "aspirin", "Aspirin causes gout."),
        ("Which drugs cause gout?", "Aspirin", "Aspirin causes gout."),
        ("Which vitamin is deficient in scurvy?", "Vitamin C", "Vitamin C is deficient in scurvy."),
        ("What is the treatment of gout?", "colchicine", "The treatment of gout is colchicine."),
        ("What causes scurvy?", "A lack of vitamin C", "A lack of vitamin C causes scurvy."),
        ("What does aspirin inhibit?", "cyclooxygenase", "Aspirin inhibits cyclooxygenase."),
        ("What is metformin used for?", "Diabetes", "Metformin is used for Diabetes."),
        ("The drug of choice is:", "Colchicine.", "The drug of choice is Colchicine."),
        ("Scurvy is caused by", "A lack of iron", "Scurvy is caused by a lack of iron."),
        ("Lack of ____ causes scurvy.", "vitamin C", "Lack of vitamin C causes scurvy."),
        ("Who discovered insulin?", "Frederick Banting", "Frederick Banting discovered insulin."),
        ("Where is insulin produced?", "The pancreas", "Insulin is produced in the pancreas."),
        ("In which organ is insulin produced?", "the liver", "Insulin is produced in the liver."),
        ("How many lobes does the left lung have?", "2", "The left lung has 2 lobes."),
        (
            "Patients with gout are at risk of which disease?",
            "Kidney stones",
            "Patients with gout are at risk of Kidney stones.",
        ),
        (
            "In a child with fever, which of the following is a sign of measles?",
            "Rash",
            "In a child with fever, Rash is a sign of measles.",
        ),
        ("Which is true about metformin?", "Causes weight loss", "Metformin causes weight loss."),
        ("Test to exclude a disease", "Sensitivity", "Test to exclude a disease: Sensitivity."),
    ],
)  # fmt: skip
def test_an_option_stands_in_the_place_that_its_question_leaves(
    question: str, option: str, statement: str
) -> None:
    assert not asks_for_exception(question)
    assert hypothesis(question, option) == statement


@pytest.mark.parametrize(
    ("question", "option", "statement"),
    [
        ("All of the following cause gout EXCEPT:", "beer", "Beer causes gout."),
        (
            "All of the following are signs of gout except",
            "Pain",
            "Pain is among the signs of gout.",
        ),
        ("Which of the following is not a cause of gout?", "rice", "Rice is a cause of gout."),
        ("Which of the following does not cause gout?", "rice", "Rice causes gout."),
        ("Which of these isn't used in gout?", "iron", "Iron is used in gout."),
        ("Aspirin cannot be given in which of these?", "Gout", "Aspirin can be given in Gout."),
        ("Which of the following is NOT seen in gout?", "Pain", "Pain is seen in gout."),
        ("Which drug is least likely to cause gout?", "iron", "Iron is likely to cause gout."),
        ("Maculopapular rash is not seen in", "Zoster", "Maculopapular rash is seen in Zoster."),
        ("Anti D is given in all except?", "Abortion", "Anti D is given in Abortion."),
        (
            "Which of the following is false about metformin?",
            "Causes weight loss",
            "Metformin causes weight loss.",
        ),
        ("Not true about metformin is", "It is a drug", "Metformin: It is a drug."),
    ],
)  # fmt: skip
def test_of_a_question_for_the_exception_the_statement_is_the_positive_one(
    question: str, option: str, statement: str
) -> None:
    assert asks_for_exception(question)
    assert hypothesis(question, option) == statement


@pytest.mark.parametrize(
    "question",
    [
        "Which drug is used in patients who do not respond to aspirin?",
        "Which drug is used when surgery is not possible?",
        "If the nerve does not heal, which of the following is seen?",
        "The boy does not speak. Which of the following is the diagnosis?",
        "All of the following about gout are false except:",
        "Why is aspirin not given to children?",
        "Is aspirin not safe?",
        "The pattern belongs to (figure not shown):",
        "Which of the following is a false positive?",
        "Which drug was given in the wrong dose?",
        "Which drug is safe for all patients except children?",
    ],
)
def test_a_not_that_is_not_asked_of_the_options_negates_nothing(question: str) -> None:
    assert not asks_for_exception(question)


def test_a_case_history_goes_in_front_only_where_the_question_refers_back() -> None:
    case = "A man has a swollen toe. He drinks beer."
    assert (
        hypothesis(f"{case} What is the most likely diagnosis?", "Gout")
        == "The most likely diagnosis is Gout."
    )
    assert (
        hypothesis(f"{case} Which drug is best for this patient?", "Colchicine")
        == f"{case} Colchicine is best for this patient."
    )


def test_of_a_long_case_history_the_whole_sentences_nearest_the_question_are_kept() -> None:
    long = " ".join(["He reports pain in the toe and the knee and the hip."] * 8)
    text = hypothesis(f"{long} Which drug is best for this patient?", "Colchicine")
    # A sentence has 12 words: five of them fit into 60.
    assert text.count("He reports pain") == 5
    assert text.endswith(" Colchicine is best for this patient.")


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_text_is_read_without_an_error(question: str, option: str) -> None:
    statement_of(question)
    asks_for_exception(question)
    assert hypothesis(question, option).endswith(".")


NAMES = st.text("bcdfgklmnprt", min_size=5, max_size=12).map(lambda name: f"x{name}a")


@given(NAMES, NAMES)
def test_statement_and_hypothesis_keep_the_names(subject: str, thing: str) -> None:
    assert statement_of(f"Does {subject} cause {thing}?") == f"X{subject[1:]} causes {thing}."
    assert hypothesis(f"Which of the following causes {thing}?", subject) == (
        f"X{subject[1:]} causes {thing}."
    )


def test_published_yes_no_questions_become_statements_with_all_their_words(
    shared_data: Path,
) -> None:
    """Titles that ask, of PubMedQA, and questions of BioASQ.

    In the two halves of each, .944 and .932, .982 and .988 have a statement, and .996, .996, .988
    and 1 of these keep all words. Of 80 that were read, one has its verb in the wrong place.
    """
    titles = [row["question"] for row in records(shared_data, "pubmedqa_pqal")]
    polar = [row["question"] for row in records(shared_data, "mirage") if is_yes_no(row["options"])]
    for asked, least in ((titles, 0.92), (polar, 0.97)):
        made = [(question, found) for question in asked if (found := statement_of(question))]
        assert len(made) > least * len(asked)
        kept = [
            content_stems(question) <= content_stems(found) | {"yes"} for question, found in made
        ]
        assert sum(kept) > 0.98 * len(made)
        assert not [found for _, found in made if "?" in found[-2:]]


def test_exceptions_of_examinations_are_recognised_also_without_capitals(
    shared_data: Path,
) -> None:
    """All 32 with a word in capitals are; of 2,800 questions without a negation, 3 are."""
    asked = [row["question"] for row in records(shared_data, "mirage")]
    capitals = [
        question
        for question in asked
        if re.search(r"\b(EXCEPT|NOT|FALSE|LEAST|INCORRECT)\b", question)
    ]
    assert len(capitals) > 30
    assert all(
        asks_for_exception(capital) and asks_for_exception(capital.lower()) for capital in capitals
    )
    negated = re.compile(r"except|not|n't|false|least|incorrect|wrong|untrue|unlikely|never|\bno\b")
    plain = [question for question in asked[::3] if not negated.search(question.lower())]
    assert sum(map(asks_for_exception, plain)) < 0.005 * len(plain)
