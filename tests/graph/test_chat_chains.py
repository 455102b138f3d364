"""Chains that end in a chat model, and functions in its place, as the generator."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

from anamnesis import SettingError
from anamnesis.models.structured import can_structure
from graph import build_graph
from nodes.writing.render import SILENT
from retrievers.index import Index
from tests.fakes import ToolChat, in_turn
from tests.graph.conftest import GOOD, Queue
from tests.graph.test_any_chat_model import BY_SCHEMA, answered, texts

Chat = Callable[..., Queue]


def test_a_chain_that_ends_in_a_model_answers_in_words_and_by_schema(
    small_index: Index, queue: Chat
) -> None:
    came: list[Any] = []

    def note(messages: Any) -> Any:
        came.append(messages)
        return messages

    for chat in (queue(f"{GOOD} [1]"), ToolChat(in_turn(BY_SCHEMA))):
        chain = (RunnableLambda(note) | chat).with_retry()
        answer = answered(small_index, chain)
        assert (texts(answer), answer["generator"]) == ([GOOD], type(chat).__name__)
        assert len(chat.seen) == 1
    assert len(came) == 2
    assert can_structure(RunnableLambda(note) | ToolChat(in_turn()))


def test_a_function_stands_in_place_of_a_model(
    small_index: Index, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[Any] = []

    def ask(messages: Any) -> AIMessage:
        asked.append(messages)
        return AIMessage(f"{GOOD} [1]")

    assert texts(answered(small_index, RunnableLambda(ask))) == [GOOD]
    assert len(asked) == 1
    # What is no message is no answer: nobody knows whether a text was cut off.
    answer = answered(small_index, RunnableLambda(lambda _: f"{GOOD} [1]"))
    assert answer["notes"] == [SILENT]
    assert "the runnable returned str; return a message" in caplog.text


@pytest.mark.parametrize(
    "wrap",
    [
        lambda llm: llm,
        lambda llm: llm.with_retry(),
        lambda llm: RunnableLambda(lambda messages: messages) | llm,
        lambda llm: Queue(messages=iter([])).with_fallbacks([llm]),
    ],
)
def test_a_completion_model_is_named_when_the_graph_is_built(
    small_index: Index, wrap: Callable[[Any], Any]
) -> None:
    with pytest.raises(SettingError, match=r"FakeListLLM is a completion model.*\| RunnableLambda"):
        build_graph(index=small_index, chat=wrap(FakeListLLM(responses=[GOOD])))


def test_a_completion_model_answers_in_the_way_that_the_error_says(small_index: Index) -> None:
    chat = FakeListLLM(responses=[f"{GOOD} [1]"]) | RunnableLambda(lambda text: AIMessage(text))
    assert texts(answered(small_index, chat)) == [GOOD]
