"""The memories of a turn."""

from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from graph import Context
from nodes.parts import Parts
from nodes.remembering.storing import consented, memories_of
from nodes.state import Answer
from retrievers.index import Index
from tests.nodes.steps import judged, state_of

SAID = "I am allergic to penicillin. What is asthma?"
ANSWER = {
    "outcome": "answered", "reason": "supported", "urgency": "routine",
    "statements": [judged("Asthma causes wheezing.", citations=["asthma"])], "sources": [],
}  # fmt: skip


def stored(index: Index, answer: dict[str, Any] = ANSWER, **more: Any) -> list[tuple[str, str]]:
    settings = more.pop("settings", {})
    state = state_of(original_question=SAID, cited=["asthma#0"], **more)
    context = Context.model_validate({"memory.consent": True, **settings})
    parts = Parts(given_index=index)
    found = memories_of(state, cast(Answer, answer), "ann", None, context, parts)
    assert {item.owner for item in found} <= {"ann"}
    return [(item.kind, item.text) for item in found]


def test_the_exchange_and_what_the_user_says_of_themselves_are_stored(small_index: Index) -> None:
    found = stored(small_index)
    assert found[0] == ("profile", "allergy: penicillin")
    assert found[-1] == ("exchange", "What is asthma?\nAsthma causes wheezing.")


def test_an_exchange_has_the_users_words_and_the_passages_that_it_is_based_on(
    small_index: Index,
) -> None:
    state = state_of(original_question="What is asthma?", cited=["asthma#0"])
    context = Context.model_validate({"memory.consent": True})
    parts = Parts(given_index=small_index)
    [memory] = memories_of(state, cast(Answer, ANSWER), "ann", None, context, parts)
    assert memory.words == "What is asthma?"
    assert memory.grounds is not None
    assert list(memory.grounds.passages) == ["asthma#0"]


def test_only_kinds_that_the_settings_name_are_stored(small_index: Index) -> None:
    only = {"memory.stored_kinds": ("exchange",)}
    assert [kind for kind, _ in stored(small_index, settings=only)] == ["exchange"]
    assert stored(small_index, settings={"memory.stored_kinds": ()}) == []


def test_nothing_of_an_emergency_is_stored(small_index: Index) -> None:
    assert stored(small_index, {**ANSWER, "urgency": "emergency"}) == []


TURNS = [HumanMessage("I have gout."), AIMessage("Rest helps."), HumanMessage(SAID)]


@pytest.mark.parametrize(
    ("user", "of_last", "turns", "expected"),
    [("ann", "ann", 3, 3), ("ann", "bob", 3, 0), (None, "", 3, 0), ("ann", "ann", None, 0)],
)
def test_turns_count_that_this_user_agreed_to_store(
    user: str | None, of_last: str, turns: int | None, expected: int
) -> None:
    state = state_of(messages=TURNS, consenting_user=of_last, consented_turns=turns)
    assert consented(state, user) == expected
