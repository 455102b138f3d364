"""What a message asks: its urgency, and the question to search for."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from anamnesis import SettingError
from graph import Context
from nodes.fields.turns import Turn
from nodes.parts import Parts
from nodes.question.understood import question_in, questions_of, understand_message
from nodes.state import State
from retrievers.index import Index
from tests.nodes.steps import state_of

PATTERNS: dict[str, Any] = {"triage.classifier": "patterns"}
FLAGGED = "my dad has crushing chest pain right now"


def understood(index: Index | None, message: str, *earlier: str, **more: Any) -> Any:
    context = Context.model_validate({**PATTERNS, **more.pop("settings", {})})
    parts = Parts(given_index=index)
    state = state_of(messages=[], **more)
    return understand_message(message, [Turn(asked) for asked in earlier], state, context, parts)


def test_the_question_is_what_the_caller_names_or_the_last_message() -> None:
    asked = HumanMessage(" What is gout? ")
    assert question_in(state_of(), [asked]) == ("What is gout?", "What is gout?")
    named = state_of(question="What is asthma?")
    assert question_in(named, [asked]) == ("What is asthma?", "What is gout?")
    assert question_in(named, []) == ("What is asthma?", "")


@pytest.mark.parametrize("messages", [[], [AIMessage("Hello.")], [HumanMessage("  ")]])
def test_without_a_message_of_the_user_there_is_no_question(messages: Any) -> None:
    with pytest.raises(SettingError, match="there is no question"):
        question_in(state_of(), messages)


def test_an_emergency_is_not_interpreted_and_needs_no_index() -> None:
    found = understood(None, FLAGGED)
    assert found.is_answered_at_once
    assert (found.urgency["kind"], found.query, found.spelling) == ("medical", FLAGGED, [])


def test_a_greeting_asks_nothing(small_index: Index) -> None:
    found = understood(small_index, "Hello!")
    assert found.asks_nothing
    assert found.is_answered_at_once
    plain = {"question.conversation": False}
    assert not understood(small_index, "Hello!", settings=plain).asks_nothing


def test_a_long_message_stays_as_it_is_without_a_chat_model(small_index: Index) -> None:
    long = f"What is gout? {'I have had it for years and it hurts. ' * 9}"
    found = understood(small_index, long, settings={"question.summarise": True})
    assert found.lines == []


def of(index: Index, message: str, state: State | None = None, **settings: Any) -> list[str]:
    found = understood(index, message, settings=settings)
    context = Context.model_validate({**PATTERNS, **settings})
    return [item["query"] for item in questions_of(found, state or state_of(), context)]


def test_lines_of_a_condensed_message_are_its_questions(small_index: Index) -> None:
    found = understood(small_index, "What is gout?")._replace(lines=["What is gout?", "Asthma?"])
    assert questions_of(found, state_of(), Context()) == [
        {"question": "What is gout?", "query": "What is gout?"},
        {"question": "Asthma?", "query": "Asthma?"},
    ]


def test_one_question_options_and_emergencies_are_not_split(small_index: Index) -> None:
    assert of(small_index, "What is gout?") == []
    several = "What is gout? What is measles?"
    assert of(small_index, several, state_of(options=["a", "b"])) == []
    assert of(small_index, several, **{"question.split": False}) == []
    found = understood(None, f"{FLAGGED}. What is gout? What is measles?")
    assert questions_of(found, state_of(), Context()) == []
