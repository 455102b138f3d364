"""What a message says and mentions of a person's health."""

from datetime import UTC, datetime
from typing import Any

import pytest

from anamnesis.corpus.starter import read_starter
from anamnesis.memory.profile import Entry, entry
from anamnesis.memory.record import LONGEST, Memory
from nodes.checking.question_warning import mentioned_entries
from nodes.checking.warning import ASSUMED_CHILD_AGE
from nodes.remembering.profile import entries, profile_memories

TODAY = datetime(2026, 5, 4, tzinfo=UTC)


def mentioned(question: str, *profile: str) -> list[str]:
    found = mentioned_entries(question, [entry(item) for item in profile])
    assert all(item.mentioned for item in found)
    return [item.text for item in found]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        # Questions of the starter corpus.
        ("Can I take lisinopril or another ACE inhibitor if I am pregnant?",
         ["medicine: lisinopril", "medicine: ace inhibitor", "pregnancy: pregnant"]),
        ("Can I take tramadol with antidepressants or alcohol?",
         ["medicine: tramadol", "medicine: alcohol"]),
        ("Can I take ibuprofen while pregnant?", ["medicine: ibuprofen", "pregnancy: pregnant"]),
        ("How do I do CPR on an adult?", []),
        # Others.
        ("My 6 year old has gout, what helps?", ["condition: gout", "age: 6"]),
        ("What helps toddlers with a cough?", [f"age: {ASSUMED_CHILD_AGE}"]),
        ("My wife is allergic to penicillin and breastfeeding.",
         ["allergy: penicillin", "pregnancy: breastfeeding"]),
    ],
)  # fmt: skip
def test_what_a_question_mentions_is_a_reason_for_a_warning(
    question: str, found: list[str]
) -> None:
    said = [item.casefold() for item in mentioned(question)]
    assert [item for item in said if item in found] == found
    assert len(said) == len(found)


def test_what_is_in_the_profile_is_not_mentioned_again() -> None:
    question = "Is naproxen safe with gout and warfarin?"
    assert "medicine: warfarin" in mentioned(question)
    known = ["medicine: Warfarin", "condition: gout"]
    assert not {"medicine: warfarin", "condition: gout"} & {*mentioned(question, *known)}


def test_a_childs_age_in_the_profile_makes_it_known_who_the_child_is() -> None:
    question = "What helps toddlers with a cough?"
    assert mentioned(question, "age: 2") == []
    assert mentioned(question, "age: 40") == [f"age: {ASSUMED_CHILD_AGE}"]


def test_nothing_is_mentioned_twice() -> None:
    for record in list(read_starter())[::12]:
        found = mentioned(f"{record.question} {record.text}")
        assert len(set(found)) == len(found)


def test_the_words_of_a_message_are_the_source_of_an_entry() -> None:
    [memory] = profile_memories("ann", "I am allergic to penicillin. What is gout?")
    assert (memory.owner, memory.kind, memory.text) == ("ann", "profile", "allergy: penicillin")
    assert memory.words == "I am allergic to penicillin."
    [long] = profile_memories("ann", f"I am allergic to penicillin {'and so on ' * 900}")
    assert len(long.words) == LONGEST
    assert profile_memories("ann", "My wife is allergic to penicillin.") == []


def memory(text: str, day: int, **more: Any) -> Memory:
    created = TODAY.replace(day=day)
    given = {"owner": "ann", "kind": "profile", "text": text, "created": created, **more}
    return Memory.make(**given)


def test_the_newest_valid_entries_count() -> None:
    found = entries(
        [
            memory("age: 41", 3),
            memory("age: 30", 1),
            memory("medicine: warfarin", 2, words="I take warfarin."),
            memory("medicine: Warfarin", 1),
            memory("condition: gout", 1, rating="bad"),
            memory("allergy: nuts", 1, kind="question"),
        ]
    )
    assert found == [
        Entry("age", "41", "", TODAY.replace(day=3)),
        Entry("medicine", "warfarin", "I take warfarin.", TODAY.replace(day=2)),
    ]
