"""The protocol for options and yes/no: the same questions for several settings [K5, K6, S8]."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from anamnesis.errors import SettingError
from evaluation.classification import Labels, macro_f1
from evaluation.reading import Question
from evaluation.results import ONCE, Execution
from evaluation.significance import (
    Comparison,
    Estimate,
    Rows,
    compare_all,
    intervals,
    mcnemar,
    plain_comparisons,
    plain_metrics,
)
from graph import Context
from graph.build import Graph
from nodes.fields.options import is_yes_no
from nodes.state import Input

# The metric by which rows are compared.
COMPARED = "accuracy"
# Labels of answers other than the right ones: none, and one that is never right.
_OPEN, _NEVER_RIGHT = -1, -2

# From a question to the key of the chosen option; None if none is chosen.
Answerer = Callable[[Question], str | None]


@dataclass(frozen=True, slots=True)
class AnswersResult:
    """The measures.

    Attributes:
        rows: For each row ``accuracy``, ``wrong`` and ``undetermined`` (no option named), which add
            up to 1; ``coverage`` (answered of all) and ``precision`` (right of answered; left out
            if none was answered); ``macro_f1``, the mean F1 of the right answers that occur: yes,
            no and maybe, or the keys of options. There an undetermined question is a false
            negative, but never a false positive.
        comparisons: For each pair of rows, ``COMPARED`` of the second minus that of the first, with
            the p-value of McNemar's exact test.
        asked: For each question its ``text``, the right ``answer``, and what each row ``chose``.
        chance: The expected accuracy of guessing.
        majority: The accuracy of always giving the most frequent right answer.
        used: The number of questions asked.
    """

    rows: Mapping[str, Mapping[str, Estimate]]
    comparisons: Mapping[tuple[str, str], Comparison]
    chance: float
    majority: float
    used: int
    asked: Sequence[Mapping[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """``rows``, ``comparisons``, ``chance`` and ``majority``, as plain dicts and lists."""
        return {
            "rows": plain_metrics(self.rows),
            "comparisons": plain_comparisons(self.comparisons, COMPARED),
            "chance": self.chance,
            "majority": self.majority,
        }


def by_graph(talk: Graph, context: Context) -> Answerer:
    """Answers by a graph with these settings."""

    def answer(question: Question) -> str | None:
        inputs: Input = {"question": question.text, "options": dict(question.options)}
        choice: str | None = talk.invoke(inputs, context=context)["answer"]["choice"]
        return choice

    return answer


def evaluate_answers(
    questions: Sequence[Question], rows: Mapping[str, Answerer], execution: Execution = ONCE
) -> AnswersResult:
    """Ask every row the same questions.

    Args:
        questions: The questions. If no option is chosen, the answer is not right.
        rows: For each name a function that answers a question.
        execution: See ``results.Execution``.

    Raises:
        SettingError: If there is no row or no question.
    """
    if not rows or not questions:
        raise SettingError(
            f"there are {len(rows)} rows and {len(questions)} questions; give at least one of each"
        )
    found = _choices(questions, rows, execution)
    answers = [label(question, question.answer) for question in questions]
    places = {name: place for place, name in enumerate(dict.fromkeys(answers))}
    labels = np.array([places[name] for name in answers])
    given = {
        name: np.array(
            [_place(item, key, places) for item, key in zip(questions, keys, strict=True)]
        )
        for name, keys in found.items()
    }
    right = {name: item == labels for name, item in given.items()}
    return AnswersResult(
        rows={
            name: intervals(
                _shares(labels, item), len(questions), execution.seed, execution.resamples
            )
            # Not a mean, and slow to resample.
            | intervals(_f1(labels, item), len(questions), execution.seed, execution.few_resamples)
            for name, item in given.items()
        },
        comparisons=compare_all(
            {name: item.astype(np.float64) for name, item in right.items()},
            mcnemar,
            execution.seed,
            execution.resamples,
        ),
        chance=float(np.mean([1 / len(question.options) for question in questions])),
        majority=Counter(answers).most_common(1)[0][1] / len(questions),
        used=len(questions),
        asked=[
            {"text": item.text, "answer": item.answer}
            | {"chose": {name: found[name][number] for name in rows}}
            for number, item in enumerate(questions)
        ],
    )


def _choices(
    questions: Sequence[Question], rows: Mapping[str, Answerer], execution: Execution
) -> dict[str, list[str | None]]:
    """The options that each row chooses."""
    found: dict[str, list[str | None]] = {name: [] for name in rows}
    for number, question in execution.each(questions):
        for name, answer in rows.items():
            choice = execution.once(f"{number} {name}", partial(answer, question))
            found[name].append(choice)
    return found


def label(question: Question, key: str) -> str:
    """The label of an option for all questions: yes, no or maybe, otherwise its key."""
    yes_no = is_yes_no(question.options)
    return question.options[key].strip().rstrip(".").casefold() if yes_no else key


def _place(question: Question, key: str | None, places: Mapping[str, int]) -> int:
    """The index of an answer among the right ones, or one that no right answer has."""
    return _OPEN if key is None else places.get(label(question, key), _NEVER_RIGHT)


def _shares(labels: Labels, given: Labels) -> Callable[[Rows], dict[str, float]]:
    chosen, correct = given != _OPEN, given == labels
    wrong = chosen & ~correct

    def shares(picked: Rows) -> dict[str, float]:
        # Counted, which takes a fraction of the time of a mean: there are thousands of resamples.
        size, answered = len(picked), int(np.count_nonzero(chosen[picked]))
        right = int(np.count_nonzero(correct[picked]))
        return {
            COMPARED: right / size,
            "wrong": int(np.count_nonzero(wrong[picked])) / size,
            "undetermined": (size - answered) / size,
            "coverage": answered / size,
            "precision": right / answered if answered else float("nan"),
        }

    return shares


def _f1(labels: Labels, given: Labels) -> Callable[[Rows], dict[str, float]]:
    return lambda picked: {"macro_f1": macro_f1(labels[picked], given[picked])}
