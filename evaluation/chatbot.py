"""The protocol for answers in prose: similarity to the expected answer, and memories [H9]."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from anamnesis.language.text import digest
from evaluation.methods import Ranker
from evaluation.metrics import precision, recall
from evaluation.results import ONCE, Execution
from evaluation.significance import (
    Comparison,
    Estimate,
    Rows,
    compare_with_first,
    intervals,
    plain_by_metric,
    plain_metrics,
)

CUT = 5
# The metrics by which rows are compared; an answer without statements has 0.
COMPARED = ("rouge_l", "bertscore_f1")


class ChatbotQuestion(NamedTuple):
    """A record whose question is asked, and records of its subject whose questions come first."""

    record: Record
    earlier: Sequence[Record]


class Reply(NamedTuple):
    """The statements of an answer, '' if there is none; its memories; its time in ms.

    ``recalled`` counts the memories that were found, ``injected`` those that were in the prompt.
    """

    text: str
    recalled: int
    injected: int
    ms: float


# Answers a question with at most this number of memories.
Ask = Callable[[ChatbotQuestion, int], Reply]
# From an answer and the expected one to ``COMPARED``.
Measure = Callable[[str, str], Mapping[str, float]]
# From a text to its negative log-likelihood in nats and its number of tokens.
Likely = Callable[[str], tuple[float, int]]


@dataclass(frozen=True, slots=True)
class ChatbotResult:
    """The measures.

    Attributes:
        methods: For each row ``recall@5`` and ``precision@5`` of the documents, ``answered`` (the
            share of questions), ``rouge_l`` and ``bertscore_f1`` over all questions and, as
            ``…_answered``, over the answered ones, ``perplexity`` of all tokens of all answers,
            ``recalled`` and ``injected`` memories per question, ``seconds`` of the questions that
            were put to this row first.
        comparisons: By metric and pair, every other row minus the first.
        median_ms: For each row the median time of the same questions.
        rows: For each question the answers of all rows.
    """

    methods: Mapping[str, Mapping[str, Estimate]]
    comparisons: Mapping[str, Mapping[tuple[str, str], Comparison]]
    median_ms: Mapping[str, float]
    rows: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """``methods``, ``comparisons`` and ``median_ms``, as plain dicts and lists."""
        return {
            "methods": plain_metrics(self.methods),
            "comparisons": plain_by_metric(self.comparisons),
            "median_ms": dict(self.median_ms),
        }


def draw_questions(
    records: Sequence[Record], sample: int, earlier: int, seed: int = 0
) -> list[ChatbotQuestion]:
    """``sample`` records whose questions are asked, each with ``earlier`` others of its subject.

    The questions of a record and its others all differ. Raises SettingError if there are too few.
    """
    subjects: dict[str, dict[str, Record]] = {}
    for item in records:
        if item.question and item.focus:
            subjects.setdefault(item.focus.casefold(), {}).setdefault(digest(item.question), item)
    usable = [
        ChatbotQuestion(item, [other for other in found.values() if other is not item][:earlier])
        for found in subjects.values()
        if len(found) > earlier
        for item in found.values()
    ]
    if not 0 < sample <= len(usable):
        raise SettingError(
            f"{sample} questions cannot be drawn: {len(usable)} records have a question and "
            f"{earlier} others of their subject; ask for at least one and no more"
        )
    return random.Random(seed).sample(usable, sample)


def evaluate_chatbot(
    questions: Sequence[ChatbotQuestion],
    records: Sequence[Record],
    rows: Mapping[str, int],
    ask: Ask,
    rank: Ranker,
    measure: Measure,
    likely: Likely | None = None,
    execution: Execution = ONCE,
) -> ChatbotResult:
    """Ask the same questions with each number of memories.

    The expected answer is the text of the question's record. All documents with the same question
    are relevant.

    Args:
        questions: See ``draw_questions``.
        records: All documents that can be found.
        rows: For each name a maximum number of memories; the others are compared with the first.
        ask: Answers a question.
        rank: Finds documents for a question.
        measure: Compares an answer with the expected one.
        likely: Likelihood of an answer; without it there is no perplexity.
        execution: See ``results.Execution``.
    """
    same = _by_question(records)
    found: dict[str, list[Mapping[str, Any]]] = {name: [] for name in rows}

    def measured(question: ChatbotQuestion, memories: int, *, timed: bool) -> dict[str, Any]:
        reply, record = ask(question, memories), question.record
        documents, relevant = rank(record.question), same[digest(record.question)]
        return {
            **reply._asdict(),
            "ms": reply.ms if timed else None,
            f"recall@{CUT}": recall(documents, relevant, CUT),
            f"precision@{CUT}": precision(documents, relevant, CUT),
            **_text_measures(reply.text, record.text, measure, likely),
        }

    for done, question in execution.each(questions):
        # Results of one row are cached for the next, so the rows take turns in being first.
        turn = done % len(rows)
        for place, name in enumerate([*rows][turn:] + [*rows][:turn]):
            result = partial(measured, question, rows[name], timed=not place)
            found[name].append(execution.once(f"{done} {name}", result))
    scores = {
        metric: {
            name: np.array([item.get(metric, 0.0) for item in items])
            for name, items in found.items()
        }
        for metric in COMPARED
    }
    timed = {name: [r["ms"] for r in item if r["ms"] is not None] for name, item in found.items()}
    return ChatbotResult(
        methods={
            name: intervals(_figures(item), len(questions), execution.seed, execution.few_resamples)
            for name, item in found.items()
        },
        comparisons=compare_with_first(scores, execution.seed, execution.few_resamples),
        median_ms={name: median(times) for name, times in timed.items() if times},
        rows=[
            {"id": item.record.id, "question": item.record.question}
            | {"answers": {name: found[name][place] for name in rows}}
            for place, item in enumerate(questions)
        ],
    )


def _by_question(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """The ids of the records with the same question, each with relevance 1, by its digest."""
    found: dict[str, dict[str, float]] = {}
    for item in records:
        found.setdefault(digest(item.question), {})[item.id] = 1.0
    return found


def _text_measures(
    text: str, expected: str, measure: Measure, likely: Likely | None
) -> dict[str, float]:
    """The measures of an answer's text; empty if it has none."""
    if not text:
        return {}
    measures = dict(measure(text, expected))
    if likely is not None:
        measures["nats"], measures["tokens"] = likely(text)
    return measures


def _figures(rows: Sequence[Mapping[str, Any]]) -> Callable[[Rows], dict[str, float]]:
    names = (f"recall@{CUT}", f"precision@{CUT}", *COMPARED, "recalled", "injected")
    answered = np.array([bool(row["text"]) for row in rows])
    timed = np.array([row["ms"] is not None for row in rows])
    column = {
        name: np.array([row.get(name) or 0.0 for row in rows])
        for name in (*names, "nats", "tokens", "ms")
    }

    def figures(picked: Rows) -> dict[str, float]:
        stated, first = picked[answered[picked]], picked[timed[picked]]
        tokens = column["tokens"][picked].sum()
        return {
            "answered": float(answered[picked].mean()),
            **{name: float(column[name][picked].mean()) for name in names},
            **{
                f"{name}_answered": float(column[name][stated].mean()) if stated.size else math.nan
                for name in COMPARED
            },
            "perplexity": math.exp(column["nats"][picked].sum() / tokens) if tokens else math.nan,
            "seconds": float(column["ms"][first].mean() / 1000) if first.size else math.nan,
        }

    return figures
