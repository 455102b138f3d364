"""The protocol for readers: does a passage answer a question, and with which sentences? [H5]"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from anamnesis.errors import SettingError
from anamnesis.models.reading import Reader, Reading
from evaluation import classification
from evaluation.question_passages import QuestionPassage
from evaluation.results import ONCE, Execution
from evaluation.significance import Estimate, intervals
from evaluation.significance import Rows as Places
from nodes.evidence.sentences import QUOTED


@dataclass(frozen=True, slots=True)
class ReaderResult:
    """The measures.

    Attributes:
        metrics: See ``evaluate_reader``; undefined ones are left out.
        counts: The numbers of ``answerable``, ``near_misses`` and ``polar`` questions, and of
            ``passages``.
        rows: For each question its ``question``, ``style`` and ``answers`` (from 1), the reader's
            ``relevance``, the probability of each of the ``sentences``, and its output for yes and
            no (``polar``).
    """

    metrics: Mapping[str, Estimate]
    counts: Mapping[str, int]
    rows: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """``metrics``, as plain dicts."""
        return {"metrics": {name: item._asdict() for name, item in self.metrics.items()}}


def evaluate_reader(
    reader: Reader, questions: Sequence[QuestionPassage], execution: Execution = ONCE
) -> ReaderResult:
    """Read the passage of every question.

    The metrics are ``auroc``, how often an answerable question has a higher relevance than a near
    miss; and over the answerable ones ``top_sentence``, the share whose most probable sentence (the
    first of equal ones) is an answering one, ``sentence_f1``, the mean F1 of the sentences with a
    probability of at least ``QUOTED``, which is 0 if there are none, and ``verdict``, the share of
    yes/no questions whose most probable output is the passage's yes, no or depends.

    Args:
        reader: Reads each question with its own passage only.
        questions: The questions, and the answering sentences.
        execution: See ``results.Execution``.

    Raises SettingError if there are no questions.
    """
    if not questions:
        raise SettingError("there are no questions to read for; give at least one")
    rows = []
    for number, question in execution.each(questions):
        relevance, chances, polar = execution.once(number, partial(_read, reader, question))
        rows.append(
            {
                "question": question.question,
                "style": question.style,
                "answers": sorted(place + 1 for place in question.answers),
                "relevance": relevance,
                "sentences": chances,
                "polar": polar,
            }
        )
    columns = _columns(questions, rows)
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, question in enumerate(questions):
        groups.setdefault((question.heading, *question.sentences), []).append(number)
    members = list(groups.values())

    def statistic(picked: Places) -> dict[str, float]:
        return _figures({name: item[_all(members, picked)] for name, item in columns.items()})

    return ReaderResult(
        intervals(statistic, len(members), execution.seed, execution.few_resamples),
        {
            "answerable": int(columns["answerable"].sum()),
            "near_misses": int((1 - columns["answerable"]).sum()),
            "polar": sum(item.polar is not None for item in questions),
            "passages": len(members),
        },
        rows,
    )


def _read(reader: Reader, question: QuestionPassage) -> tuple[float, list[float], dict[str, float]]:
    """The relevance of the passage, the probabilities of its sentences and of yes and no."""
    [reading] = reader.read(question.question, [(question.heading, " ".join(question.sentences))])
    chances = of_sentences(question.sentences, reading)
    return float(reading.relevance), chances, dict(reading.polar)


def of_sentences(sentences: Sequence[str], reading: Reading) -> list[float]:
    """The probability of each sentence of a passage, which was read with spaces between sentences.

    The reader splits the text by its own rules: a sentence gets the highest probability among the
    parts that it overlaps with, 0 if there are none.
    """
    found, start = [], 0
    for sentence in sentences:
        end = start + len(sentence)
        chances = [chance for a, b, chance in reading.sentences if max(a, start) < min(b, end)]
        found.append(float(max(chances, default=0.0)))
        start = end + 1
    return found


def sentence_f1(answers: frozenset[int], chances: Sequence[float]) -> float:
    """F1 of the sentences with a probability of at least ``QUOTED`` against the answering ones."""
    quoted = {place for place, item in enumerate(chances) if item >= QUOTED}
    return 2 * len(quoted & answers) / (len(quoted) + len(answers))


def _columns(
    questions: Sequence[QuestionPassage], rows: Sequence[Mapping[str, Any]]
) -> dict[str, classification.Floats]:
    """The data of the figures, NaN if a row does not contribute to one."""
    none = float("nan")
    found: dict[str, list[float]] = {
        name: [] for name in ("answerable", "relevance", "top_sentence", "sentence_f1", "verdict")
    }
    for item, row in zip(questions, rows, strict=True):
        chances, polar = row["sentences"], row["polar"]
        best = max(range(len(chances)), key=lambda place: chances[place])
        found["answerable"].append(float(bool(item.answers)))
        found["relevance"].append(row["relevance"])
        found["top_sentence"].append(float(best in item.answers) if item.answers else none)
        found["sentence_f1"].append(sentence_f1(item.answers, chances) if item.answers else none)
        is_polar = item.answers and item.polar and polar
        likeliest = max(polar, key=lambda name: polar[name]) if is_polar else None
        found["verdict"].append(float(likeliest == item.polar) if is_polar else none)
    return {name: np.array(item, np.float64) for name, item in found.items()}


def _figures(columns: Mapping[str, classification.Floats]) -> dict[str, float]:
    answerable = columns["answerable"] > 0
    figures = {"auroc": classification.auroc(answerable, columns["relevance"])}
    for name in ("top_sentence", "sentence_f1", "verdict"):
        values = columns[name][~np.isnan(columns[name])]
        figures[name] = float(values.mean()) if values.size else float("nan")
    return figures


def _all(members: Sequence[Sequence[int]], picked: Places) -> Places:
    return np.concatenate([members[place] for place in picked]).astype(np.int64)
