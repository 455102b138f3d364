"""Warnings where a statement is about a medicine that a profile speaks against."""

from datetime import UTC, datetime, timedelta

import pytest

from anamnesis.memory.profile import entry
from nodes.checking.warning import warnings

TODAY = datetime(2026, 5, 4, tzinfo=UTC)


def warned(profile: str, statement: str) -> list[str]:
    profile_entries = [entry(one) for one in profile.split(";")]
    return [one["medicine"] for one in warnings(statement, profile_entries, TODAY)]


@pytest.mark.parametrize(
    ("profile", "statement", "found"),
    [
        ("allergy: penicillin", "Take amoxicillin for a week.", ["amoxicillin"]),
        ("allergy: penicillin", "Cefalexin is another choice.", ["Cefalexin"]),
        ("allergy: amoxicillin", "Penicillin treats it.", ["Penicillin"]),
        ("medicine: ibuprofen", "Warfarin prevents clots.", ["Warfarin"]),
        ("medicine: warfarin", "Warfarin prevents clots.", []),
        ("condition: asthma", "Low-dose aspirin lowers the risk of a stroke.", ["aspirin"]),
        ("age: 15", "Aspirin lowers a fever.", ["Aspirin"]),
        ("age: 16", "Aspirin lowers a fever.", []),
        ("age: 65", "Diazepam calms.", ["Diazepam"]),
        ("sex: female", "Aspirin lowers a fever.", []),
        (
            "medicine: warfarin",
            "If acetaminophen does not relieve pain, then ibuprofen may be used.",
            ["ibuprofen"],
        ),
        ("medicine: warfarin", "Ibuprofen helps if rest does not.", ["Ibuprofen"]),
        ("medicine: warfarin", "If you bleed, do not take ibuprofen.", []),
    ],
)
def test_families_and_interactions(profile: str, statement: str, found: list[str]) -> None:
    assert warned(profile, statement) == found


@pytest.mark.parametrize(
    "statement",
    [
        "Do not take ibuprofen.",
        "Ibuprofen can cause stomach bleeding.",
        "Ibuprofen eases pain, but people with asthma should ask a doctor first.",
        "Swelling of the face while taking ibuprofen is an emergency.",
        "Someone who took ibuprofen should rest.",
        "Ibuprofen was discovered in 1961.",
        "Unlike ibuprofen, paracetamol is gentle.",
    ],
)
def test_no_warning_where_nothing_is_recommended(statement: str) -> None:
    assert warned("condition: asthma", statement) == []


@pytest.mark.parametrize("advice", ["Tell your doctor", "Ask a nurse", "It works; ask a nurse"])
def test_no_warning_where_the_statement_itself_says_to_ask_first(advice: str) -> None:
    statement = f"Ibuprofen helps with pain. {advice} if you are pregnant."
    assert warned("pregnancy: pregnant", statement) == []
    assert warned("medicine: warfarin", statement) == ["Ibuprofen"]


def test_the_warning_says_who_said_what_and_when() -> None:
    said = datetime(2026, 5, 3, tzinfo=UTC)
    spoken = entry("allergy: penicillin", "I'm allergic to penicillin.", said)
    [warned] = warnings("Amoxicillin treats it.", [spoken], TODAY)
    assert warned["entry"] == "allergy: penicillin"
    assert warned["text"] == (
        "You said on 3 May 2026 that you are allergic to penicillin; this statement is about "
        "Amoxicillin, which is one of the penicillins (BNF: penicillins). Ask a doctor or "
        "pharmacist first."
    )
    [warned] = warnings("Amoxicillin treats it.", [spoken._replace(words="")], TODAY)
    assert warned["text"].startswith("Your profile says that you are allergic to penicillin")


def test_a_child_grows_up() -> None:
    child = entry("age: 15", "I am 15.", TODAY - timedelta(days=800))
    assert warnings("Aspirin lowers a fever.", [child], TODAY) == []
