"""The classifier of messages about somebody's health, with the shipped weights."""

import numpy as np
import pytest

from anamnesis.models.health_message import LEAST, about_someones_health, person_inputs


@pytest.mark.parametrize(
    "message",
    [
        "rash on left arm, itchy, three days now, what helps",
        "knee pain when running, 34, no swelling",
        "on metformin, diarrhea every morning",
        "grandmother on warfarin, knee osteoarthritis. ibuprofen ok? foods to avoid?",
        "my son has a rash",
    ],
)
def test_a_message_about_symptoms_or_medicines_needs_no_pronoun(message: str) -> None:
    assert about_someones_health(message) >= LEAST


@pytest.mark.parametrize(
    "message",
    [
        "what is gout",
        "symptoms of asthma",
        "side effects of metformin",
        "I am a nursing student, what is sepsis",
    ],
)
def test_a_question_about_a_topic_is_none(message: str) -> None:
    assert about_someones_health(message) < LEAST


def test_half_a_character_is_read() -> None:
    assert 0 <= about_someones_health("\ud83d") <= 1


def test_a_word_for_a_person_is_an_input_of_its_own() -> None:
    made = person_inputs(["itchy rash", "my rash itches"], np.zeros((2, 3), np.float32))
    assert made.shape == (2, 4)
    assert made[:, -1].tolist() == [0, 1]
