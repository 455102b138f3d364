"""MARK's experiments: are corrections of wrong answers remembered, and do they help? [M10, M11]"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np

from anamnesis.corpus.loading import read
from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from anamnesis.memory.record import LONGEST
from anamnesis.models.encoder import Vectors
from evaluation.results import ONCE, Execution
from evaluation.significance import (
    Comparison,
    Estimate,
    Floats,
    compare_with_first,
    mean_intervals,
    plain_by_metric,
    plain_metrics,
)
from evaluation.wording import Coverage, coverage, parts
from nodes.fields.options import read_options

Row = Literal["baseline", "same question", "related question", "another user", "expert's note"]
ROWS: tuple[Row, ...] = get_args(Row)
"""The users: one without memories; the one whose memories hold the question's own correction; one
with that of the related question; one when another user was given it; and one who sees it as an
expert's note.
"""
COMPARED = ("right", "aics")

RELATED = (0.65, 0.9)
"""Minimum cosines of related questions and of equal questions."""


class Case(NamedTuple):
    """A multiple choice question, the key of its right option, and the explanation of it."""

    text: str
    options: Mapping[str, str]
    answer: str
    explanation: str

    @property
    def expected(self) -> str:
        """The right option and the explanation."""
        return f"{self.options[self.answer]}. {self.explanation}"

    @property
    def correction(self) -> str:
        """An expert's correction of a wrong answer."""
        return f"To “{self.text}” the right answer is “{self.options[self.answer]}”. " + (
            self.explanation
        )


class Reply(NamedTuple):
    """The key of the chosen option, the statements, and the texts of the memories.

    ``recalled`` counts the memories that were found, ``injected`` those of them in the prompt.
    """

    choice: str | None
    text: str
    recalled: int
    injected: Sequence[str]


Ask = Callable[[Case, Row], Reply]
# Stores corrections of questions, and of related ones, as memories of the rows' users.
Keep = Callable[[Sequence[Case], Sequence[Case]], None]
# From texts to unit vectors.
Embed = Callable[[Sequence[str]], Vectors]


@dataclass(frozen=True, slots=True)
class CorrectionsResult:
    """The measures.

    Attributes:
        methods: For each row the shares of answers that name the ``right`` option, a ``wrong`` one
            and none (``undetermined``); ``aics``, ``kpcs``, ``ics``, ``ics_literal`` of the
            statements [M10]; and per question the ``recalled`` and ``injected`` memories and their
            ``tokens`` and ``words``.
        comparisons: By metric and pair, every other row minus the baseline.
        corrected: The numbers of questions, and of related ones, whose answers were corrected.
        turns: The numbers of questions answered right at first, when asked again after the
            correction, and at neither.
        rows: For each question its related one and the answers of all rows.
    """

    methods: Mapping[str, Mapping[str, Estimate]]
    comparisons: Mapping[str, Mapping[tuple[str, str], Comparison]]
    corrected: tuple[int, int]
    turns: tuple[int, int, int]
    rows: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """Everything except the rows, as plain dicts and lists."""
        return {
            "methods": plain_metrics(self.methods),
            "comparisons": plain_by_metric(self.comparisons),
            "corrected": dict(zip(("asked", "related"), self.corrected, strict=True)),
            "turns": dict(zip(("first", "second", "neither"), self.turns, strict=True)),
        }


def read_cases(file: Path) -> list[Case]:
    """The questions of MedMCQA with different options and an explanation that fits a memory.

    Raises CorpusError as the loader does.
    """
    found = [_case(item) for item in read("medmcqa", [file])]
    return [item for item in found if item is not None]


def pairs(
    cases: Sequence[Case], vectors: Vectors, sample: int, seed: int = 0
) -> list[tuple[Case, Case]]:
    """``sample`` questions in random order, each with the nearest related one still available.

    ``vectors``, shape (n, d), are the unit vectors of the questions; see ``RELATED``. No question
    is in two pairs. Raises SettingError if there are too few.
    """
    free = random.Random(seed).sample(range(len(cases)), len(cases))
    found = []
    while free:
        first = free.pop(0)
        near = vectors[free] @ vectors[first] if free else np.empty(0)
        near = np.where((near >= RELATED[0]) & (near < RELATED[1]), near, -1)
        if near.size and near.max() > 0:
            found.append((cases[first], cases[free.pop(int(near.argmax()))]))
    if not 0 < sample <= len(found):
        raise SettingError(
            f"{sample} questions cannot be drawn: {len(found)} with an explanation have a related "
            "one; ask for at least one and no more"
        )
    return found[:sample]


