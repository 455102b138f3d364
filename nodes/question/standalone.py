"""Rewrite a follow-up question to stand alone, by a chat model if one is set; check the result.

A model may answer instead of rewriting, drop a 'not', or add a disease that nobody named. A result
that fails the checks is discarded, and the rules of ``nodes.question.followup`` are used.
"""

import logging
import re
from collections.abc import Sequence

from langchain_core.messages import HumanMessage

from anamnesis import ModelError
from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.negations import negation_count
from anamnesis.language.text import tokenize
from anamnesis.language.words import content_terms, stem
from anamnesis.models.chat import ask, name_of, of_prompt
from anamnesis.models.wrapped import Chat
from nodes.parts import Parts
from nodes.question.followup import points_back, stand_alone, topic_of, without_references
from nodes.settings.context import Context
from nodes.state import Outcome, State
from prompts import conversation

EARLIER = 3
"""Number of previous turns in the prompt."""
MOST_WORDS = 40
"""Maximum number of words in a result."""

_log = logging.getLogger(__name__)

_REQUEST = re.compile(rf"(please )?({any_of('request')})\b", re.IGNORECASE)
NUMBER = re.compile(r"\d+(?:[.,/]\d+)*")
# Function words that change what is asked.
_DECISIVE = frozenset(listed("family", "near", "grandparent", "decisive", without="partner"))
# Words that a question has only because it depends on the previous one.
_DEPENDENT = frozenset(stem(word) for word in ("instead", "else", *listed("agreement", "thanks")))


def standing_alone(
    question: str, messages: Sequence[str], state: State, context: Context, parts: Parts
) -> str:
    """The question, rewritten as a standalone question.

    A chat model, if one is set, rewrites a follow-up; if it adds or omits anything, rules do.
    ``messages`` are the user's earlier ones, oldest first. The replies are not used: a model must
    not put their words into the user's question.
    """
    # A client that keeps the conversation itself sends all messages, and there is no state.
    previous = (state.get("queries") or [""])[0] or (messages[-1] if messages else "")
    topic = state.get("topic") or (topic_of(previous, []) if previous else "")
    chat = parts.chat(context) if previous else None
    earlier = [*((item, "") for item in messages[:-1]), (previous, topic)]
    by_model = rewritten(chat, question, earlier) if chat else None
    return by_model or stand_alone(question, previous, topic)


def topic_for_followups(state: State, outcome: Outcome, context: Context, parts: Parts) -> str:
    """The topic that follow-ups to an answer refer to: of its passages, or of the question."""
    if outcome not in ("answered", "partial"):
        return topic_of(state["queries"][0], [])
    # If the index was rebuilt in the meantime, a passage may be missing.
    there = parts.find([item["id"] for item in state["selected"]], context)
    focuses = [there[item["id"]].focus for item in state["selected"] if item["id"] in there]
    return topic_of(state["queries"][0], focuses)


def rewritten(chat: Chat, question: str, earlier: Sequence[tuple[str, str]]) -> str | None:
    """The question as rewritten by the chat model; None if the rules should rewrite it.

    ``earlier`` has the previous turns, oldest first: each question in stand-alone form, and its
    topic ('' if unknown). Replies are not included, because their words are not the user's.
    The model is called only for a question that depends on them, and its reply is not streamed.
    Never raises: a failure of the model is logged.
    """
    if not earlier or not points_back(question):
        return None
    turns = "".join(f"- {turn}\n" for turn, _ in earlier[-EARLIER:])
    asked = HumanMessage(f"Earlier questions:\n{turns}Question: {question}")
    messages = [*conversation("standalone"), asked]
    try:
        reply = ask(chat, messages, name_of(chat), of_prompt("standalone"))
    except ModelError:  # the error is in the log
        return None
    text = str(reply.text).strip().strip("\"'“”‘’").strip()
    if not faithful(text, question, earlier):
        _log.info("a rewritten follow-up question was not used")
        return None
    return text


def faithful(text: str, question: str, earlier: Sequence[tuple[str, str]]) -> bool:
    """Whether a rewritten question asks the same as the original, and stands alone.

    It is one line of at most ``MOST_WORDS`` words that asks or requests; it keeps the question's
    numbers, negations and content words, adds only words of the ``earlier`` turns, and refers to
    nothing outside itself.
    """
    if not asks_in_one_line(text):
        return False
    before = " ".join(part for turn in earlier for part in turn)
    numbers, asked = set(NUMBER.findall(text)), set(NUMBER.findall(question))
    if not asked <= numbers <= asked | set(NUMBER.findall(before)):
        return False
    if negation_count(text) != negation_count(question):
        return False
    kept, stems = _stems(without_references(question)) - _DEPENDENT, _stems(text)
    return kept <= stems <= _stems(f"{question} {before}") and not points_back(text)


def asks_in_one_line(text: str) -> bool:
    """Whether a text is one line of at most ``MOST_WORDS`` words that asks or requests."""
    if "\n" in text or not 0 < len(text.split()) <= MOST_WORDS:
        return False
    return text.endswith("?") or _REQUEST.match(text) is not None


def _stems(text: str) -> set[str]:
    """The stems of the words that determine what is asked."""
    decisive = [word for word in tokenize(text) if word in _DECISIVE]
    return {stem(word) for word in [*content_terms(text), *decisive] if word != "s"}
