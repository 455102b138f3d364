"""Chat models of every kind, in whatever LangChain puts around them, as the generator."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain.chat_models import init_chat_model
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import ConfigurableField, RunnableLambda

from anamnesis import SettingError
from anamnesis.models.structured import can_structure
from graph import build_graph
from nodes.writing.render import SILENT, UNUSED
from retrievers.index import Index
from tests.fakes import FailingChat, ScriptedChat, ToolChat, in_turn
from tests.graph.conftest import (
    ASK,
    CHECKED,
    GOOD,
    TREATED,
    WRONG,
    Always,
    Queue,
    ScriptedCritic,
)

Chat = Callable[..., Queue]
INHALED = "Asthma is treated with inhaled medicines."
BY_SCHEMA = {"found": True, "statements": [{"text": GOOD, "citations": [1]}]}


class NoToolsError(Exception):
    """As a provider says that its model takes no tools."""

    status_code = 400


def answered(index: Index, chat: Any, asked: Any = ASK, **config: Any) -> Any:
    graph = build_graph(
        index=index,
        chat=chat,
        critic=ScriptedCritic({GOOD: 0.9, TREATED: 0.9}),
        reranker=Always(),
    )
    return graph.invoke(asked, config or None, context=CHECKED)["answer"]


def texts(answer: Any) -> list[str]:
    return [item["text"] for item in answer["statements"]]


@pytest.mark.parametrize(
    "around",
    [
        lambda chat: chat.with_retry(),
        lambda chat: chat.with_config(tags=["mine"]),
        lambda chat: chat.bind(stop=["END"]),
        lambda chat: chat.with_retry().with_config(tags=["mine"]),
        lambda chat: FailingChat().with_fallbacks([chat]),
        lambda chat: (
            FailingChat().with_retry(stop_after_attempt=1).with_fallbacks([chat.with_retry()])
        ),
    ],
)
def test_a_wrapped_model_answers_in_words_and_by_schema(
    small_index: Index, queue: Chat, around: Callable[[Any], Any]
) -> None:
    for chat in (queue(f"{GOOD} [1]"), ToolChat(in_turn(BY_SCHEMA))):
        answer = answered(small_index, around(chat))
        assert (answer["outcome"], texts(answer)) == ("answered", [GOOD])
        assert answer["generator"] in ("Queue", "ToolChat", "FailingChat")
        assert len(chat.seen) == 1


BOUND = {"stop": ["END"], "temperature": 0}
ELSEWHERE = ConfigurableField(id="which")


@pytest.mark.parametrize(
    "around",
    [
        lambda chat: chat.bind(**BOUND),
        lambda chat: chat.bind(stop=["END"], temperature=1).bind(temperature=0),
        lambda chat: chat.bind(**BOUND).with_retry(),
        lambda chat: chat.with_retry().bind(**BOUND),
        lambda chat: chat.bind(**BOUND, response_format={"type": "text"}, tool_choice="none"),
        lambda chat: FailingChat().with_fallbacks([chat]).bind(**BOUND),
        lambda chat: FailingChat().with_fallbacks([chat.bind(**BOUND)]).with_config(tags=["mine"]),
        lambda chat: (
            ToolChat(in_turn()).configurable_alternatives(ELSEWHERE, other=chat).bind(**BOUND)
        ),
    ],
)
def test_arguments_that_were_bound_reach_the_model(
    small_index: Index, around: Callable[[Any], Any]
) -> None:
    reply = f"{GOOD} [1]"
    by_schema, in_words = ToolChat(in_turn(reply)), ScriptedChat(in_turn(reply))
    for chat in (by_schema, in_words):
        answer = answered(small_index, around(chat), configurable={"which": "other"})
        assert texts(answer) == [GOOD]
    [with_tools], [without] = by_schema.seen, in_words.seen
    assert with_tools.bound.pop("tools")
    assert with_tools.bound == BOUND
    assert BOUND.items() <= without.bound.items()


def test_a_model_whose_class_would_lose_what_was_bound_is_asked_for_words(
    small_index: Index,
) -> None:
    class Lost(ToolChat):
        def with_structured_output(self, *_: Any, **__: Any) -> Any:
            return RunnableLambda(lambda _: {})

    chat = Lost(in_turn(f"{GOOD} [1]"))
    assert texts(answered(small_index, chat.bind(stop=["END"]))) == [GOOD]
    assert ["tools" in call.bound for call in chat.seen] == [False]


def test_a_wrapped_model_is_still_asked_by_schema(small_index: Index) -> None:
    chat = ToolChat(in_turn(BY_SCHEMA)).with_retry()
    assert can_structure(chat)
    both = ToolChat(in_turn()).with_fallbacks([ToolChat(in_turn(BY_SCHEMA))])
    assert texts(answered(small_index, both)) == [GOOD]


def test_a_fallback_without_schemas_answers_in_words(small_index: Index, queue: Chat) -> None:
    first = ToolChat(in_turn(RuntimeError("down")))
    second = queue(f"{GOOD} [1]")
    answer = answered(small_index, first.with_fallbacks([second]))
    assert texts(answer) == [GOOD]
    assert (len(first.seen), len(second.seen)) == (1, 1)


def test_fields_are_configured_by_the_call(small_index: Index) -> None:
    chat = FakeListChatModel(responses=[f"{WRONG} [1]"]).configurable_fields(
        responses=ConfigurableField(id="said")
    )
    config = {"configurable": {"said": [f"{GOOD} [1]"]}}
    assert texts(answered(small_index, chat, **config)) == [GOOD]


def test_so_are_alternatives(small_index: Index) -> None:
    chat = FailingChat().configurable_alternatives(
        ConfigurableField(id="which"), other=FakeListChatModel(responses=[f"{GOOD} [1]"])
    )
    assert texts(answered(small_index, chat, configurable={"which": "other"})) == [GOOD]


def test_a_model_that_the_call_names_is_made_by_langchain(
    small_index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    from langchain.chat_models import base

    monkeypatch.setattr(
        base, "_init_chat_model_helper", lambda *_, **given: ToolChat(lambda _: given["model"])
    )
    chat = init_chat_model(configurable_fields=("model",))
    assert texts(answered(small_index, chat, configurable={"model": f"{GOOD} [1]"})) == [GOOD]


def test_what_is_no_chat_model_is_refused(queue: Chat) -> None:
    chain: Any = queue() | StrOutputParser()
    with pytest.raises(SettingError, match=r"that ends in StrOutputParser.*give a chat model"):
        build_graph(chat=chain)


def test_tools_that_were_bound_are_not_offered(small_index: Index) -> None:
    def weather(place: str) -> str:
        """The weather."""
        return place

    chat = ToolChat(in_turn(f"{GOOD} [1]"), profile={"tool_calling": False})
    assert texts(answered(small_index, chat.bind_tools([weather]))) == [GOOD]
    assert [call.bound.get("tools") for call in chat.seen] == [None]


@pytest.mark.parametrize("error", [NoToolsError("no tools"), NotImplementedError()])
def test_a_model_that_refuses_schemas_is_asked_for_words_once(
    small_index: Index, error: Exception
) -> None:
    chat = ToolChat(in_turn(error, f"{GOOD} [1]", f"{GOOD} [1]"))
    answer = answered(small_index, chat)
    assert (texts(answer), answer["notes"], len(chat.seen)) == ([GOOD], [], 2)
    assert ["tools" in call.bound for call in chat.seen] == [True, False]
    # From then on it is asked for words at once.
    assert texts(answered(small_index, chat)) == [GOOD]
    assert len(chat.seen) == 3


def test_words_in_place_of_a_schema_are_the_answer(small_index: Index) -> None:
    chat = ToolChat(in_turn(f"{GOOD} [1]"))
    assert texts(answered(small_index, chat)) == [GOOD]
    assert len(chat.seen) == 1


def test_a_schema_out_of_form_is_asked_for_in_words_once(small_index: Index) -> None:
    chat = ToolChat(in_turn('{"found": true', f"{GOOD} [1]"))
    assert texts(answered(small_index, chat)) == [GOOD]
    bad = ToolChat(in_turn('{"found": true', "???"))
    answer = answered(small_index, bad)
    assert answer["notes"][0].startswith(UNUSED)
    assert len(bad.seen) == 2


def test_words_that_broke_off_are_not_the_answer(small_index: Index) -> None:
    cut = AIMessage(
        "Asthma is not treated with inhaled medicines alone [1] but",
        response_metadata={"finish_reason": "length"},
    )
    chat = ToolChat(in_turn(cut, f"{GOOD} [1]"))
    assert texts(answered(small_index, chat)) == [GOOD]


@pytest.mark.parametrize("error", [ConnectionError("refused"), PermissionError("key")])
def test_a_model_that_cannot_be_reached_is_not_asked_for_words(
    small_index: Index, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis.models.calling._wait", lambda _: 0.0)
    chat = ToolChat(lambda _: error)
    assert answered(small_index, chat)["notes"] == [SILENT]
    assert all(call.bound["tools"] for call in chat.seen)
