"""The classifier of questions about the user's own record, with the shipped weights."""

from pathlib import Path

import pytest

from anamnesis.models.own_record import LEAST, about_own_record


@pytest.mark.parametrize(
    "question",
    [
        "Could you look up which tablets I said I use for my heart?",
        "what was my sugar the last time I wrote to you",
        "Please list the allergies that I have told you about.",
    ],
)
def test_a_question_about_ones_own_record_is_one(question: str) -> None:
    assert about_own_record(question) >= LEAST


@pytest.mark.parametrize(
    "question",
    [
        "Which painkiller is safe with warfarin?",
        "I have asthma and am allergic to aspirin, what can I take for a headache?",
        "Why does my knee hurt after running?",
        "What is gout?",
        "",
        "\ud83d",
    ],
)
def test_a_medical_question_is_none(question: str) -> None:
    assert about_own_record(question) < 0.5


def test_questions_that_were_written_without_those_of_training_are_recognised() -> None:
    """In the two halves of all, 35 of 44 and 46 of 56 on a record are, and 0 of 76 and 4 of 64."""
    file = Path(__file__).parents[3] / "benchmarks" / "own_record_questions.tsv"
    rows = [line.split("\t") for line in file.read_text("utf-8").splitlines()[1:]][1::4]
    found = [(label, about_own_record(question) >= LEAST) for label, question in rows]
    on_record = [asks for label, asks in found if label == "1"]
    assert sum(on_record) >= 0.7 * len(on_record)
    assert sum(asks for label, asks in found if label == "0") <= 3
