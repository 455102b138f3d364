"""Entries of a patient profile."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.errors import SettingError
from anamnesis.memory.profile import entry, latest
from anamnesis.memory.record import Memory

THEN = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("penicillin", "field: value"), ("allergy:", "field: value"), ("shoe: 9", "field: value"),
        ("age: old", "number of years"), ("age: 131", "number of years"), ("age: ٣", "years"),
        ("sex: yes", "female, male, other"), ("pregnancy: no", "pregnant, breastfeeding"),
        ("allergy: " + "x" * 101, "100 characters"),
    ],
)  # fmt: skip
def test_what_is_no_entry_is_refused(text: str, expected: str) -> None:
    with pytest.raises(SettingError, match=expected):
        entry(text)
    with pytest.raises(SettingError, match=expected):
        Memory.make(owner="ann", kind="profile", text=text)


@given(st.text(max_size=200))
def test_an_entry_is_refused_or_says_the_same_again(text: str) -> None:
    try:
        found = entry(text)
    except SettingError:
        return
    assert entry(found.text) == found


def test_the_latest_age_counts_and_grows_older() -> None:
    old, new = entry("age: 30", stated=THEN), entry("age: 40", stated=THEN + timedelta(days=1))
    assert latest([new, old, entry("allergy: nuts"), entry("allergy: Nuts")]) == [
        new,
        entry("allergy: nuts"),
    ]
    assert new.age(THEN + timedelta(days=3 * 366)) == 43
    assert entry("age: 30").age(THEN) == 30


def test_an_entry_that_is_reworded_is_no_longer_the_users_sentence() -> None:
    memory = Memory.make(owner="ann", kind="profile", text="age: 30", words="I am 30.")
    edited = memory.edited("Age: 31")
    assert (edited.text, edited.words) == ("age: 31", "")
    with pytest.raises(SettingError, match="private"):
        memory.changed(scope="expert")
