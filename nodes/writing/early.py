"""Statements of a draft that are checked, and streamed, while it is still being written."""

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import pairwise
from threading import Lock
from typing import Any

from anamnesis import ModelError
from anamnesis.models.chat import profile_of
from anamnesis.models.wrapped import Chat
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.state import State, Statement
from nodes.writing.draft import ParsedReply, complete_statements
from nodes.writing.streamed import (
    Judge,
    Send,
    SupportedStatements,
    judges_singly,
    judging,
    statement_sender,
    streams_statements,
)

_WORD = re.compile(r"[^\W\d_]++")
_ENDS = frozenset(".!?\n")


class EarlyChecker:
    """Checks the statements of a draft one by one while it is being written.

    ``send`` gets each statement that is new in ``supported``. If the critic fails, the statement
    stays unchecked.
    """

    def __init__(
        self,
        ids: Sequence[str],
        part: int,
        judged: Judge,
        supported: SupportedStatements,
        send: Send,
    ) -> None:
        self._ids, self._part, self._judge = ids, part, judged
        self._supported, self._send = supported, send
        self._seen: set[str] = set()
        self._begun = 0
        self._before: list[Statement] = []
        self._over = self._failed = False
        self._futures: list[Future[Statement]] = []
        self._lock = Lock()
        self._context = copy_context()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="anamnesis-check")

    def receive(self, words: str) -> None:
        """Start checking the complete statements of the reply so far; returns at once."""
        with self._lock:
            begun = _complete_words(words)
            if begun > self._begun and not self._over:
                self._begun = begun
                self._begin(complete_statements(words, self._ids))

    def finish(self, read: ParsedReply) -> ParsedReply:
        """The parsed reply with all of its statements checked.

        Streamed statements stay, even if the rest of the reply is unusable.
        """
        with self._lock, self._pool:
            self._over = True
            if not read.problem:
                self._begin(read.statements)
        judged = [item.result() for item in self._futures]
        if not any(item["verdict"] == "supported" for item in judged):
            return read._replace(statements=judged) if read.statements else read
        return ParsedReply(judged, read.choice, None)

    def _begin(self, found: Iterable[Statement]) -> None:
        for item in found:
            key = item["text"].casefold()
            if key not in self._seen:
                self._seen.add(key)
                statement: Statement = {**item, "part": self._part} if self._part else item
                self._futures.append(self._pool.submit(self._context.run, self._judged, statement))

    def _judged(self, item: Statement) -> Statement:
        if self._failed:
            return item
        try:
            [*_, judged] = self._judge([*self._before, item])
        except ModelError:  # raised again when the statement is next judged
            self._failed = True
            return item
        self._before = [judged]
        if self._supported.add(judged):
            self._send(judged)
        return judged


def _complete_words(text: str) -> int:
    """The number of complete words, except the first, that begin a sentence.

    The whole reply is parsed only when this number grows: parsing it for every word would take
    longer than most models take to write it.
    """
    words = [item.span() for item in _WORD.finditer(text)]
    gaps = (text[end:start] for (_, end), (start, _) in pairwise(words[:-1]))
    return sum(not _ENDS.isdisjoint(gap) for gap in gaps)


def early_checks(
    state: State, context: Context, parts: Parts, write: Callable[[Any], None]
) -> Callable[[int, Sequence[str]], EarlyChecker] | None:
    """Makes the checker of a draft being written, from a question's number and passage ids.

    None if statements are not streamed, or if they cannot be judged before the draft is complete:
    the text contains placeholders or reasoning, or the critic is a chat model, which judges all
    statements in one call.
    """
    chat = parts.chat(context) if streams_statements(state, context) else None
    critic = parts.critic(context) if chat is not None else None
    if critic is None or not judges_singly(critic) or hides_words(context, chat):
        return None
    judged, send = judging(state, context, parts, critic), statement_sender(context, parts, write)
    supported = SupportedStatements(state["rounds"])
    return lambda number, ids: EarlyChecker(ids, number, judged, supported, send)


def hides_words(context: Context, chat: Chat | None) -> bool:
    """Whether streamed text would contain redaction placeholders, or reasoning."""
    return context.generator.redact or bool(chat and profile_of(chat).get("reasoning_output"))
