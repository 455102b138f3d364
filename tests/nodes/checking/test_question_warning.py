"""Warnings on what a question puts together."""

from datetime import UTC, datetime

import pytest

from anamnesis.memory.profile import Entry, entry
from nodes.checking.question_warning import MOST, question_warnings

TODAY = datetime(2026, 5, 4, tzinfo=UTC)


def warned(question: str, *profile: Entry) -> list[tuple[str, str]]:
    found = question_warnings(question, profile, TODAY)
    return [(one["entry"], one["medicine"]) for one in found]


def also(text: str) -> Entry:
    """An entry that the question only mentions."""
    return entry(text)._replace(mentioned=True)


@pytest.mark.parametrize(
    ("question", "profile", "medicines"),
    [
        ("Is ibuprofen safe?", "medicine: warfarin", ["ibuprofen"]),
        ("Is paracetamol safe?", "medicine: warfarin", []),
        ("Is Advil or aspirin safe?", "medicine: warfarin", ["Advil", "aspirin"]),
        ("Is cranberry juice safe?", "medicine: warfarin", ["cranberry juice"]),
        ("Is amoxicillin safe? I am allergic to penicillin.", "allergy: penicillin",
         ["amoxicillin"]),
        ("I am allergic to penicillin.", "allergy: penicillin", []),
        ("Is aspirin safe?", "age: 9", ["aspirin"]),
        ("Is aspirin safe?", "age: 40", []),
        ("What about a glass of wine?", "medicine: metronidazole", ["wine"]),
        ("Is ibuprofen safe?", "condition: bad stomach ulcer", ["ibuprofen"]),
        ("Is prednisolone safe?", "condition: duodenal ulcer", ["prednisolone"]),
        ("Is ibuprofen safe?", "condition: mouth ulcer", []),
        ("Is ibuprofen safe?", "condition: ulcer on my leg", []),
    ],
)  # fmt: skip
def test_a_medicine_asked_about_is_compared_with_the_profile(
    question: str, profile: str, medicines: list[str]
) -> None:
    assert warned(question, entry(profile)) == [(profile, one) for one in medicines]


def test_two_medicines_are_warned_of_once_whichever_comes_first() -> None:
    both = (also("medicine: ibuprofen"), also("medicine: warfarin"))
    assert warned("ibuprofen with warfarin?", *both) == [("medicine: ibuprofen", "warfarin")]
    assert warned("ibuprofen with warfarin?", *both[::-1]) == [("medicine: warfarin", "ibuprofen")]


def test_a_medicine_under_two_names_is_warned_of_once() -> None:
    named = [also(f"medicine: {one}") for one in ("Zestril", "lisinopril", "ibuprofen", "Nurofen")]
    found = warned("Zestril (lisinopril) with ibuprofen (Nurofen)?", *named)
    assert found == [("medicine: Zestril", "ibuprofen")]
    both = [also("condition: asthma"), also("condition: asthmatic")]
    assert len(warned("asthma, asthmatic: is ibuprofen safe?", *both)) == 1


def test_a_medicine_that_is_denied_is_not_warned_of() -> None:
    assert warned("I don't drink alcohol.", also("medicine: zopiclone")) == []


def test_medicines_that_are_taken_anyway_come_last_and_no_more_than_a_few_are_shown() -> None:
    taken = [entry(f"medicine: {one}") for one in ("lisinopril", "spironolactone", "warfarin")]
    both = ("medicine: lisinopril", "spironolactone")
    said = "I take lisinopril, spironolactone and warfarin."
    assert warned(said, *taken) == [both]
    assert warned(f"{said} Is naproxen safe?", *taken) == [
        ("medicine: lisinopril", "naproxen"),
        ("medicine: warfarin", "naproxen"),
        both,
    ]
    found = warned(f"{said} Are naproxen, fluconazole, Bactrim and aspirin safe?", *taken)
    assert len(found) == MOST
    assert both not in found


@pytest.mark.parametrize(
    ("entry", "begins"),
    [
        (also("age: 0"), "The question mentions a baby and aspirin, which can"),
        (also("age: 6"), "The question mentions an age of 6 years and aspirin, which can"),
        (also("allergy: Nurofen"), "The question mentions an allergy to Nurofen and aspirin, whi"),
        (entry("medicine: warfarin"), "You said that you take warfarin, and the question mentions"),
    ],
)
def test_a_warning_says_what_was_mentioned_and_what_was_said(entry: Entry, begins: str) -> None:
    [warning] = question_warnings("aspirin for a fever?", [entry], TODAY)
    assert warning["text"].startswith(begins)
    assert warning["text"].endswith("). Ask a doctor or pharmacist first.")
