"""Replies of chat models in the form of a pydantic model [S3]."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, ValidationError

from anamnesis.errors import ModelError
from anamnesis.language.text import without_thoughts
from anamnesis.models.calling import guard_of, is_refusal
from anamnesis.models.chat import ask, is_truncated, name_of, profile_of
from anamnesis.models.wrapped import Chat, cores, with_schema

Schema = TypeVar("Schema", bound=BaseModel)

BROKE_OFF = "the reply broke off at its greatest length"
"""The problem of a reply that was cut off."""
_TOO_LONG = "LengthFinishReasonError"  # what openai raises then; it need not be installed
_FENCE = re.compile(r"```\w*\n(.*?)```", re.DOTALL)


def can_structure(chat: Chat) -> bool:
    """Whether a chat model can be asked for structured output.

    Its profile decides, if it has an entry for this; otherwise its class must support tools or
    structured output. A local model cannot, and a model that has refused a schema is not asked
    again. Of several models (fallbacks), one that can is enough.
    """
    return guard_of(chat).takes_schemas and any(_takes_schemas(item) for item in cores(chat))


def _takes_schemas(chat: Chat) -> bool:
    profile = profile_of(chat)
    stated = [profile[name] for name in ("structured_output", "tool_calling") if name in profile]
    if stated:
        return any(stated)
    kind = type(chat)
    return any(
        getattr(kind, name, getattr(BaseChatModel, name)) is not getattr(BaseChatModel, name)
        for name in ("bind_tools", "with_structured_output")
    )


def ask_for_words(chat: Chat) -> None:
    """From now on, ask a chat model for text, because it refused a schema."""
    guard_of(chat).takes_schemas = False


class RefusedError(ModelError):
    """A chat model was reached but cannot give structured output: ask it for text."""


def structured(
    chat: Chat,
    messages: Sequence[BaseMessage],
    schema: type[Schema],
    config: RunnableConfig | None = None,
) -> tuple[Schema | None, str, str | None]:
    """The reply as an object of ``schema``, the reply as text, and what was wrong with it.

    Either the object or the problem, one line, is None. JSON in a code fence, or with words around
    it, is read; a reply that was cut off is not, because half a sentence can have another meaning.
    Raises RefusedError if the model cannot give structured output, another ModelError if it fails.
    """
    name = name_of(chat)
    try:
        asked = with_schema(chat, schema, can_structure)
    except Exception as error:  # NotImplementedError, or a schema that the class does not accept
        ask_for_words(chat)
        raise RefusedError(
            f"the chat model {name!r} cannot be asked for structured output "
            f"({type(error).__name__}: {error}); ask it for text"
        ) from error
    try:
        found: Any = ask(asked, messages, name, config, chat)
    except ModelError as error:
        # Some classes parse the reply while they receive it.
        if isinstance(error.__context__, ValidationError):
            return None, "", _problem(error.__context__)
        if isinstance(error.__context__, OutputParserException):
            return None, "", "the reply cannot be read"  # the error contains words of the reply
        if type(error.__context__).__name__ == _TOO_LONG:
            return None, "", BROKE_OFF
        if is_refusal(error.__context__):
            raise RefusedError(str(error)) from error
        raise
    raw: AIMessage = found["raw"]
    text: str = without_thoughts(raw.text)
    if not text.strip():
        text = next((_dumped(call["args"]) for call in _calls(raw)), text)
    if is_truncated(raw):
        return None, text, BROKE_OFF
    value = found["parsed"]
    # LangChain completes JSON that was cut off, so JSON in a text is parsed again below.
    if isinstance(value, schema) and not without_thoughts(raw.text).strip():
        return value, text, None
    problem = "the reply is empty" if not text.strip() else "the reply holds no JSON object"
    for candidate in _candidates(raw):
        try:
            return schema.model_validate(candidate), text, None
        except ValidationError as error:
            problem = _problem(error)
    return None, text, problem


def _calls(raw: AIMessage) -> list[Any]:
    return [*raw.tool_calls, *raw.invalid_tool_calls]


def _candidates(raw: AIMessage) -> Iterator[Any]:
    """The objects in the reply: the arguments of its tool calls, then those in its text."""
    for call in _calls(raw):
        args = call["args"]
        yield from [args] if isinstance(args, dict) else _objects(args or "")
    yield from _objects(without_thoughts(raw.text))


def _objects(text: str) -> Iterator[Any]:
    """The only JSON object in a text: in its only fence, or with words before and after it.

    None if there are several, because it is unclear which one is meant.
    """
    fenced = _FENCE.findall(text)
    body = fenced[0] if len(fenced) == 1 else text
    start = body.find("{")
    if start < 0:
        return
    try:
        found, end = json.JSONDecoder().raw_decode(body, start)
    except (ValueError, RecursionError):  # no JSON, or brackets without end
        return
    if "{" not in body[end:]:
        yield found


def _dumped(args: Any) -> str:
    return json.dumps(args, ensure_ascii=False) if isinstance(args, dict) else args or ""


def _problem(error: ValidationError) -> str:
    """The first validation error, in one line."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return " ".join(f"{place}: {first['msg']}".split()).removeprefix(": ")
