"""The combination that decides on a verdict: ``python -m training.verdicts --data FOLDER``.

A multinomial logistic regression on the reader's and the critic's judgement
(``nodes.writing.verdicts``) of questions on topics that the reader was not trained on: those of
``training.question_passages``, each read with its own passage, and real messages and questions as
people type them with a judged passage that says yes, no or depends. A passage that does not answer,
or a question that asks for something else, is ``open``. Each row counts twice, the second time with
yes and no exchanged, so that neither is favoured because the questions written for this project
more often had a yes.

Prints how many verdicts are shown and how many are right for several thresholds, with
probabilities that were cross-fitted by topic, and the weights fitted on all rows.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.topics import is_held_out_topic
from anamnesis.errors import AnamnesisError
from anamnesis.models.classifier import Scores
from anamnesis.models.critic import load_critic
from anamnesis.models.reading import log_odds
from anamnesis.models.reranker import load_reranker
from nodes.evidence.relevance import relevance
from nodes.fields.passages import Selected
from nodes.settings.context import Context
from nodes.settings.derived import QUOTED_RELEVANCE
from nodes.writing import verdicts
from nodes.writing.extract import extract_quotations
from training.judged import FIRST_PAGES, read_judged
from training.question_passages import read_question_passages

_REGULARISED = 0.3
"""The inverse of the regularisation, as in scikit-learn; .1 and 1 do about as well."""
_FOLDS = 10
_PAIRS = tuple(product((0.7, 0.75, 0.8, 0.85, 0.9, 0.95), (0.5, 0.6, 0.7, 0.8, 0.9)))
"""Minimum probabilities by the combination and by the critic."""
_HALVES = 20
_RIGHT = 0.95
_HELPS = 2
_WORDS = ("yes", "no", "depends")
_SWAPPED = {"yes": "no", "no": "yes", "entailment": "contradiction", "contradiction": "entailment"}


class Pair(NamedTuple):
    """A question with the passage that is read for it, and the passage's verdict or ``open``."""

    question: str
    topic: str
    heading: str
    text: str
    value: str


class Row(NamedTuple):
    """The inputs of the combination (7,), the critic's judgement, the value, and the topic.

    ``ruled_out``: there is no verdict, whatever the models say.
    """

    inputs: list[float]
    judged: tuple[float, float]
    value: str
    topic: str
    ruled_out: bool = False


def pairs(folder: Path) -> Iterator[Pair]:
    """The held-out questions and messages with their passages."""
    for entry in read_question_passages(folder):
        if entry.held_out:
            value = entry.polar if entry.answers else None
            text = " ".join(entry.sentences)
            yield Pair(entry.question, entry.topic, entry.heading, text, value or "open")
    for item in [*read_judged(folder), *read_judged(folder, FIRST_PAGES)]:
        passages = [
            each for each in item.passages if item.held_out or is_held_out_topic(each.topic)
        ]
        if any(each.polar in _WORDS for each in passages):
            for each in passages:
                value = each.polar if each.grade >= _HELPS else None
                text = " ".join(each.pieces[1:])
                yield Pair(item.message, each.topic, each.pieces[0], text, value or "open")


def rows(found: Sequence[Pair]) -> Iterator[Row]:
    """The inputs for the pairs whose passage would be quoted and could get a verdict."""
    reader, critic = load_reranker("own"), load_critic("own")
    most = Context.model_validate({}).generator.max_statements
    for place, item in enumerate(found, 1):
        if place % 50 == 0:
            print(f"{place}/{len(found)}", file=sys.stderr)
        [reading] = reader.read(item.question, [(item.heading, item.text)])
        passage = Passage("0", "0", 0, len(item.text), item.text, question=item.heading)
        selected: Selected = {
            "id": "0", "record_id": "0", "score": 0.0, "ranks": {}, "scores": {},
            "relevance": relevance(reading, None), "polar": reading.polar,
            "sentences": [list(each) for each in reading.sentences],
        }  # fmt: skip
        asks_else = reading.polar["open"] >= verdicts.ASKS_ELSE
        if asks_else or selected["relevance"] < QUOTED_RELEVANCE:
            continue
        said = extract_quotations(
            [passage], [selected], QUOTED_RELEVANCE, most, question=item.question
        )
        quoted = [each["text"] for each in said.statements]
        if quoted:
            claim = verdicts.claim_of(item.question)
            judged = verdicts.judged(claim, quoted, critic)
            yield Row(
                verdicts.inputs(selected, judged),
                (judged.entailment, judged.contradiction),
                item.value,
                item.topic,
                verdicts.is_ruled_out(claim, item.question, quoted),
            )


def swapped(found: Sequence[Row]) -> list[Row]:
    """The rows with yes and no exchanged."""
    order = [verdicts.INPUTS.index(_SWAPPED.get(name, name)) for name in verdicts.INPUTS]
    return [
        Row(
            [item.inputs[at] for at in order],
            item.judged[::-1],
            _SWAPPED.get(item.value, item.value),
            item.topic,
        )
        for item in found
    ]


