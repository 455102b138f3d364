"""Which part of an answer is stored as an exchange."""

from typing import Any, Literal, cast

import pytest

from nodes.remembering.exchanges import exchanged
from nodes.state import Answer
from tests.nodes.steps import judged

GOOD = judged("Croup is caused by a virus.")
OPEN = judged("It passes in a week.", "unchecked")


def answer(*statements: Any, **more: Any) -> Answer:
    fields = {
        "outcome": "answered", "reason": "supported", "urgency": "routine",
        "statements": list(statements), **more,
    }  # fmt: skip
    return cast(Answer, fields)


def test_an_exchange_has_the_question_in_one_line_and_the_statements_with_their_marks() -> None:
    found = exchanged("What\n causes   croup?", answer(GOOD, OPEN), "checked")
    assert found is not None
    assert found.text == (
        "What causes croup?\nCroup is caused by a virus. It passes in a week. (not checked)"
    )


@pytest.mark.parametrize(
    ("answer", "kept", "stored"),
    [
        (answer(GOOD), "checked", True),
        (answer(GOOD, outcome="partial"), "checked", True),
        (answer(OPEN, reason="unchecked"), "checked", False),
        (answer(OPEN, reason="unchecked"), "all", True),
        (answer(outcome="abstained", reason="not_found"), "checked", False),
        (answer(outcome="abstained", reason="not_found"), "all", True),
        (answer(), "all", False),
        # Never: emergencies, and the user's stored words.
        (answer(GOOD, urgency="emergency"), "all", False),
        (answer(GOOD, reason="remembered"), "all", False),
    ],
)
def test_what_is_stored_depends_on_what_was_checked(
    answer: Answer, kept: Literal["checked", "all"], stored: bool
) -> None:
    assert (exchanged("What causes croup?", answer, kept) is not None) is stored


def test_what_an_abstaining_answer_withheld_is_not_stored() -> None:
    found = exchanged("What causes croup?", answer(GOOD, outcome="abstained"), "all")
    assert found is not None
    assert found.statements == ()
