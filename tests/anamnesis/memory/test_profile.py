"""Entries of a patient profile, and what is read of a user's own words."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.corpus.cautions import cautions, comparison_key, families, medicine_names, mentions
from anamnesis.errors import SettingError
from anamnesis.memory.profile import FIELDS, Entry, entry, latest
from anamnesis.memory.reading import read_profile
from anamnesis.memory.record import Memory

THEN = datetime(2020, 1, 1, tzinfo=UTC)


def read(said: str) -> list[str]:
    return [own.text for own in read_profile(said)]


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
    [own] = read_profile("Hello. I have asthma. What helps?", THEN)
    assert own == Entry("condition", "asthma", "I have asthma.", THEN)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("penicillin", "field: value"), ("allergy:", "field: value"), ("shoe: 9", "field: value"),
        ("age: old", "number of years"), ("age: 131", "number of years"), ("age: ٣", "years"),
        ("sex: yes", "female, male, other"), ("pregnancy: no", "pregnant, breastfeeding"),
        ("allergy: " + "x" * 101, "100 characters"),
    ],
)  # fmt: skip
def test_what_is_no_entry_is_refused(text: str, told: str) -> None:
    with pytest.raises(SettingError, match=told):
        entry(text)
    with pytest.raises(SettingError, match=told):
        Memory.make(owner="ann", kind="profile", text=text)


@given(st.text(max_size=200))
def test_an_entry_is_refused_or_says_the_same_again(text: str) -> None:
    try:
        own = entry(text)
    except SettingError:
        return
    assert entry(own.text) == own


@given(st.text(max_size=300))
def test_any_text_can_be_read(said: str) -> None:
    assert all(own.field in FIELDS and own.value for own in read_profile(said))


def test_the_latest_age_counts_and_grows_older() -> None:
    old, new = entry("age: 30", stated=THEN), entry("age: 40", stated=THEN + timedelta(days=1))
    assert latest([new, old, entry("allergy: nuts"), entry("allergy: Nuts")]) == [
        new,
        entry("allergy: nuts"),
    ]
    assert new.age(THEN + timedelta(days=3 * 366)) == 43
    assert entry("age: 30").age(THEN) == 30


def test_an_entry_that_is_reworded_is_no_longer_the_users_sentence() -> None:
    own = Memory.make(owner="ann", kind="profile", text="age: 30", words="I am 30.")
    edited = own.with_text("Age: 31")
    assert (edited.text, edited.words) == ("age: 31", "")
    with pytest.raises(SettingError, match="private"):
        own.changed(scope="expert")


def test_the_tables_of_cautions_can_be_read() -> None:
    fields = {own.field for own in cautions()}
    assert fields == set(FIELDS) - {"sex"}
    assert all(own.members and own.reference for own in families().values())
    assert all(own.medicines and own.why and own.reference for own in cautions())
    assert all(own.of or own.field == "age" for own in cautions())


def test_names_are_compared_without_endings_and_apostrophes() -> None:
    assert comparison_key("St John’s wort") == comparison_key("st johns wort")
    found = mentions("Beta-blockers and co-amoxiclav.", medicine_names())
    assert [own.key for own in found] == [
        comparison_key("beta blocker"),
        comparison_key("co-amoxiclav"),
    ]
