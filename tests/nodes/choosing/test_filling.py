"""An option in its place in the question, without the marks that end a question."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.corpus.starter import read_starter
from nodes.choosing.declarative import hypothesis
from nodes.choosing.filling import CHOICE, fill_in
from nodes.fields.options import is_yes_no
from training.examples import records

QUESTIONS = [record.question.rstrip("?") for record in read_starter()]


@pytest.mark.parametrize(
    ("question", "option", "statement"),
    [
        # Questions of the starter corpus.
        (
            "What causes hives",
            "An allergic reaction to food",
            "An allergic reaction to food causes hives",
        ),
        ("Who needs a bone density scan", "Older women", "Older women needs a bone density scan"),
        ("What is croup", "An infection", "croup is an infection"),
        (
            "How long should I wash my hands",
            "For 20 seconds",
            "I should wash my hands for 20 seconds",
        ),
        (
            "How many hours of sleep do adults need",
            "At least seven",
            "adults need At least seven hours of sleep",
        ),
        ("How is hypothyroidism treated", "With levothyroxine",
         "hypothyroidism is treated with levothyroxine"),
        ("Why should I take folic acid before pregnancy", "It protects the baby",
         "I should take folic acid before pregnancy because it protects the baby"),
        # Others.
        ("Gout is caused by crystals of ____ in a joint", "uric acid",
         "Gout is caused by crystals of uric acid in a joint"),
        ("Where is insulin made", "The pancreas", "insulin is made in the pancreas"),
        ("Which of the following is true about croup", "Is caused by a virus",
         "croup is caused by a virus"),
        ("Which organ does hepatitis affect", "The liver", "hepatitis affects the liver"),
        ("Which drug treats gout attacks", "Colchicine", "Colchicine treats gout attacks"),
        ("Which medicines treat gout attacks", "Colchicine", "Colchicine treats gout attacks"),
        ("In which organ is bile made", "The liver", "bile is made in the liver"),
        ("Gout attacks are treated with", "Colchicine",
         "Gout attacks are treated with Colchicine"),
        ("A man has gout", "Colchicine", "A man has gout: Colchicine"),
    ],
)  # fmt: skip
def test_the_option_takes_the_place_of_what_is_asked_for(
    question: str, option: str, statement: str
) -> None:
    assert fill_in(question, option) == statement


@settings(max_examples=60)
@given(st.sampled_from(QUESTIONS), st.sampled_from(["Colchicine", "the liver", "It rests", "iron"]))
def test_the_option_is_always_there(question: str, option: str) -> None:
    assert option.casefold() in fill_in(question, option).casefold()


@pytest.mark.parametrize(
    ("question", "choice"),
    [
        ("Which of the following medicines lowers uric acid", "Which of the following"),
        ("What triggers migraines", "What"),
        ("All of these are signs of a stroke", "All of these"),
        ("Call for help at once", None),
    ],
)
def test_the_words_that_stand_for_the_options_are_found(question: str, choice: str | None) -> None:
    found = CHOICE.search(question)
    assert (found and found[0]) == choice


def test_options_of_examinations_are_put_into_their_questions(shared_data: Path) -> None:
    """Of the first options of 3,236 questions, in two halves, .81 and .83 get a place by a rule; 0
    and 4 leave a 'which of' behind.
    """
    filled = left = 0
    rows = [row for row in records(shared_data, "mirage") if not is_yes_no(row["options"])][::6]
    for row in rows:
        option = " ".join(row["options"]["A"].split()).strip(' .;,"')
        found = hypothesis(row["question"], option).rstrip(".")
        assert option.lower() in found.lower()
        filled += not found.endswith(f": {option}")
        last = found.split(". ")[-1].lower()
        left += not found.endswith(f": {option}") and " which of " in f" {last}"
    assert filled > 0.78 * len(rows)
    assert left < 0.005 * len(rows)
