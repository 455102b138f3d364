"""Structured replies, by chat models whose replies are known."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import PydanticOutputParser
from langchain_core.runnables import RunnableConfig, RunnablePassthrough
from pydantic import BaseModel, ValidationError

from anamnesis.errors import ModelError
from anamnesis.models.structured import can_structure, structured
from tests.fakes import Reply, ToolChat

ASK = [HumanMessage("What helps?")]


class Said(BaseModel):
    text: str
    documents: list[int]


GOOD = {"text": "Rest helps.", "documents": [1, 2]}
WANTED = Said(text="Rest helps.", documents=[1, 2])


def replying(reply: Reply, **fields: Any) -> ToolChat:
    """A chat model with tools that gives one reply, or fails."""
    return ToolChat(lambda _: reply, **fields)


def call(args: object, name: str = "Said") -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": "1"}])


def said(reply: AIMessage | str) -> tuple[Said | None, str, str | None]:
    return structured(replying(reply), ASK, Said)


def test_a_tool_call_is_the_object() -> None:
    value, text, problem = said(call(GOOD))
    assert value == WANTED
    assert json.loads(text) == GOOD
    assert problem is None


def test_messages_and_config_reach_the_model() -> None:
    chat = replying(call(GOOD))
    structured(chat, ASK, Said, RunnableConfig(tags=["mine"]))
    [seen] = chat.seen
    assert seen.messages == ASK
    assert "mine" in seen.tags


DUMPED = json.dumps(GOOD)


@pytest.mark.parametrize(
    "text",
    [
        DUMPED,
        f"```json\n{json.dumps(GOOD, indent=2)}\n```",
        f"Here {{as you wished}}:\n```\n{DUMPED}\n```\nWell?",
        f"The answer is {DUMPED} - I hope that helps.",
    ],
)
def test_json_in_the_text_is_read(text: str) -> None:
    assert said(text) == (WANTED, text, None)


def test_arguments_that_came_as_text_are_read() -> None:
    broken = AIMessage(
        "",
        invalid_tool_calls=[
            {"name": "Said", "args": f"```\n{DUMPED}\n```", "id": "1", "error": ""}
        ],
    )
    value, text, problem = said(broken)
    assert value == WANTED
    assert DUMPED in text
    assert problem is None


def test_a_tool_of_another_name_is_read_by_its_form() -> None:
    assert said(call(GOOD, "Reply"))[0] == WANTED


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "the reply is empty"),
        ("Rest helps.", "the reply holds no JSON object"),
        ("[1, 2]", "the reply holds no JSON object"),
        (DUMPED[:-1], "the reply holds no JSON object"),
        (DUMPED + " or " + DUMPED, "the reply holds no JSON object"),
        ('{"a": ' * 100_000, "the reply holds no JSON object"),
        ('{"text": "Rest helps."}', "documents: Field required"),
        (call({"text": "Rest helps.", "documents": ["all"]}), "documents.0: Input should be a"),
        (call({}), "text: Field required"),
    ],
)
def test_what_cannot_be_read_is_reported_in_one_line(reply: AIMessage | str, problem: str) -> None:
    value, text, error = said(reply)
    assert value is None
    assert error is not None
    assert error.startswith(problem)
    assert "\n" not in error
    if isinstance(reply, str):
        assert text == reply


@given(cut=st.integers(0, len(DUMPED) - 1))
def test_json_that_breaks_off_is_not_completed(cut: int) -> None:
    assert said(DUMPED[:cut])[0] is None


@given(cut=st.integers(0, len(DUMPED)))
def test_nor_where_the_class_would_complete_it(cut: int) -> None:
    class Json(FakeListChatModel):
        def with_structured_output(self, schema: Any, **_: Any) -> Any:
            parser = PydanticOutputParser(pydantic_object=schema)
            return {"raw": self} | RunnablePassthrough.assign(
                parsed=lambda found: parser.parse(found["raw"].text), parsing_error=lambda _: None
            ).with_fallbacks(
                [RunnablePassthrough.assign(parsed=lambda _: None)], exception_key="parsing_error"
            )

    value, _, _ = structured(Json(responses=[DUMPED[:cut]]), ASK, Said)
    assert value == (WANTED if cut == len(DUMPED) else None)


@pytest.mark.parametrize(
    "metadata",
    [{"finish_reason": "length"}, {"stop_reason": "max_tokens"}, {"finish_reason": "MAX_TOKENS"}],
)
def test_a_reply_at_its_greatest_length_is_not_read(metadata: dict[str, str]) -> None:
    reply = call(GOOD)
    reply.response_metadata = metadata
    assert said(reply) == (None, DUMPED, "the reply broke off at its greatest length")
    reply.response_metadata = {"finish_reason": "tool_calls"}
    assert said(reply)[0] == WANTED


def test_an_error_for_a_reply_at_its_greatest_length_is_no_failure() -> None:
    class LengthFinishReasonError(Exception):
        """As openai names it."""

    chat = replying(LengthFinishReasonError("length limit"))
    assert structured(chat, ASK, Said) == (None, "", "the reply broke off at its greatest length")


def test_a_page_of_a_providers_error_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ModelError) as raised:
        structured(replying(RuntimeError("page " * 500)), ASK, Said)
    assert "page" not in str(raised.value)
    assert "page page" in caplog.text
    assert len(caplog.text) < 500


@given(text=st.text())
def test_no_text_raises(text: str) -> None:
    value, rest, problem = said(text)
    assert (value, rest) == (None, text)
    assert problem


def test_a_class_that_reads_the_reply_itself_does_not_raise() -> None:
    unreadable = replying(OutputParserException("no JSON:\nwell"))
    assert structured(unreadable, ASK, Said) == (None, "", "the reply cannot be read")
    with pytest.raises(ValidationError) as caught:
        Said.model_validate({})
    assert structured(replying(caught.value), ASK, Said) == (None, "", "text: Field required")


def test_a_failing_model_raises() -> None:
    with pytest.raises(ModelError, match=r"'ToolChat' did not answer \(ConnectionError\)"):
        structured(replying(ConnectionError("refused")), ASK, Said)


def test_a_model_without_structured_output_raises() -> None:
    chat = FakeListChatModel(responses=["yes"])
    with pytest.raises(ModelError, match=r"cannot be asked .*NotImplemented.*; ask it for text"):
        structured(chat, ASK, Said)


def test_the_profile_says_whether_a_model_can_structure() -> None:
    assert can_structure(FakeListChatModel(responses=[], profile={"structured_output": True}))
    assert can_structure(FakeListChatModel(responses=[], profile={"tool_calling": True}))
    assert not can_structure(replying("", profile={"tool_calling": False}))
    assert not can_structure(
        replying("", profile={"tool_calling": False, "structured_output": False})
    )


def test_without_a_word_in_the_profile_the_class_decides() -> None:
    class SchemaChat(FakeListChatModel):
        def with_structured_output(self, *_: Any, **__: Any) -> Any: ...

    assert can_structure(replying(""))
    assert can_structure(replying("", profile={"max_input_tokens": 9}))
    assert can_structure(SchemaChat(responses=[]))
    assert not can_structure(FakeListChatModel(responses=[]))
