"""The critic that is a chat model [S5]."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage

from anamnesis.errors import ModelError
from anamnesis.language.words import content_terms
from anamnesis.models.chat import ask, count_tokens, of_prompt, window_tokens
from anamnesis.models.parallel import map_in_parallel
from anamnesis.models.support import Support, same_number
from anamnesis.models.verdicts import (
    NOTHING,
    Verdict,
    form,
    question,
    read_verdicts,
    without_statements,
)
from anamnesis.models.windows import Window, windows
from anamnesis.replaced_prompts import replaced_prompt

# The prompt is read as a file, because this floor may not import prompts/.
_PROMPT = Path(__file__).parents[2] / "prompts" / "critic.md"
# Tokens of a window reserved for the chat template, the reply, and a repeated question.
_SPARE = 256
_LEAST = 32  # minimum tokens of a passage
_SHOWN = 80  # characters of an unreadable reply that are shown to the model
_MOST = 20  # maximum statements per call
_SHARE = 4  # the share of the window's tokens that several statements may take

Pair = tuple[str, str]


class _Asked(NamedTuple):
    """One call: statements, and the passage that they are judged by."""

    statements: list[str]
    passage: str


class LLMCritic:
    """Support = a chat model's confidence that the passage entails the statement [S5].

    ``chat`` should answer at temperature 0; ``name`` is its name in the answer. There is one call
    per passage, for all statements whose premise it is, and several passages are judged in
    parallel. A reply that cannot be parsed is requested once more; a statement without a readable
    verdict is not supported. The whole premise is read in windows of whole sentences. The run's own
    prompt (``anamnesis.replaced_prompts``) replaces the project's. Raises ModelError if the model's
    window is too small for the prompt.
    """

    method: Literal["llm"] = "llm"

    def __init__(self, chat: BaseChatModel, name: str) -> None:
        self.name = f"llm:{name}"
        self._chat = chat
        self._shipped_prompt = _PROMPT.read_text("utf-8")
        self._refuse_without_room()

    def _refuse_without_room(self) -> None:
        """Raise ModelError if the prompt leaves no room for a passage."""
        if self._room([""]) >= _LEAST:
            return
        prompt = self._count([self._instructions()])[0]
        remedy = "" if replaced_prompt("critic") is None else ", or shorten `critic` in `prompts`"
        raise ModelError(
            f"critic {self.name!r}: the chat model reads {window_tokens(self._chat)} tokens at "
            f"once, too few for instructions ({prompt} tokens) and passage; name a model with a "
            f"longer window{remedy}"
        )

    def _instructions(self) -> str:
        return (replaced_prompt("critic") or self._shipped_prompt).strip()

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its premises, in order.

        A statement that leaves no room for a passage is not supported. Raises ModelError if the
        model fails, or its window is too small for the prompt.
        """
        same_number(statements, premises)
        self._refuse_without_room()
        wanted: dict[str, dict[str, None]] = {}
        for statement, group in zip(statements, premises, strict=True):
            for premise in group:
                wanted.setdefault(premise, {})[statement] = None
        cut: dict[Pair, list[Window]] = {}
        calls: dict[tuple[str, tuple[str, ...]], _Asked] = {}
        for premise, item in wanted.items():
            for batch in self._batches(list(item)):
                found = windows(premise, self._room(batch), self._count)
                cut |= {(statement, premise): found for statement in batch}
                for window in found:
                    passage = premise[window.start : window.end]
                    calls[passage, tuple(batch)] = _Asked(batch, passage)
        found_verdicts: dict[Pair, Verdict] = {}
        asked = list(calls.values())
        judged = map_in_parallel(self._chat, self._verdicts, asked)
        for call, verdicts in zip(asked, judged, strict=True):
            for place, statement in enumerate(call.statements):
                found_verdicts[statement, call.passage] = verdicts.get(place, NOTHING)
        return [
            [
                _support(statement, premise, cut.get((statement, premise), []), found_verdicts)
                for premise in group
            ]
            for statement, group in zip(statements, premises, strict=True)
        ]

    def _batches(self, statements: Sequence[str]) -> list[list[str]]:
        """The statements that can be judged, in batches that leave room for a passage."""
        readable = [item for item in statements if item.strip() and self._room([item]) >= _LEAST]
        most = window_tokens(self._chat) // _SHARE
        batches: list[list[str]] = []
        size = 0
        for statement, tokens in zip(readable, self._count(readable), strict=True):
            size += tokens
            if not batches or size > most or len(batches[-1]) == _MOST:
                batches.append([])
                size = tokens
            batches[-1].append(statement)
        return batches

    def _verdicts(self, call: _Asked) -> dict[int, Verdict]:
        """The model's verdict on each statement of a call, by position."""
        number, asking = len(call.statements), question(call.statements, call.passage)
        reply = self._reply(asking)
        found = read_verdicts(without_statements(reply, call.statements), number)
        if len(found) < number:
            shown = " ".join(reply.split())[:_SHOWN]
            again = (
                f"{asking}\n\nYour last reply, {shown!r}, is not of the form that was asked for. "
                f"{form(number)}"
            )
            reply = self._reply(again)
            found = read_verdicts(without_statements(reply, call.statements), number)
        return found

    def _reply(self, asking: str) -> str:
        messages = [SystemMessage(self._instructions()), HumanMessage(asking)]
        return ask(self._chat, messages, self.name, of_prompt(_PROMPT.stem)).text

    def _room(self, statements: Sequence[str]) -> int:
        """Tokens that a passage may have with these statements."""
        frame = sum(self._count([self._instructions(), question(statements, "")]))
        return window_tokens(self._chat) - frame - _SPARE

    def _count(self, texts: Sequence[str]) -> list[int]:
        return [count_tokens(self._chat, text) for text in texts]


def _support(
    statement: str, premise: str, found: Sequence[Window], judged: dict[Pair, Verdict]
) -> Support:
    """The best of the premise's windows."""
    if not found:
        return Support(0.0, 0.0, 0, 0)
    verdicts = [judged[statement, premise[window.start : window.end]] for window in found]
    surest = max(max(verdict) for verdict in verdicts)
    decisive = [
        span
        for window, verdict in zip(found, verdicts, strict=True)
        if max(verdict) == surest
        for span in window.sentences
    ]
    return Support(
        max(verdict.probability for verdict in verdicts),
        max(verdict.contradiction for verdict in verdicts),
        *_nearest(statement, premise, decisive),
    )


def _nearest(statement: str, premise: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The span with the most of the statement's words; the first one if equal."""
    asked = set(content_terms(statement))
    return max(
        spans, key=lambda span: len(asked.intersection(content_terms(premise[slice(*span)])))
    )
