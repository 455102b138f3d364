"""The classifier of questions about the user's own record, with the shipped weights."""

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
