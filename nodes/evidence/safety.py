"""Text of a document that must not be shown in an answer or put unchanged into a prompt.

Such text is a sentence that gives orders to a model or its user, or a dose above the table of
maximum daily doses. Both checks can only reject. They are made unless a run's settings switch them
off (``verification.safety_checks``): then every text passes unchanged.
"""

import dataclasses
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from anamnesis.context_variable import setting_variable
from anamnesis.corpus.doses import above_maximum, context, has_amount
from anamnesis.corpus.passage import FROM_RECORD, Passage
from anamnesis.language.text import Span, sentences
from nodes.evidence.orders import gives_orders
from nodes.fields.codes import FailedCheck
from nodes.state import Statement

INSTRUCTION = "instruction"
"""The failed check of a statement that gives orders to a model or its user."""

ABOVE_MAXIMUM = "dose above maximum"
"""The failed check of a statement that recommends more of a medicine than the table allows."""

LEFT_OUT = "[…]"
"""Placeholder in a prompt for removed text."""

_log = logging.getLogger(__name__)
_EMPTY: dict[str, Any] = dict.fromkeys(set(FROM_RECORD) - {"kind"}, "")

# Possessive, because a long text of signs would otherwise cause much backtracking.
_SIGNS = re.compile(r"(?:[^\w%]++|_++|%20|%)++")
_GAP = re.compile(r" {3,}")

_checked: ContextVar[bool] = ContextVar("anamnesis_safety_checks", default=True)


def safety_checks(on: bool) -> AbstractContextManager[None]:
    """Within the block, both checks are made only if they are ``on``."""
    return setting_variable(_checked, on)


def unsafe(text: str, about: Sequence[str] = ()) -> list[str]:
    """The safety checks that a text fails; ``about`` as in ``anamnesis.corpus.doses``."""
    if not _checked.get():
        return []
    found = [INSTRUCTION] if gives_orders(text) else []
    if has_amount(text) and above_maximum(text, about):
        found.append(ABOVE_MAXIMUM)
    return found


def safe(passage: Passage) -> Passage:
    """The passage with unsafe text replaced by blanks, so that all offsets stay valid.

    A sentence with a dose above the maximum is blanked alone. A passage with an order anywhere, in
    its text or in the shown fields of its record, is blanked completely, with these fields, because
    the rest has the same author.
    """
    text, failed = _checked_passage(passage)
    if failed == INSTRUCTION:
        return dataclasses.replace(passage, text=text, metadata={}, **_EMPTY)
    return passage if text == passage.text else dataclasses.replace(passage, text=text)


def quotable(passage: Passage, span: Span) -> bool:
    """Whether a span of a passage may be shown, and the passage named."""
    return bool(safe(passage).text[span.start : span.end].strip())


def all_safe(passages: Sequence[Passage]) -> list[Passage]:
    """The passages after ``safe``; those with removed text are logged."""
    for item in passages:
        if failed := _checked_passage(item)[1]:
            _log.warning("passage %s is not quoted unchanged: %s", item.id, failed)
    return [safe(item) for item in passages]


def without_orders(text: str) -> str:
    """The text for a model's prompt, without orders and without the blanks."""
    if not _checked.get():
        return text
    kept, end = [], 0
    for span in sentences(text):
        piece = text[span.start : span.end]
        kept.append(text[end : span.start] + (LEFT_OUT if gives_orders(piece) else piece))
        end = span.end
    return _GAP.sub(f" {LEFT_OUT} ", "".join(kept) or LEFT_OUT)


def turned_down(item: Statement, about: Sequence[str] = ()) -> Statement:
    """The statement; if it fails safety checks, it is unsupported and lists them."""
    codes = unsafe(item["text"], about)
    return failing(item, [{"code": code, "found": ""} for code in codes]) if codes else item


def failing(item: Statement, failed: Sequence[FailedCheck]) -> Statement:
    """The statement as unsupported, because it fails these checks too."""
    return {
        **item,
        "verdict": "unsupported",
        "citations": [],
        "evidence": None,
        "failed": [*item["failed"], *failed],
        "conflict": None,
    }


def _checked_passage(passage: Passage) -> tuple[str, str]:
    """The text with blanks, and the check that failed; blank if none did."""
    if not _checked.get():
        return passage.text, ""
    shown = [getattr(passage, name) for name in _EMPTY]
    if any(_orders(text) for text in (*shown, *_texts(passage.metadata))):
        return " " * len(passage.text), INSTRUCTION
    return _blanked(passage.heading, passage.title, passage.focus, passage.text)


def _texts(value: object) -> Iterator[str]:
    """The texts of metadata, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from (name, *_texts(item))
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item)


@lru_cache(maxsize=4096)
def _orders(shown: str) -> bool:
    """Whether a text gives orders; in an address, other signs than blanks separate words."""
    return gives_orders(_SIGNS.sub(" ", shown) if "://" in shown else shown)


@lru_cache(maxsize=2048)
def _blanked(heading: str, title: str, focus: str, text: str) -> tuple[str, str]:
    """The text with blanks, and the check that failed; blank if none did."""
    spans = sentences(text)
    pieces = [text[span.start : span.end] for span in spans]
    if any(map(gives_orders, pieces)):
        return " " * len(text), INSTRUCTION
    failed = ""
    if has_amount(text):
        before = ""
        for span, piece in zip(spans, pieces, strict=True):
            if has_amount(piece) and above_maximum(
                piece, (*context(piece, before, heading), title, focus)
            ):
                text = text[: span.start] + " " * len(piece) + text[span.end :]
                failed = ABOVE_MAXIMUM
            before = piece
    return text, failed
