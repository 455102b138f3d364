"""What is read of a user's own words as entries of a patient profile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.memory.profile import FIELDS, Entry
from anamnesis.memory.reading import read_profile
from tests.anamnesis.memory.test_profile import THEN


def read(said: str) -> list[str]:
    return [entry.text for entry in read_profile(said)]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            "I'm allergic to nuts, eggs, and milk. What can I eat?",
            ["allergy: nuts", "allergy: eggs", "allergy: milk"],
        ),
        ("I take lisinopril and aspirin.", ["medicine: lisinopril", "medicine: aspirin"]),
        ("I'm on 5 mg of ramipril daily", ["medicine: ramipril"]),
        ("I don't have asthma but I have COPD", ["condition: COPD"]),
        (
            "I take metformin for type 2 diabetes",
            ["condition: type 2 diabetes", "medicine: metformin"],
        ),
        ("I have kidney disease and my mother has diabetes", ["condition: kidney disease"]),
    ],
)
def test_what_the_first_person_states_is_read(said: str, found: list[str]) -> None:
    assert read(said) == found


@pytest.mark.parametrize(
    "said",
    [
        "I have no diabetes.", "I take no aspirin.", "I have neither asthma nor gout.",
        "I'm on warfarin no more.", "I have diabetes in my family.", "I have a dog with epilepsy.",
        "I am a diabetic's wife.", "I am a pregnant woman's doctor.",
        "I am on the committee for diabetes.", "I live with a man with HIV.",
        "I am 200 years old.", "I have blood pressure medicine at home.",
        "My mother is allergic to penicillin.", "“I have asthma” is what he said.",
    ],
)  # fmt: skip
def test_what_is_denied_over_or_of_others_is_not_read(said: str) -> None:
    assert read(said) == []


def test_an_entry_names_its_sentence_and_when_it_was_said() -> None:
    [entry] = read_profile("Hello. I have asthma. What helps?", THEN)
    assert entry == Entry("condition", "asthma", "I have asthma.", THEN)


@given(st.text(max_size=300))
def test_any_text_can_be_read(said: str) -> None:
    assert all(entry.field in FIELDS and entry.value for entry in read_profile(said))
