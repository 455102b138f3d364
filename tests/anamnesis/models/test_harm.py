"""Self-harm that a message mentions, by the shipped layer and a reader of urgency."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.models.harm import harm, parts
from anamnesis.models.triage import load_triage

SAID = "I have been thinking of ending my life."
LETTER = (
    "My mother has had psoriasis since she was thirty. She uses a cream twice a day. {} "
    "Is there another cream that she could ask for? Thank you for reading."
)


def levels(routine: float) -> dict[str, float]:
    return {"emergency": 1 - routine, "urgent": 0.0, "routine": routine}


def test_a_sentence_counts_within_a_long_message() -> None:
    calm = harm(LETTER.format(""), lambda text: levels(0.5))
    assert harm(LETTER.format(SAID), lambda text: levels(0.5)) > 3 * calm


def test_the_score_is_none_where_the_reader_finds_everything_routine() -> None:
    assert harm(SAID, lambda text: levels(1.0)) == 0.0


def test_the_reader_is_asked_only_of_what_may_say_it() -> None:
    asked: list[str] = []

    def reads(text: str) -> dict[str, float]:
        asked.append(text)
        return levels(0.5)

    harm(f"What is gout? {SAID}", reads)
    assert SAID in asked
    assert "What is gout?" not in asked


@given(st.text(max_size=80))
def test_any_text_has_a_score(text: str) -> None:
    assert 0.0 <= harm(text, lambda own: levels(0.0)) <= 1.0
    assert all(part in text for part in parts(text))


@pytest.mark.parametrize("message", [SAID, LETTER.format(SAID)])
def test_the_project_s_reader_gives_the_score(message: str) -> None:
    reads = load_triage("own")
    assert reads is not None
    assert reads(message).harm > reads(LETTER.format("")).harm
