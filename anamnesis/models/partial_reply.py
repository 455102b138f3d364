"""The reply of a chat model while it is being written."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, TypeVar
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk
from langchain_core.tracers.context import register_configure_hook

from anamnesis.context_variable import setting_variable

T = TypeVar("T")


class _ReplyCollector(BaseCallbackHandler):
    """Collects the text of a reply.

    The two ``tap_output`` methods make LangChain request a stream from a model that supports one.
    """

    run_inline = True

    def __init__(self, receive: Callable[[str], None]) -> None:
        self._receive, self._said = receive, ""
        self._run: UUID | None = None

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        **_: Any,
    ) -> None:
        """Start again: a further attempt, or another model, writes a new reply."""
        self._said, self._run = "", run_id

    def on_llm_new_token(
        self,
        token: str | list[str | dict[str, Any]],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        **_: Any,
    ) -> None:
        """Pass on the reply so far. Tokens of an abandoned attempt are ignored."""
        if run_id != self._run or not isinstance(chunk, ChatGenerationChunk):
            return
        self._said += chunk.message.text
        self._receive(self._said)

    def tap_output_iter(self, run_id: UUID, output: Iterator[T]) -> Iterator[T]:
        """The output, unchanged."""
        return output

    def tap_output_aiter(self, run_id: UUID, output: AsyncIterator[T]) -> AsyncIterator[T]:
        """The output, unchanged."""
        return output


_collector: ContextVar[_ReplyCollector | None] = ContextVar("anamnesis_collector", default=None)
# LangChain adds the handler in this variable to every call of a model.
register_configure_hook(_collector, inheritable=True)


def on_partial_reply(receive: Callable[[str], None]) -> AbstractContextManager[None]:
    """Call ``receive`` with the reply so far, after each token of the chat model.

    This holds for a model that is called in the block and can stream. ``receive`` runs in the
    thread of the model's call.
    """
    return setting_variable(_collector, _ReplyCollector(receive))
