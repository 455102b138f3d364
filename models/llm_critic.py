"""The critic that is a chat model (row S5)."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from anamnesis.errors import ModelError
from anamnesis.text import without_thoughts
from anamnesis.wording import wording
from anamnesis.words import content_terms
from models.chat import PROMPTS, ask, count_tokens, window_tokens
from models.critic import Support, same_number
from models.windows import windows

REPLY_TOKENS = 1024
"""Bound of a reply. One line is asked for; a model that thinks aloud first needs the rest."""

# The prompt is read as a file: the code of prompts/ is a neighbour, and none of it is needed.
_PROMPT = Path(__file__).parents[1] / "prompts" / "critic.md"
# Not streamed: a chat client would show the verdicts as part of the answer.
_CALL: RunnableConfig = {"tags": [TAG_NOSTREAM], "metadata": {PROMPTS: [_PROMPT.stem]}}
# Tokens of a window kept for the chat's own marks, the reply, and the question asked again.
_SPARE = 256
_LEAST = 32  # tokens of a passage below which there is no sense in asking
_SHOWN = 80  # characters of an unreadable reply that the model is shown

_FORM = re.compile(
    r"[\s*`\"'(]*(entailment|neutral|contradiction)[\s*`\"',:()]+(\d{1,3})[\s*`\"'%.)]*",
    re.IGNORECASE,
)


class Verdict(NamedTuple):
    """What a chat model says of one pair: probabilities, 0..1, of support and of the contrary."""

    probability: float
    contradiction: float


class LLMCritic:
    """Support = a chat model's confidence that the passage entails the statement (row S5).

    ``chat`` should answer at temperature 0; ``name`` is what the answer says it is. A reply that
    cannot be read is asked for once more, and then supports nothing. A premise is read in windows
    of whole sentences, all of it. Raises ModelError if the model's window is too small.
    """

    method: Literal["llm"] = "llm"

    def __init__(self, chat: BaseChatModel, name: str) -> None:
        self.name = f"llm:{name}"
        self._chat = chat
        self._system = SystemMessage(_PROMPT.read_text("utf-8").strip())
        if self._room("") < _LEAST:
            raise ModelError(
                f"critic {self.name!r}: the chat model reads {window_tokens(chat)} tokens at once, "
                "too few for instructions and passage; name a model with a longer window"
            )

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its own premises, in their order.

        A statement that leaves no room for a passage is not supported. Raises ModelError if the
        model fails.
        """
        same_number(statements, premises)
        asked: dict[tuple[str, str], Verdict] = {}
        return [
            [self._support(statement, premise, asked) for premise in group]
            for statement, group in zip(statements, premises, strict=True)
        ]

    def _support(
        self, statement: str, premise: str, asked: dict[tuple[str, str], Verdict]
    ) -> Support:
        """The best of the premise's windows; ``asked`` keeps what the model has said."""
        room = self._room(statement)
        readable = statement.strip() and room >= _LEAST
        found = windows(premise, room, self._count) if readable else []
        if not found:
            return Support(0.0, 0.0, 0, 0)
        verdicts = []
        for window in found:
            pair = (statement, premise[window.start : window.end])
            if pair not in asked:
                asked[pair] = self._verdict(*pair)
            verdicts.append(asked[pair])
        surest = max(max(verdict) for verdict in verdicts)
        telling = [
            span
            for window, verdict in zip(found, verdicts, strict=True)
            if max(verdict) == surest
            for span in window.sentences
        ]
        return Support(
            max(verdict.probability for verdict in verdicts),
            max(verdict.contradiction for verdict in verdicts),
            *_nearest(statement, premise, telling),
        )

    def _verdict(self, statement: str, passage: str) -> Verdict:
        question = _question(statement, passage)
        reply = self._reply(question)
        found = read_verdict(reply)
        if found is None:
            shown = " ".join(reply.split())[:_SHOWN]
            found = read_verdict(
                self._reply(
                    f"{question}\n\nYour last reply, {shown!r}, is not of the form that was asked "
                    "for. Reply with entailment, neutral or contradiction, a space, and a whole "
                    "number from 0 to 100."
                )
            )
        return found or Verdict(0.0, 0.0)

    def _reply(self, question: str) -> str:
        own = wording("critic")
        system = self._system if own is None else SystemMessage(own.strip())
        messages = [system, HumanMessage(question)]
        return ask(self._chat, messages, self.name, _CALL).text

    def _room(self, statement: str) -> int:
        """Tokens that a passage may have beside a statement."""
        frame = sum(self._count([self._system.text, _question(statement, "")]))
        return window_tokens(self._chat) - frame - _SPARE

    def _count(self, texts: Sequence[str]) -> list[int]:
        return [count_tokens(self._chat, text) for text in texts]


def read_verdict(reply: str) -> Verdict | None:
    """What a reply says, or None if it is not one word and one whole number from 0 to 100.

    Thoughts that are marked as such may stand around it. Nothing else is read out of a reply:
    'not entailment 90' says the contrary of its words.
    """
    found = _FORM.fullmatch(without_thoughts(reply))
    if found is None or int(found[2]) > 100:
        return None
    sure = int(found[2]) / 100
    word = found[1].lower()
    return Verdict(sure if word == "entailment" else 0.0, sure if word == "contradiction" else 0.0)


def _question(statement: str, passage: str) -> str:
    return f"Passage:\n{passage}\n\nStatement:\n{statement}"


def _nearest(statement: str, premise: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The span with the most of the statement's words, the first of equals."""
    asked = set(content_terms(statement))
    return max(
        spans, key=lambda span: len(asked.intersection(content_terms(premise[slice(*span)])))
    )
