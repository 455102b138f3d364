"""The protocol for readers: does a passage answer a question, and with which sentences? [H5]"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anamnesis.errors import SettingError
from anamnesis.models.reading import Reader, Reading
from evaluation import classification
from evaluation.question_passages import QuestionPassage
from evaluation.results import Progress, Rows, with_progress
from evaluation.significance import RESAMPLES, Estimate, intervals
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
    reader: Reader,
    questions: Sequence[QuestionPassage],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Progress | None = None,
    kept: Rows | None = None,
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
        seed: Seed of the bootstrap.
        resamples: Bootstrap resamples of passages: questions on the same one are drawn together.
        progress: Called after each question.
        kept: Readings of earlier runs, keyed by the question's number. They are reused, and new
            ones are stored in this mapping.

    Raises SettingError if there are no questions.
    """
    if not questions:
        raise SettingError("there are no questions to read for; give at least one")
    kept = {} if kept is None else kept
    rows = []
    for number, own in enumerate(with_progress(questions, progress)):
        if str(number) not in kept:
            [reading] = reader.read(own.question, [(own.heading, " ".join(own.sentences))])
            chances = of_sentences(own.sentences, reading)
            kept[str(number)] = [float(reading.relevance), chances, dict(reading.polar)]
        relevance, chances, polar = kept[str(number)]
        rows.append(
            {
                "question": own.question,
                "style": own.style,
                "answers": sorted(place + 1 for place in own.answers),
                "relevance": relevance,
                "sentences": chances,
                "polar": polar,
            }
        )
    columns = _columns(questions, rows)
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, own in enumerate(questions):
        groups.setdefault((own.heading, *own.sentences), []).append(number)
    members = list(groups.values())

    def statistic(picked: Places) -> dict[str, float]:
        return _figures({name: item[_all(members, picked)] for name, item in columns.items()})

    return ReaderResult(
        intervals(statistic, len(members), seed, resamples),
        {
            "answerable": int(columns["answerable"].sum()),
            "near_misses": int((1 - columns["answerable"]).sum()),
            "polar": sum(item.polar is not None for item in questions),
            "passages": len(members),
        },
        rows,
    )


def of_sentences(sentences: Sequence[str], reading: Reading) -> list[float]:
    """The probability of each sentence of a passage, which was read with spaces between sentences.

    The reader splits the text by its own rules: a sentence gets the highest probability among the
    parts that it overlaps with, 0 if there are none.
    """
    found, start = [], 0
    for sentence in sentences:
        end = start + len(sentence)
        own = [chance for a, b, chance in reading.sentences if max(a, start) < min(b, end)]
        found.append(float(max(own, default=0.0)))
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
        own = columns[name][~np.isnan(columns[name])]
        figures[name] = float(own.mean()) if own.size else float("nan")
    return figures


def _all(members: Sequence[Sequence[int]], picked: Places) -> Places:
    return np.concatenate([members[place] for place in picked]).astype(np.int64)
