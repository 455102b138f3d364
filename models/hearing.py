"""What a chat model says, as it says it."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk
from langchain_core.tracers.context import register_configure_hook

T = TypeVar("T")


class _Ear(BaseCallbackHandler):
    """Collects the words of a reply.

    A handler with the two ``tap_output`` methods has LangChain ask a model that can for a stream.
    """

    run_inline = True

    def __init__(self, hear: Callable[[str], None]) -> None:
        self._hear, self._said = hear, ""
        self._run: UUID | None = None

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        **_: Any,
    ) -> None:
        """Begin anew: a further try, or another model, writes a reply of its own."""
        self._said, self._run = "", run_id

    def on_llm_new_token(
        self,
        token: str | list[str | dict[str, Any]],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        **_: Any,
    ) -> None:
        """Tell the reply so far. What a try that was given up still says is not heard."""
        if run_id != self._run or not isinstance(chunk, ChatGenerationChunk):
            return
        self._said += chunk.message.text
        self._hear(self._said)

    def tap_output_iter(self, run_id: UUID, output: Iterator[T]) -> Iterator[T]:
        """What comes, as it comes."""
        return output

    def tap_output_aiter(self, run_id: UUID, output: AsyncIterator[T]) -> AsyncIterator[T]:
        """What comes, as it comes."""
        return output


_ear: ContextVar[_Ear | None] = ContextVar("anamnesis_ear", default=None)
# LangChain asks the variable for a handler wherever a model is called.
register_configure_hook(_ear, inheritable=True)


@contextmanager
def heard(hear: Callable[[str], None]) -> Iterator[None]:
    """Tell ``hear`` the reply so far, again and again, of the chat model called in the block.

    A model that cannot stream is not heard. ``hear`` is called in the thread of the call.
    """
    token = _ear.set(_Ear(hear))
    try:
        yield
    finally:
        _ear.reset(token)
