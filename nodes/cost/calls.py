"""Usage of chat models by a step: prompt and model, number of calls, tokens and price.

No text is recorded. The caller of a chat model names the prompts in the metadata of the call
(``anamnesis.models.chat.PROMPTS``); ``anamnesis.models.chat.ask`` adds the model's name.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any, NamedTuple
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook

from anamnesis.context_variable import setting_variable
from anamnesis.models.chat import MODEL, PROMPTS, estimated_tokens
from nodes.cost.prices import prices
from nodes.fields.usage import Calls, Spent, spent
from nodes.state import Update
from prompts import fingerprint


class _Kind(NamedTuple):
    model: str
    prompts: tuple[str, ...]


class _StartedCall(NamedTuple):
    kind: _Kind
    tokens: int


class Counter(BaseCallbackHandler):
    """Counts calls of chat models by model and prompt."""

    def __init__(self) -> None:
        self._begun: dict[UUID, _StartedCall] = {}
        self._made: dict[_Kind, Calls] = {}
        self._lock = Lock()  # a step may call models from several threads

    def update(self) -> Update:
        """The calls so far for the state, one entry per model and prompt, in order of first call.

        Empty if there are none. A call that has not returned counts as failed.
        """
        with self._lock:
            begun = list(self._begun.values())
            self._begun.clear()
        for given_up in begun:
            self._count(given_up.kind, given_up.tokens, 0, estimated=True, failed=1)
        with self._lock:
            # Concurrent calls end in any order.
            made = sorted(self._made.items(), key=lambda item: item[0])
            # Copies, because a call that timed out may end later.
            calls = [_priced({**entry}, kind.model) for kind, entry in made]
        return {"calls": calls} if calls else {}

    def spent(self) -> Spent:
        """Usage of the calls that have ended, and their price."""
        with self._lock:
            return spent(_priced({**item}, kind.model) for kind, item in self._made.items())

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Record the prompt of the call and an estimate of its tokens."""
        details = metadata or {}
        kind = _Kind(details.get(MODEL, ""), tuple(details.get(PROMPTS, ())))
        said = [message.text for conversation in messages for message in conversation]
        self._begun[run_id] = _StartedCall(kind, sum(map(estimated_tokens, said)))

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Count the call, with the token counts that the model reports, if it does."""
        if (begun := self._begun.pop(run_id, None)) is None:
            return
        replies = [
            item.message
            for group in response.generations
            for item in group
            if isinstance(item, ChatGeneration)
        ]
        reported = [item.usage_metadata for item in replies if isinstance(item, AIMessage)]
        usages = [usage for usage in reported if usage]
        # LangChain gives a reply from a cache the cost 0, and no cost to any other reply.
        if any("total_cost" in usage for usage in usages):
            self._count(begun.kind, 0, 0, cached=1)
        elif usages:
            prompt = sum(usage["input_tokens"] for usage in usages)
            self._count(begun.kind, prompt, sum(item["output_tokens"] for item in usages))
        else:
            reply = sum(estimated_tokens(message.text) for message in replies)
            self._count(begun.kind, begun.tokens, reply, estimated=True)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Count the call as one that failed, unless the model does not implement it."""
        begun = self._begun.pop(run_id, None)
        if begun is None or isinstance(error, NotImplementedError):
            return
        self._count(begun.kind, begun.tokens, 0, estimated=True, failed=1)

    def _count(
        self,
        kind: _Kind,
        prompt: int,
        reply: int,
        *,
        estimated: bool = False,
        failed: int = 0,
        cached: int = 0,
    ) -> None:
        fresh: Calls = {
            "files": [f"{name}.md" for name in kind.prompts],
            "sha256": fingerprint(*kind.prompts),
            "model": kind.model,
            "calls": 0,
            "failed": 0,
            "cached": 0,
            "prompt_tokens": 0,
            "reply_tokens": 0,
            "estimated": False,
            "price": None,
            "currency": None,
        }
        with self._lock:
            counted = self._made.setdefault(kind, fresh)
            counted["calls"] += 1
            counted["failed"] += failed
            counted["cached"] += cached
            counted["prompt_tokens"] += prompt
            counted["reply_tokens"] += reply
            counted["estimated"] |= estimated


def _priced(calls: Calls, model: str) -> Calls:
    """The calls with their price, if the operator's table has it."""
    table = prices()
    if table is not None and (price := table.models.get(model)):
        cost = round(price.of(calls["prompt_tokens"], calls["reply_tokens"]), 8)
        return {**calls, "price": cost, "currency": table.currency}
    return calls


_counter: ContextVar[Counter | None] = ContextVar("anamnesis_calls", default=None)
# LangChain reads the handler from this variable whenever a model is called.
register_configure_hook(_counter, inheritable=True)


@contextmanager
def count_calls() -> Iterator[Counter]:
    """Count the calls of chat models within the block, at any depth."""
    counter = Counter()
    with setting_variable(_counter, counter):
        yield counter


def spent_so_far() -> Spent:
    """Usage so far of the calls within the innermost enclosing ``count_calls`` block."""
    counter = _counter.get()
    return counter.spent() if counter is not None else spent([])
