"""Which questions wait for an expert, and what their users learn of the decision."""

from typing import Any, cast

import pytest

from anamnesis.memory.questions import Question
from graph import Context
from nodes.parts import Parts
from nodes.remembering.experts import notices_of_decisions, queue_question, should_queue
from nodes.state import Answer
from tests.nodes.steps import state_of

AGREED = Context.model_validate({"memory.consent": True, "memory.ask_experts": True})


def answer(outcome: str, reason: str) -> Answer:
    return cast(Answer, {"outcome": outcome, "reason": reason})


@pytest.mark.parametrize(
    ("outcome", "reason", "queued"),
    [
        ("abstained", "no_evidence", True),
        ("abstained", "undecided", True),
        ("abstained", "unchecked", False),  # it can be asked again later
        ("abstained", "nothing_asked", False),
        ("partial", "some_unsupported", False),
        ("urgent", "emergency", False),
    ],
)
def test_a_question_waits_if_nothing_was_found(outcome: str, reason: str, queued: bool) -> None:
    assert should_queue(answer(outcome, reason), AGREED) is queued


@pytest.mark.parametrize("without", ["memory.consent", "memory.ask_experts"])
def test_without_the_users_word_it_does_not(without: str) -> None:
    assert not should_queue(answer("abstained", "no_evidence"), AGREED.changed({without: False}))


class Waiting:
    """The questions of one user, in memory."""

    def __init__(self, *found: Question) -> None:
        self.found = found
        self.asked: list[tuple[Any, ...]] = []

    def questions(self) -> "Waiting":
        return self

    def ask(self, *given: Any) -> None:
        self.asked = [given]

    def of(self, user: str) -> list[Question]:
        return [item for item in self.found if item.owner == user]


def test_the_question_waits_as_it_was_searched_for() -> None:
    waiting = Waiting()
    state = state_of(original_question="and croup?", queries=["What is croup?"], requested_at=7.0)
    queue_question(state, "Not found.", "ann", cast(Parts, waiting))
    assert waiting.asked == [("ann", "What is croup?", "abstained", "Not found.", 7.0)]


def question(**fields: Any) -> Question:
    given = {"owner": "ann", "text": "What is croup?", "why": "abstained", "state": "answered"}
    return Question.model_validate({**given, **fields})


def test_a_decision_is_reported_once_with_what_the_expert_did() -> None:
    note = question(note="It passes.", document="leaflets")
    document, again = question(document="leaflets"), question()
    others = question(seen=True), question(state="waiting"), question(owner="bob")
    parts = cast(Parts, Waiting(note, document, again, *others))
    notices = notices_of_decisions("ann", parts)
    assert [item["id"] for item in notices] == [note.id, document.id, again.id]
    assert [item["note"].partition("“What is croup?”")[2] for item in notices] == [
        ": “It passes.”", ": ask it again.", " asked again: ask it to see the answer.",
    ]  # fmt: skip
