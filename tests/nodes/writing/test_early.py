"""Statements that are checked while the draft is written."""

from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis import ModelError
from graph import Context
from nodes.parts import Parts
from nodes.state import Statement
from nodes.writing.draft import ParsedReply, parse
from nodes.writing.early import EarlyChecker, early_checks, hides_words
from nodes.writing.streamed import SupportedStatements
from retrievers.index import Index
from tests.fakes import FakeCritic, silent
from tests.graph.conftest import Queue
from tests.nodes.steps import state_of

REPLY = "Croup is caused by a virus. [1] It is worse at night. [1] Honey cures croup. [1]"
IDS = ["croup#0"]


class Checked:
    """A checker whose judge supports what has no honey, and what it sent."""

    def __init__(self, fails: bool = False, part: int = 0) -> None:
        self.sent: list[str] = []
        self.fails, self.judged = fails, 0
        supported = SupportedStatements([])
        self.checker = EarlyChecker(
            IDS, part, self._judge, supported, lambda item: self.sent.append(item["text"])
        )

    def _judge(self, items: Sequence[Statement]) -> list[Statement]:
        self.judged += 1
        if self.fails:
            raise ModelError("silent")
        return [
            {**item, "verdict": "unsupported" if "Honey" in item["text"] else "supported"}
            for item in items
        ]

    def finish(self, problem: Any = None) -> ParsedReply:
        said = [] if problem else parse(REPLY, IDS)
        return self.checker.finish(ParsedReply(said, None, problem))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, len(REPLY)), max_size=8))
def test_however_the_reply_arrives_each_statement_is_judged_and_sent_once(cuts: list[int]) -> None:
    checked = Checked()
    for end in sorted(cuts):
        checked.checker.receive(REPLY[:end])
    found = checked.finish()
    assert [item["verdict"] for item in found.statements] == ["supported"] * 2 + ["unsupported"]
    assert checked.sent == ["Croup is caused by a virus.", "It is worse at night."]
    assert checked.judged == 3


def test_what_was_sent_stays_if_the_rest_cannot_be_used() -> None:
    checked = Checked()
    checked.checker.receive(REPLY[:50])
    found = checked.finish("no_option")
    assert [item["text"] for item in found.statements] == ["Croup is caused by a virus."]
    assert found.problem is None
    assert Checked().finish("no_option").problem == "no_option"


def test_statements_stay_unchecked_if_the_critic_fails_which_is_asked_once() -> None:
    checked = Checked(fails=True)
    assert {item["verdict"] for item in checked.finish().statements} == {"unchecked"}
    assert (checked.sent, checked.judged) == ([], 1)


def test_a_statement_is_of_the_question_that_it_was_written_for() -> None:
    assert {item["part"] for item in Checked(part=2).finish().statements} == {2}
    assert all("part" not in item for item in Checked().finish().statements)


STREAMED = Context.model_validate({"generator.stream_statements": True})


@pytest.mark.parametrize(
    ("context", "method", "early"),
    [
        (STREAMED, "entailment", True),
        (STREAMED, "llm", False),  # a chat model judges all statements in one call
        (STREAMED.changed({"generator.redact": True}), "entailment", False),
        (STREAMED.changed({"generator.stream_statements": False}), "entailment", False),
    ],
)
def test_early_checks_need_a_critic_that_judges_one_statement_at_a_time(
    small_index: Index, context: Context, method: Any, early: bool
) -> None:
    parts = Parts(
        given_index=small_index,
        given_chat=Queue(messages=iter([])),
        given_critic=FakeCritic(silent, "x", method),
    )
    found = early_checks(state_of(), context, parts, lambda _: None)
    assert (found is not None) is early
    assert early_checks(state_of(), context, Parts(given_critic=FakeCritic(silent)), print) is None


def test_words_are_hidden_if_they_are_redacted_or_a_models_reasoning() -> None:
    class Reasoning:
        profile = {"reasoning_output": True}  # noqa: RUF012

    assert hides_words(STREAMED.changed({"generator.redact": True}), None)
    assert hides_words(STREAMED, cast(Any, Reasoning()))
    assert not hides_words(STREAMED, None)
