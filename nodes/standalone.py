"""Have a chat model make a follow-up question stand alone, and use the result only if it is safe.

A model may answer instead of rewriting, drop a 'not', or bring in a disease that nobody named.
What fails the checks is thrown away; the rules of ``nodes.followup`` are there for it.
"""

import logging
import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs
from langgraph.constants import TAG_NOSTREAM

from anamnesis import ModelError
from anamnesis.text import tokenize
from anamnesis.words import content_terms, stem
from models.chat import PROMPTS, ask, name_of
from models.wrapped import Chat
from nodes.followup import points_back, without_references
from prompts import load

EARLIER = 3
"""How many earlier turns the model is shown, the last ones."""
MOST_WORDS = 40
"""Words of the longest result that is used."""

_log = logging.getLogger(__name__)

_REQUEST = re.compile(
    r"(please )?(tell|explain|describe|list|give|show|compare|name|summari[sz]e)\b", re.IGNORECASE
)
_NEGATION = re.compile(r"\b(?:no|not|never|none|without|cannot)\b|n['’]t\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,/]\d+)*")
# Function words by themselves, which change what is asked all the same.
_TELLING = frozenset(
    (
        "no not more most much all both off over out up old year years now today often sometimes "
        "already adult mother father mum mom dad husband wife son daughter sister brother friend "
        "grandmother grandfather"
    ).split()
)
# What a question says only because it leans on the one before.
_LEANING = frozenset(stem(word) for word in ("instead", "else", "okay", "thanks"))


def rewritten(
    chat: Chat,
    question: str,
    earlier: Sequence[tuple[str, str]],
    config: RunnableConfig | None = None,
) -> str | None:
    """The question as the chat model makes it stand alone; None where the rules should do it.

    ``earlier`` holds the turns before, oldest first: what the user asked, in its stand-alone form,
    and what it was about ('' if unknown). Replies do not belong there: their words are not the
    user's. The model is asked only about a question that leans on them, and its words are not
    streamed. Nothing is raised: a model that fails is logged.
    """
    if not earlier or not points_back(question):
        return None
    settings = merge_configs(
        config, {"tags": [TAG_NOSTREAM], "metadata": {PROMPTS: ["standalone"]}}
    )
    try:
        said = str(ask(chat, _messages(question, earlier), name_of(chat), settings).text)
    except ModelError:  # the log has it
        return None
    text = said.strip().strip("\"'“”‘’").strip()
    if not faithful(text, question, earlier):
        _log.info("a rewritten follow-up question was not used")
        return None
    return text


def faithful(text: str, question: str, earlier: Sequence[tuple[str, str]]) -> bool:
    """Whether a rewritten question asks what the question asks, and stands alone.

    It is one line of at most ``MOST_WORDS`` words that asks or requests; it keeps the question's
    numbers, negations and content words, adds only words of the ``earlier`` turns, and refers to
    nothing outside itself.
    """
    if "\n" in text or not 0 < len(text.split()) <= MOST_WORDS:
        return False
    if not text.endswith("?") and not _REQUEST.match(text):
        return False
    before = " ".join(part for turn in earlier for part in turn)
    numbers, asked = set(_NUMBER.findall(text)), set(_NUMBER.findall(question))
    if not asked <= numbers <= asked | set(_NUMBER.findall(before)):
        return False
    if len(_NEGATION.findall(text)) != len(_NEGATION.findall(question)):
        return False
    kept, own = _stems(without_references(question)) - _LEANING, _stems(text)
    return kept <= own <= _stems(f"{question} {before}") and not points_back(text)


def _stems(text: str) -> set[str]:
    """The stems of the words that make a difference to what is asked."""
    telling = [word for word in tokenize(text) if word in _TELLING]
    return {stem(word) for word in [*content_terms(text), *telling] if word != "s"}


def _messages(question: str, earlier: Sequence[tuple[str, str]]) -> list[BaseMessage]:
    """The instructions, the examples as turns of a chat, and the question."""
    system, *examples = load("standalone").split("\n---\n")
    messages: list[BaseMessage] = [SystemMessage(system.strip())]
    for example in examples:
        asked, _, told = example.partition("\n=>\n")
        messages += [HumanMessage(asked.strip()), AIMessage(told.strip())]
    turns = "".join(f"- {turn}\n" for turn, _ in earlier[-EARLIER:])
    return [*messages, HumanMessage(f"Earlier questions:\n{turns}Question: {question}")]
