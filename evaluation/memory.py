"""The protocol for memories: how many turns with the answer are recalled [H1, M3, M4]."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from anamnesis.errors import SettingError
from evaluation.conversations import Conversation, ConversationQuestion, Turn
from evaluation.results import ONCE, Execution
from evaluation.significance import (
    Comparison,
    Estimate,
    compare_all,
    mean_intervals,
    plain_comparisons,
    plain_metrics,
    randomisation_test,
)

CUTS = (1, 2, 5, 10)
# The metric by which methods are compared, and the memories whose tokens are counted.
COMPARED = "recall@5"
_COUNTED = 5

Memory = tuple[str, list[Turn]]
"""A memory of a conversation: its text, and its turns."""

# From a question to numbers of memories, best first.
Recaller = Callable[[str], Sequence[int]]
# From the memories of a conversation, as texts with their times, to a recaller per method.
Keeper = Callable[[Conversation, Sequence[str]], Mapping[str, Recaller]]


@dataclass(frozen=True, slots=True)
class MemoryResult:
    """The measures.

    Attributes:
        methods: For each method ``recall@k``, the share of the turns with the answer that are among
            the first k recalled memories, and ``tokens``, those of the first five.
        comparisons: For each method except the last, ``COMPARED`` of the last minus its own.
        median_ms: For each method the median time of a recall in milliseconds.
        used: The number of questions asked.
        excluded: Questions left out because they name no turn as evidence.
        unanswerable: Questions left out because the conversation does not answer them.
        memories: The number of memories of all conversations.
        rows: For each question its conversation, its text and the figures of all methods.
    """

    methods: Mapping[str, Mapping[str, Estimate]]
    comparisons: Mapping[tuple[str, str], Comparison]
    median_ms: Mapping[str, float]
    used: int
    excluded: int
    unanswerable: int
    memories: int
    rows: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """``methods``, ``comparisons`` and ``median_ms``, as plain dicts and lists."""
        return {
            "methods": plain_metrics(self.methods),
            "comparisons": plain_comparisons(self.comparisons, COMPARED),
            "median_ms": dict(self.median_ms),
        }


def exchanges(conversation: Conversation) -> list[Memory]:
    """The memories of a conversation: every turn, with the preceding one of its session."""
    found = []
    for place, turn in enumerate(conversation.turns):
        before = conversation.turns[place - 1] if place else None
        turns = [before, turn] if before and before.session == turn.session else [turn]
        found.append(("\n".join(f"{one.speaker}: {one.text}" for one in turns), turns))
    return found


def evaluate_memory(
    conversations: Sequence[Conversation],
    keep: Keeper,
    count_tokens: Callable[[Sequence[str]], Sequence[int]],
    execution: Execution = ONCE,
) -> MemoryResult:
    """Ask every method the same questions.

    There are two further rows: ``no memory``, and ``all of it``, the whole conversation. The
    intervals hold for other questions about these conversations: there are too few conversations to
    resample them.

    Args:
        conversations: The conversations, with the questions about them.
        keep: Stores the memories of a conversation and returns its recallers, which are called one
            after the other for each question. Every conversation has the same methods.
        count_tokens: Numbers of tokens of texts.
        execution: See ``results.Execution``.

    Raises:
        SettingError: If there is no question.
    """
    total = sum(len(item.questions) for item in conversations)
    if not total:
        raise SettingError("there is no question to ask; give conversations that have some")
    measured: dict[str, list[dict[str, float]]] = {}
    questions: list[tuple[str, str]] = []
    times: dict[str, list[float]] = {}
    number = 0
    for conversation in conversations:
        memories = exchanges(conversation)
        number += len(memories)
        tokens = list(count_tokens([text for text, _ in memories]))
        whole = count_tokens([f"{item.speaker}: {item.text}" for item in conversation.turns])
        for question, recalled in _recalled(
            conversation, memories, keep, execution, len(questions)
        ):
            questions.append((conversation.id, question.text))
            for name, found in recalled.items():
                times.setdefault(name, []).append(found["ms"])
            for name, row in _rows(question, recalled, memories, tokens, sum(whole)).items():
                measured.setdefault(name, []).append(row)
            if execution.progress is not None:
                execution.progress(len(questions), total)
    values = {
        name: {metric: np.array([row[metric] for row in rows]) for metric in rows[0]}
        for name, rows in measured.items()
    }
    *others, last = times
    return MemoryResult(
        methods={
            name: mean_intervals(item, execution.seed, execution.resamples)
            for name, item in values.items()
        },
        comparisons=compare_all(
            {name: values[name][COMPARED] for name in times},
            lambda one, other: randomisation_test(other - one, execution.seed),
            execution.seed,
            execution.resamples,
            [(name, last) for name in others],
        ),
        median_ms={name: float(np.median(item)) for name, item in times.items()},
        used=total,
        excluded=sum(item.excluded for item in conversations),
        unanswerable=sum(item.unanswerable for item in conversations),
        memories=number,
        rows=[
            {"conversation": name, "question": text}
            | {"methods": {method: item[place] for method, item in measured.items()}}
            for place, (name, text) in enumerate(questions)
        ],
    )


def _recalled(
    conversation: Conversation,
    memories: Sequence[Memory],
    keep: Keeper,
    execution: Execution,
    before: int,
) -> Iterator[tuple[ConversationQuestion, Mapping[str, Any]]]:
    """For each question what every method recalls.

    ``before`` is the number of questions about earlier conversations.
    """
    recallers = cache(lambda: keep(conversation, [text for text, _ in memories]))

    def recall(question: ConversationQuestion) -> dict[str, Any]:
        return {name: _timed_recall(item, question.text) for name, item in recallers().items()}

    for number, question in enumerate(conversation.questions, start=before + 1):
        yield question, execution.once(number, partial(recall, question))


def _timed_recall(recall: Recaller, question: str) -> dict[str, Any]:
    """The recalled places, and the time in milliseconds."""
    start = time.perf_counter()
    places = list(recall(question))
    return {"places": places, "ms": (time.perf_counter() - start) * 1000}


def _rows(
    question: ConversationQuestion,
    recalled: Mapping[str, Any],
    memories: Sequence[Memory],
    tokens: Sequence[int],
    whole: int,
) -> dict[str, dict[str, float]]:
    """The figures of every method for a question; ``whole``: tokens of the conversation."""
    methods = {
        name: _figures(question, found["places"], memories, tokens)
        for name, found in recalled.items()
    }
    everything = _row([1.0] * len(CUTS), float(whole))
    return {"no memory": _row([], 0.0), **methods, "all of it": everything}


def _figures(
    question: ConversationQuestion,
    places: Sequence[int],
    memories: Sequence[Memory],
    tokens: Sequence[int],
) -> dict[str, float]:
    """What the recalled memories have of the evidence, and the tokens of the first ones."""
    seen = [{turn.id for turn in memories[place][1]} for place in places]
    found = [len(question.evidence & set().union(*seen[:cut])) for cut in CUTS]
    hits = [item / len(question.evidence) for item in found]
    return _row(hits, float(sum(tokens[place] for place in places[:_COUNTED])))


def _row(hits: Sequence[float], tokens: float) -> dict[str, float]:
    found = dict(zip(CUTS, hits or [0.0] * len(CUTS), strict=True))
    return {f"recall@{cut}": item for cut, item in found.items()} | {"tokens": tokens}