def evaluate_corrections(
    cases: Sequence[tuple[Case, Case]],
    ask: Ask,
    keep: Keep,
    embed: Embed,
    count_tokens: Callable[[Sequence[str]], Sequence[int]],
    execution: Execution = ONCE,
) -> CorrectionsResult:
    """Ask, correct the answers that are not right, and ask again.

    Args:
        cases: Questions with their related ones; see ``pairs``.
        ask: Answers a question as a row's user.
        keep: Called once, with the questions and the related ones that were not answered right,
            before any row except the baseline is asked.
        embed: Sentences to unit vectors, for the coverage of the expected answer.
        count_tokens: Numbers of tokens of texts.
        execution: See ``results.Execution``.
    """
    total, done = len(cases) * (len(ROWS) + 1), count(1)

    def answered_row(key: str, case: Case, row: Row) -> Mapping[str, Any]:
        found: Mapping[str, Any] = execution.once(
            key, lambda: reply_metrics(case, ask(case, row), embed, count_tokens)
        )
        if execution.progress is not None:
            execution.progress(next(done), total)
        return found

    first = [answered_row(f"{n} baseline", item, "baseline") for n, (item, _) in enumerate(cases)]
    others = [answered_row(f"{n} related", item, "baseline") for n, (_, item) in enumerate(cases)]
    wrong = [item for (item, _), row in zip(cases, first, strict=True) if not row["right"]]
    wrong_others = [item for (_, item), row in zip(cases, others, strict=True) if not row["right"]]
    keep(wrong, wrong_others)
    rows = {"baseline": first} | {
        name: [answered_row(f"{n} {name}", item, name) for n, (item, _) in enumerate(cases)]
        for name in ROWS[1:]
    }
    values = {name: _numbers(item) for name, item in rows.items()}
    right, again = (values[name]["right"] > 0 for name in ("baseline", "same question"))
    return CorrectionsResult(
        methods={
            name: mean_intervals(item, execution.seed, execution.resamples)
            for name, item in values.items()
        },
        comparisons=compare_with_first(
            {metric: {name: item[metric] for name, item in values.items()} for metric in COMPARED},
            execution.seed,
            execution.resamples,
        ),
        corrected=(len(wrong), len(wrong_others)),
        turns=(int(right.sum()), int((again & ~right).sum()), int((~again & ~right).sum())),
        rows=[
            {"question": item.text, "answer": item.answer, "related": other.text}
            | {"answers": {name: found[place] for name, found in rows.items()}}
            for place, (item, other) in enumerate(cases)
        ],
    )


def _numbers(rows: Sequence[Mapping[str, Any]]) -> dict[str, Floats]:
    """The metrics of rows that are numbers, each as an array of shape (n,)."""
    return {
        metric: np.array([float(row[metric]) for row in rows])
        for metric, value in rows[0].items()
        if not isinstance(value, str | None)
    }


def reply_metrics(
    case: Case, reply: Reply, embed: Embed, count: Callable[[Sequence[str]], Sequence[int]]
) -> dict[str, Any]:
    """The metrics of a reply, and those of the memories in its prompt."""
    named = f"{case.options[reply.choice]}. " if reply.choice else ""
    response = f"{named}{reply.text}"
    stated, expected = parts(response), parts(case.expected)
    cosines = embed([*stated, *expected])
    covered: Coverage = coverage(
        response, case.expected, cosines[: len(stated)] @ cosines[len(stated) :].T
    )
    return {
        "choice": reply.choice,
        "text": reply.text,
        "right": reply.choice == case.answer,
        "wrong": reply.choice not in (None, case.answer),
        "undetermined": reply.choice is None,
        **{name: getattr(covered, name) for name in ("aics", "kpcs", "ics", "ics_literal")},
        "recalled": reply.recalled,
        "injected": len(reply.injected),
        "tokens": sum(count(reply.injected)),
        "words": sum(len(text.split()) for text in reply.injected),
    }


def _case(record: Record) -> Case | None:
    explanation = record.text.partition("\n\n")[2]
    try:
        options = read_options(cast(Mapping[str, str], record.metadata["options"]))
    except SettingError:
        return None
    case = Case(record.question, options, str(record.metadata["answer"]), explanation)
    return case if explanation and len(case.correction) <= LONGEST else None
