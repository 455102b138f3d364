from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis import MemoryFolderError, SettingError
from anamnesis.memory.record import LONGEST, Memory

ANN = {"owner": "ann", "kind": "question", "text": "AF means atrial fibrillation."}


def test_a_new_memory_is_private_unrated_and_trusted_a_quarter() -> None:
    made = Memory.make(**ANN)
    assert (made.scope, made.rating, made.trust, made.recalls) == ("private", "unrated", 0.25, 0)
    assert (made.agent, made.correct, made.incorrect) == ("anamnesis", 0, 0)
    assert (made.audience, made.superseded_by) == ({}, None)
    assert made.created.tzinfo == UTC
    assert made.retained
    assert made.id != Memory.make(**ANN).id


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"owner": " "}, "owner: it is blank"),
        ({"text": "\n"}, "text: it is blank"),
        ({"text": "x" * (LONGEST + 1)}, "text"),
        ({"kind": "dream"}, "kind"),
        ({"scope": "public"}, "scope"),
        ({"recalls": -1}, "recalls"),
        ({"trust": 1.5}, "trust"),
        ({"id": "1"}, "id"),
        ({"created": datetime(2026, 1, 1)}, "time zone"),
        ({"colour": "blue"}, "colour"),
    ],
)
def test_what_is_wrong_is_named(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        Memory.make(**{**ANN, **wrong})


def test_stored_and_read_it_is_the_same() -> None:
    made = Memory.make(**ANN, audience={"department": "cardiology"}, recalls=3)
    assert Memory.read(made.model_dump_json(), "here") == made


@pytest.mark.parametrize("stored", ["", "[]", '{"text": "x"}', '{"owner": '])
def test_what_cannot_be_read_is_said_with_its_place(stored: str) -> None:
    with pytest.raises(MemoryFolderError, match="in the file, memory 7"):
        Memory.read(stored, "in the file, memory 7")


def test_times_are_kept_in_utc() -> None:
    summer = datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert Memory.make(**ANN, created=summer).created == datetime(2026, 7, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("AF means atrial fibrillation.", "af means  Atrial Fibrillation", True),
        ("Has the cough", "(has) cough...", True),
        ("Takes 5 mg", "Takes .5 mg", False),
        ("Has hepatitis A", "Has hepatitis", False),
        ("Takes vitamin A daily", "Takes vitamin daily", False),
        ("Takes 5 mg.", "Takes 50 mg.", False),
        ("Takes 5.5 mg", "Takes 5 5 mg", False),
        ("Below <5", "Below >5", False),
        ("Is allergic to nuts", "Is not allergic to nuts", False),
        ("A causes B", "B causes A", False),
    ],
)
def test_near_duplicates_say_the_same_words(one: str, other: str, same: bool) -> None:
    first, second = (Memory.make(**{**ANN, "text": text}) for text in (one, other))
    assert (first.content_key == second.content_key) == same


def test_a_validation_counts_rates_and_moves_the_trust() -> None:
    made = Memory.make(**ANN, recalls=1)
    wrong = made.validated(correct=False)
    assert (wrong.correct, wrong.incorrect, wrong.rating) == (0, 1, "bad")
    assert wrong.trust == pytest.approx(0.24)
    assert wrong.persistence == pytest.approx(2 / 3)
    assert wrong.retained
    right = made.validated(correct=True)
    assert (right.correct, right.incorrect, right.rating) == (1, 0, "good")
    assert right.trust == pytest.approx(0.2 + 0.2 * 2 / 5)


@given(st.lists(st.booleans(), max_size=60), st.integers(0, 20))
def test_validations_without_a_recall_keep_the_scores_in_bounds(
    said: list[bool], recalls: int
) -> None:
    memory = Memory.make(**ANN, recalls=recalls)
    for correct in said:
        memory = memory.validated(correct=correct)
    assert 0 <= memory.trust <= 1
    assert 0 < memory.persistence <= 1
    assert memory.correct + memory.incorrect == len(said) <= memory.total


def test_a_memory_that_is_wrong_again_and_again_is_dropped() -> None:
    memory = Memory.make(**ANN)
    for _ in range(10):
        memory = memory.validated(correct=False)
    assert not memory.retained


def test_changes_are_checked() -> None:
    with pytest.raises(SettingError, match="text"):
        Memory.make(**ANN).changed(text=" ")