def fit(found: Sequence[Row]) -> dict[str, tuple[float, ...]]:
    """The weights and the constant of each value, as in ``nodes.writing.verdicts.WEIGHTS``."""
    from sklearn.linear_model import LogisticRegression

    both = [*found, *swapped(found)]
    model = LogisticRegression(C=_REGULARISED, max_iter=3000)
    values = [item.value for item in both]
    model.fit([item.inputs for item in both], values, sample_weight=np.full(len(both), 0.5))
    by_value = zip(model.classes_, model.coef_, model.intercept_, strict=True)
    weights = {name: [*values, constant] for name, values, constant in by_value}
    return {
        name: tuple(round(float(value), 3) for value in weights[name]) for name in verdicts.WEIGHTS
    }


def cross_fitted(found: Sequence[Row]) -> Scores:
    """The probabilities (n, 4) of rows by weights that were fitted on other topics."""
    from sklearn.model_selection import GroupKFold

    chances = np.zeros((len(found), len(verdicts.WEIGHTS)), np.float32)
    inputs = np.array([item.inputs for item in found])
    folds = GroupKFold(_FOLDS, shuffle=True, random_state=0)
    for fitted, aside in folds.split(inputs, groups=[item.topic for item in found]):
        fitted_values = fit([found[at] for at in fitted])
        chances[aside] = verdicts.probabilities(inputs[aside], fitted_values)
    return chances


def report(found: Sequence[Row], chances: Scores) -> Iterator[str]:
    """The numbers of verdicts shown and right, for each pair of thresholds."""
    for least, confirmed in _PAIRS:
        shown, right = _counted(found, chances, range(len(found)), least, confirmed)
        yield (
            f"least {least:.2f}, confirmed {confirmed:.1f}: of {len(found)}, {shown} shown, "
            f"{right} right"
        )
    yield chosen_elsewhere(found, chances)
    ruled_out = [at for at, item in enumerate(found) if item.ruled_out]
    lost, right = _counted(found, chances, ruled_out, verdicts.LEAST, verdicts.CONFIRMED)
    yield f"ruled out: {len(ruled_out)}, with {lost} of the verdicts at the defaults, {right} right"


def chosen_elsewhere(found: Sequence[Row], chances: Scores) -> str:
    """The share right of the verdicts with thresholds that were chosen on other topics.

    In random halves of the topics, the thresholds with most verdicts of which ``_RIGHT`` are right
    in one half are used for the other.
    """
    topics = sorted({item.topic for item in found})
    rng = random.Random(0)
    number, right = 0, 0
    for _ in range(_HALVES):
        part = set(rng.sample(topics, len(topics) // 2))
        sides = [[at for at, item in enumerate(found) if (item.topic in part) == side]
                 for side in (True, False)]  # fmt: skip
        best = max(
            ((*_counted(found, chances, sides[0], *pair), pair) for pair in _PAIRS),
            key=lambda item: (item[1] >= _RIGHT * item[0], item[0]),
        )[2]
        shown, good = _counted(found, chances, sides[1], *best)
        number, right = number + shown, right + good
    return (
        f"thresholds chosen on one half of the topics: on the other {number / _HALVES:.1f} shown, "
        f"{right / max(1, number):.3f} of them right"
    )


def _counted(
    found: Sequence[Row], chances: Scores, places: Sequence[int], least: float, confirmed: float
) -> tuple[int, int]:
    """The numbers of verdicts shown and right among the rows at some places."""
    words = [(_shown(chances[at], found[at], least, confirmed), found[at].value) for at in places]
    said = [(word, value) for word, value in words if word]
    return len(said), sum(word == value for word, value in said)


def _shown(scores: Scores, item: Row, least: float, confirmed: float) -> str | None:
    if item.inputs[verdicts.INPUTS.index("relevance")] < log_odds(verdicts.RELEVANT):
        return None
    named: Mapping[str, float] = dict(zip(verdicts.WEIGHTS, map(float, scores), strict=True))
    return verdicts.verdict_of(named, verdicts.CriticJudgement(*item.judged), least, confirmed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns 0 on success, 1 with a message if something is missing."""
    parser = argparse.ArgumentParser(prog="python -m training.verdicts", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--rows", type=Path, help="file for the inputs, which is read if it exists")
    chosen = parser.parse_args(arguments)
    kept = chosen.rows
    try:
        if kept and kept.exists():
            found = [Row(*json.loads(line)) for line in kept.read_text("utf-8").splitlines()]
        else:
            found = list(rows(list(pairs(chosen.data))))
    except AnamnesisError as error:
        print(error, file=sys.stderr)
        return 1
    if kept and not kept.exists():
        kept.write_text("".join(f"{json.dumps(item)}\n" for item in found), "utf-8")
    for line in report(found, cross_fitted(found)):
        print(line)
    for name, values in fit(found).items():
        print(f'    "{name}": {values},')
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
