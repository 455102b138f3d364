"""What a step asks of chat models: which prompt, how often, how many tokens. Never the words.

Whoever asks a chat model names its prompts in the metadata of the call (``models.chat.PROMPTS``).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any, NamedTuple
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook

from models.chat import PROMPTS, estimated_tokens
from nodes.state import Calls, Update
from prompts import fingerprint


class _Begun(NamedTuple):
    prompts: tuple[str, ...]
    tokens: int


class Counter(BaseCallbackHandler):
    """Counts calls of chat models by their prompt."""

    def __init__(self) -> None:
        self._begun: dict[UUID, _Begun] = {}
        self._made: dict[tuple[str, ...], Calls] = {}
        self._lock = Lock()  # a step may call models in threads

    def update(self) -> Update:
        """The calls so far for the state, one entry a prompt; empty if there are none.

        One that is still under way has been given up, and failed.
        """
        with self._lock:
            begun = list(self._begun.values())
            self._begun.clear()
        for given_up in begun:
            self._count(given_up.prompts, given_up.tokens, 0, estimated=True, failed=1)
        with self._lock:
            # Copies: a call that was given up may end later.
            return {"calls": [{**own} for own in self._made.values()]} if self._made else {}

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Note which prompt it is, and an estimate of its tokens."""
        prompts = tuple((metadata or {}).get(PROMPTS, ()))
        said = [message.text for conversation in messages for message in conversation]
        self._begun[run_id] = _Begun(prompts, sum(map(estimated_tokens, said)))

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Count the call, with the model's own token counts where it tells them."""
        if (begun := self._begun.pop(run_id, None)) is None:
            return
        replies = [
            own.message
            for group in response.generations
            for own in group
            if isinstance(own, ChatGeneration)
        ]
        told = [own.usage_metadata for own in replies if isinstance(own, AIMessage)]
        if usages := [usage for usage in told if usage]:
            prompt = sum(usage["input_tokens"] for usage in usages)
            self._count(begun.prompts, prompt, sum(own["output_tokens"] for own in usages))
        else:
            reply = sum(estimated_tokens(message.text) for message in replies)
            self._count(begun.prompts, begun.tokens, reply, estimated=True)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Count the call as one that failed."""
        if (begun := self._begun.pop(run_id, None)) is None:
            return
        self._count(begun.prompts, begun.tokens, 0, estimated=True, failed=1)

    def _count(
        self,
        prompts: Sequence[str],
        prompt: int,
        reply: int,
        *,
        estimated: bool = False,
        failed: int = 0,
    ) -> None:
        fresh: Calls = {
            "files": [f"{name}.md" for name in prompts],
            "sha256": fingerprint(*prompts),
            "calls": 0,
            "failed": 0,
            "prompt_tokens": 0,
            "reply_tokens": 0,
            "estimated": False,
        }
        with self._lock:
            own = self._made.setdefault(tuple(prompts), fresh)
            own["calls"] += 1
            own["failed"] += failed
            own["prompt_tokens"] += prompt
            own["reply_tokens"] += reply
            own["estimated"] |= estimated


_counter: ContextVar[Counter | None] = ContextVar("anamnesis_calls", default=None)
# LangChain asks the variable for a handler wherever a model is called.
register_configure_hook(_counter, inheritable=True)


@contextmanager
def counted() -> Iterator[Counter]:
    """Count the calls of chat models within the block, at any depth."""
    counter = Counter()
    token = _counter.set(counter)
    try:
        yield counter
    finally:
        _counter.reset(token)
