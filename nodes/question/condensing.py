"""Condense a long message to its questions in one line each, by a chat model; check the result.

A long message costs the reader much of its judgement: on held-out messages its AUROC is .81 if it
reads them, and .87 if it reads the line that a person wrote. Lines by a chat model with 1.5 billion
parameters gain nothing, so the setting is off by default (`python -m benchmarks.summaries`). A
result that adds anything to the message is discarded, and the message is used as it is.
"""

import logging
from collections.abc import Callable, Sequence
from itertools import takewhile

from langchain_core.messages import HumanMessage

from anamnesis import ModelError
from anamnesis.language.layout import ITEM_START
from anamnesis.language.negations import has_negation
from anamnesis.language.text import tokenize
from anamnesis.language.words import content_terms, stem
from anamnesis.models.chat import ask, name_of, of_prompt
from anamnesis.models.wrapped import Chat
from nodes.question.several import MOST_QUESTIONS
from nodes.question.standalone import NUMBER, asks_in_one_line
from prompts import conversation

LONG = 40
"""Messages of more words are condensed."""
COMMON = 1.94
"""A line may contain other words than the message if their idf is lower: they occur in more than an
eighth of the passages, such as *treatment*, and name nothing. An idf of 0 is unknown."""

_log = logging.getLogger(__name__)


def is_long(message: str) -> bool:
    """Whether a message is condensed."""
    return len(message.split()) > LONG


def condense(
    chat: Chat, message: str, idf: Callable[[Sequence[str]], Sequence[float]]
) -> list[str]:
    """The questions of a message, one line each; empty if the chat model's lines cannot be used.

    ``idf`` gives the idf of lower-case words in the index. A failure of the model is only logged.
    """
    messages = [*conversation("summarise"), HumanMessage(message)]
    try:
        reply = ask(chat, messages, name_of(chat), of_prompt("summarise"))
    except ModelError:  # the error is in the log
        return []
    lines = [ITEM_START.sub("", line).strip(" \"'“”‘’") for line in str(reply.text).splitlines()]
    lines = list(dict.fromkeys(filter(None, lines)))
    if not adds_nothing(lines, message, idf):
        _log.info("the condensed message was not used")
        return []
    return lines


def adds_nothing(
    lines: Sequence[str], message: str, idf: Callable[[Sequence[str]], Sequence[float]]
) -> bool:
    """Whether lines ask what is in the message: short questions with its words and numbers.

    A line may leave words out, but no line denies anything if the message does not.
    """
    if not 0 < len(lines) <= MOST_QUESTIONS or not all(map(asks_in_one_line, lines)):
        return False
    asked = " ".join(lines)
    if not set(NUMBER.findall(asked)) <= set(NUMBER.findall(message)):
        return False
    if has_negation(asked) and not has_negation(message):
        return False
    known = tokenize(message)
    new = [
        term for term in content_terms(asked) if not any(_same_word(term, item) for item in known)
    ]
    return all(0 < value < COMMON for value in idf(new)) if new else True


def _same_word(one: str, other: str) -> bool:
    """Whether two words are forms of one, such as *fusing* and *fusion*."""
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    )
    return stem(one) == stem(other) or shared >= max(4, max(len(one), len(other)) - 3)
