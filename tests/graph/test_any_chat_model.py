"""Chat models of every kind, in whatever LangChain puts around them, as the generator."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import ConfigurableField, RunnableLambda
from pydantic import Field

from anamnesis import SettingError
from anamnesis.models.structured import can_structure
from graph import build_graph
from nodes.writing.render import SILENT, UNUSED
from retrievers.index import Index
from tests.graph.conftest import (
    ASK,
    CHECKED,
    GOOD,
    TREATED,
    WRONG,
    Always,
    Queue,
    Schemas,
    ScriptedCritic,
)

Chat = Callable[..., Queue]
INHALED = "Asthma is treated with inhaled medicines."
BY_SCHEMA = {"found": True, "statements": [{"text": GOOD, "citations": [1]}]}


class Broken(BaseChatModel):
    """A chat model that fails every call."""

    seen: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "broken"

    def _generate(self, messages: Any, *args: Any, **more: Any) -> ChatResult:
        self.seen.append(messages)
        raise RuntimeError("broken")


class Replies(BaseChatModel):
    """A chat model that has tools by its class: it says what it was given, or raises it."""

    replies: list[Any]
    seen: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "replies"

    def bind_tools(self, tools: Sequence[Any], **more: Any) -> Any:
        return self.bind(tools=tools)

    def _generate(self, messages: Any, *args: Any, **more: Any) -> ChatResult:
        self.seen.append((messages, more.get("tools")))
        reply = self.replies[len(self.seen) - 1]
        if isinstance(reply, Exception):
            raise reply
        message = AIMessage(reply) if isinstance(reply, str | list) else reply
        return ChatResult(generations=[ChatGeneration(message=message)])


class NoToolsError(Exception):
    """As a provider says that its model takes no tools."""

    status_code = 400


def answered(index: Index, chat: Any, asked: Any = ASK, **config: Any) -> Any:
    own = build_graph(
        index=index,
        chat=chat,
        critic=ScriptedCritic({GOOD: 0.9, TREATED: 0.9}),
        reranker=Always(),
    )
    return own.invoke(asked, config or None, context=CHECKED)["answer"]


def texts(answer: Any) -> list[str]:
    return [item["text"] for item in answer["statements"]]


@pytest.mark.parametrize(
    "around",
    [
        lambda own: own.with_retry(),
        lambda own: own.with_config(tags=["mine"]),
        lambda own: own.bind(stop=["END"]),
        lambda own: own.with_retry().with_config(tags=["mine"]),
        lambda own: Broken().with_fallbacks([own]),
        lambda own: Broken().with_retry(stop_after_attempt=1).with_fallbacks([own.with_retry()]),
    ],
)
def test_a_wrapped_model_answers_in_words_and_by_schema(
    small_index: Index, queue: Chat, around: Callable[[Any], Any]
) -> None:
    for chat in (queue(f"{GOOD} [1]"), Schemas(replies=[BY_SCHEMA])):
        answer = answered(small_index, around(chat))
        assert (answer["outcome"], texts(answer)) == ("answered", [GOOD])
        assert answer["generator"] in ("Queue", "Schemas", "Broken")
        assert len(chat.seen) == 1


BOUND = {"stop": ["END"], "temperature": 0}
ELSEWHERE = ConfigurableField(id="which")


@pytest.mark.parametrize(
    "around",
    [
        lambda own: own.bind(**BOUND),
        lambda own: own.bind(stop=["END"], temperature=1).bind(temperature=0),
        lambda own: own.bind(**BOUND).with_retry(),
        lambda own: own.with_retry().bind(**BOUND),
        lambda own: own.bind(**BOUND, response_format={"type": "text"}, tool_choice="none"),
        lambda own: Broken().with_fallbacks([own]).bind(**BOUND),
        lambda own: Broken().with_fallbacks([own.bind(**BOUND)]).with_config(tags=["mine"]),
        lambda own: (
            Replies(replies=[]).configurable_alternatives(ELSEWHERE, other=own).bind(**BOUND)
        ),
    ],
)
def test_arguments_that_were_bound_reach_the_model(
    small_index: Index, queue: Chat, around: Callable[[Any], Any]
) -> None:
    came: list[dict[str, Any]] = []

    class BySchema(Replies):
        def _generate(self, messages: Any, stop: Any = None, *args: Any, **more: Any) -> ChatResult:
            came.append({"stop": stop, **more})
            return super()._generate(messages, stop, *args, **more)

    class InWords(Queue):
        def _generate(self, messages: Any, stop: Any = None, *args: Any, **more: Any) -> ChatResult:
            came.append({"stop": stop, **more})
            return super()._generate(messages)  # type: ignore[no-any-return]

    reply = f"{GOOD} [1]"
    for chat in (BySchema(replies=[reply]), InWords(messages=iter([AIMessage(reply)]), seen=[])):
        answer = answered(small_index, around(chat), configurable={"which": "other"})
        assert texts(answer) == [GOOD]
    by_schema, in_words = came
    assert by_schema.pop("tools")
    assert by_schema == BOUND
    assert BOUND.items() <= in_words.items()


def test_a_model_whose_class_would_lose_what_was_bound_is_asked_for_words(
    small_index: Index,
) -> None:
    class Lost(Replies):
        def with_structured_output(self, *_: Any, **__: Any) -> Any:
            return RunnableLambda(lambda _: {})

    chat = Lost(replies=[f"{GOOD} [1]"])
    assert texts(answered(small_index, chat.bind(stop=["END"]))) == [GOOD]
    assert [tools for _, tools in chat.seen] == [None]


def test_a_wrapped_model_is_still_asked_by_schema(small_index: Index) -> None:
    chat = Schemas(replies=[BY_SCHEMA]).with_retry()
    assert can_structure(chat)
    both = Schemas(replies=[]).with_fallbacks([Schemas(replies=[BY_SCHEMA])])
    assert texts(answered(small_index, both)) == [GOOD]


def test_a_fallback_without_schemas_answers_in_words(small_index: Index, queue: Chat) -> None:
    first = Replies(replies=[RuntimeError("down")] * 2)
    second = queue(f"{GOOD} [1]")
    answer = answered(small_index, first.with_fallbacks([second]))
    assert texts(answer) == [GOOD]
    assert (len(first.seen), len(second.seen)) == (1, 1)


def test_fields_are_configured_by_the_call(small_index: Index) -> None:
    chat = FakeListChatModel(responses=[f"{WRONG} [1]"]).configurable_fields(
        responses=ConfigurableField(id="said")
    )
    told = {"configurable": {"said": [f"{GOOD} [1]"]}}
    assert texts(answered(small_index, chat, **told)) == [GOOD]


def test_so_are_alternatives(small_index: Index) -> None:
    chat = Broken().configurable_alternatives(
        ConfigurableField(id="which"), other=FakeListChatModel(responses=[f"{GOOD} [1]"])
    )
    assert texts(answered(small_index, chat, configurable={"which": "other"})) == [GOOD]


def test_a_model_that_the_call_names_is_made_by_langchain(
    small_index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    from langchain.chat_models import base

    monkeypatch.setattr(
        base, "_init_chat_model_helper", lambda *_, **given: Replies(replies=[given["model"]] * 2)
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

    call = {"name": "weather", "args": {"place": "here"}, "id": "1"}

    class Caller(Replies):
        """Calls a tool wherever it is offered one."""

        def _generate(self, messages: Any, *args: Any, **more: Any) -> ChatResult:
            if more.get("tools"):
                message = AIMessage("", tool_calls=[call])  # type: ignore[list-item]
                return ChatResult(generations=[ChatGeneration(message=message)])
            return super()._generate(messages, *args, **more)

    chat = Caller(replies=[f"{GOOD} [1]"], profile={"tool_calling": False}).bind_tools([weather])
    assert texts(answered(small_index, chat)) == [GOOD]


@pytest.mark.parametrize("error", [NoToolsError("no tools"), NotImplementedError()])
def test_a_model_that_refuses_schemas_is_asked_for_words_once(
    small_index: Index, error: Exception
) -> None:
    chat = Replies(replies=[error, f"{GOOD} [1]", f"{GOOD} [1]"])
    answer = answered(small_index, chat)
    assert (texts(answer), answer["notes"], len(chat.seen)) == ([GOOD], [], 2)
    assert [bool(tools) for _, tools in chat.seen] == [True, False]
    # From then on it is asked for words at once.
    assert texts(answered(small_index, chat)) == [GOOD]
    assert len(chat.seen) == 3


def test_words_in_place_of_a_schema_are_the_answer(small_index: Index) -> None:
    chat = Replies(replies=[f"{GOOD} [1]"])
    assert texts(answered(small_index, chat)) == [GOOD]
    assert len(chat.seen) == 1


def test_a_schema_out_of_form_is_asked_for_in_words_once(small_index: Index) -> None:
    chat = Replies(replies=['{"found": true', f"{GOOD} [1]"])
    assert texts(answered(small_index, chat)) == [GOOD]
    bad = Replies(replies=['{"found": true', "???"])
    answer = answered(small_index, bad)
    assert answer["notes"][0].startswith(UNUSED)
    assert len(bad.seen) == 2


def test_words_that_broke_off_are_not_the_answer(small_index: Index) -> None:
    cut = AIMessage(
        "Asthma is not treated with inhaled medicines alone [1] but",
        response_metadata={"finish_reason": "length"},
    )
    chat = Replies(replies=[cut, f"{GOOD} [1]"])
    assert texts(answered(small_index, chat)) == [GOOD]


@pytest.mark.parametrize("error", [ConnectionError("refused"), PermissionError("key")])
def test_a_model_that_cannot_be_reached_is_not_asked_for_words(
    small_index: Index, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anamnesis.models.calling._wait", lambda _: 0.0)
    chat = Replies(replies=[error] * 9)
    assert answered(small_index, chat)["notes"] == [SILENT]
    assert all(tools for _, tools in chat.seen)
