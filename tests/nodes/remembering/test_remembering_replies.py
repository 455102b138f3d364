"""Answers as messages, and the turns that are read from them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, messages_from_dict, messages_to_dict

from nodes.fields.turns import Offer, Turn
from nodes.remembering.replies import message_of, turns
from nodes.state import Urgency
from tests.app.web.pages import answer, statement

CALM: Urgency = {"level": "routine", "kind": "", "crisis": False, "why": ""}
OFFER = "Would you like to know how asthma is treated?"
MEMORY: Any = {
    "id": "m", "kind": "fact", "scope": "private", "text": "Sources are dear to me.",
    "created": "", "score": {},
}  # fmt: skip


def message_with(**changes: Any) -> AIMessage:
    from nodes.writing.render import render

    whole = answer(**changes)
    text, said = render(whole, CALM, None)
    return message_of({**whole, "text": text}, said)


def test_a_reply_is_read_above_its_lists() -> None:
    said = message_with(statements=[statement(), statement(text=OFFER)], memories=[MEMORY])
    assert "\nSources\n[1] Asthma" in said.text
    assert "Remembered" in said.text
    kept = messages_from_dict(json.loads(json.dumps(messages_to_dict([said]))))
    [turn] = turns([HumanMessage("What does asthma do?"), *kept])
    assert turn.sourced
    assert turn.reply.splitlines()[-1].startswith(OFFER)
    assert said.text.startswith(turn.reply)
    assert turn.offers == []


def test_the_topics_to_choose_from_are_offered_as_questions() -> None:
    asked = {"query": "What helps?", "clarify": ["Gout", "Lupus"], "statements": []}
    said = message_with(outcome="abstained", reason="not_found", **asked)
    assert "Is your question about Gout or about Lupus?" in said.text
    kept = messages_from_dict(json.loads(json.dumps(messages_to_dict([said]))))
    [turn] = turns([HumanMessage("What helps?"), *kept])
    assert turn.offers == [Offer("Gout", "Gout: What helps?"), Offer("Lupus", "Lupus: What helps?")]


def test_a_heading_among_the_statements_ends_nothing() -> None:
    said = message_with(
        statements=[statement(text="Sources"), statement(text="Not shown: it hurts.")]
    )
    [turn] = turns([HumanMessage("?"), said])
    assert "Not shown: it hurts." in turn.reply
    assert "[1] Asthma" not in turn.reply


def test_what_states_nothing_has_no_sources() -> None:
    said = message_with(outcome="abstained", reason="not_found", statements=[])
    assert turns([HumanMessage("?"), said]) == [Turn("?", said.text, sourced=False, offers=[])]


def test_a_reply_of_another_program_counts_as_a_whole() -> None:
    said = AIMessage("Asthma hurts.\n\nSources\n[1] Asthma")
    assert turns([said, HumanMessage("a"), said, HumanMessage("b")]) == [
        Turn("a", said.text),
        Turn("b"),
    ]


WHOLE = {"statements_end": 3, "sourced": True, "offers": []}


@pytest.mark.parametrize(
    "about",
    [
        *(None, [], "x", {}, {"statements_end": 3}),
        *(WHOLE | {"statements_end": end} for end in ("x", -3, None)),
        *(WHOLE | {"offers": offers} for offers in ("x", [["a"]], [[1, 2, 3]], None)),
        WHOLE | {"sourced": "perhaps"},
    ],
)
def test_what_a_caller_puts_there_instead_is_not_believed(about: Any) -> None:
    said = AIMessage("Whole.", response_metadata={"anamnesis": about})
    assert turns([HumanMessage("a"), said]) == [Turn("a", "Whole.")]


@given(st.lists(st.text(max_size=30).filter(str.strip), min_size=1, max_size=4))
def test_whatever_is_stated_the_text_begins_with_it(texts: list[str]) -> None:
    said = message_with(statements=[statement(text=text) for text in texts])
    [turn] = turns([HumanMessage("a"), said])
    assert all(text in turn.reply for text in texts)
    assert "[1] Asthma (Test, https://a.test)" in said.text.removeprefix(turn.reply)
