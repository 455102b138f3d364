"""Chooses the weights of relevance, and measures the choice by cross-validation.

    python -m benchmarks.relevance --set INDEX=QUERIES [--set …] [--seeds 3] [--most 0.2]

Each set is an index folder and a file of queries with ``relevant`` grades, on topics and messages
that the reader was not trained on (as for ``benchmarks.coverage``). Chosen are the weight of the
fused score, the minimum sum for quoting a passage, and the minimum of the reader's own output:
those with the highest mean over the sets of right − 2 × wrong, among those that answer at most the
share ``--most`` of the unanswerable questions. A logistic regression then turns the sum into a
probability.

Printed: the choice on all questions with its results on each set; and cross-fitted: each set is
halved at random, the choice is made on one half of all sets and measured on the other, in both
directions, for each seed.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anamnesis.models.reading import log_odds
from benchmarks.command_line import command_line
from benchmarks.coverage import Candidate, candidates
from evaluation.helpfulness import MIN_HELPFUL_GRADE
from evaluation.reading import Query, read_queries
from nodes.evidence.relevance import Weights

FUSED = (0.15, 0.2, 0.25, 0.3, 0.4)
LEAST = np.arange(-1, 8, 0.125)
ALONE = (-9.0, -1.0, -0.5, 0.0)


class Row(NamedTuple):
    """A question's candidates: the reader's log-odds, fused scores and grades, each (n,).

    ``answerable``: whether any document has a grade that helps.
    """

    reader: np.ndarray
    fused: np.ndarray
    grades: np.ndarray
    answerable: bool


class Choice(NamedTuple):
    """The weight of the fused score, the minimum sum, and the minimum log-odds of the reader."""

    fused: float
    least: float
    alone: float


class Outcome(NamedTuple):
    """Shares: right and wrong of the answerable questions, answered of the unanswerable ones."""

    right: float
    wrong: float
    answered: float

    def worth(self, most: float) -> float:
        """The criterion of the choice; ``most`` limits the share of unanswerable ones answered."""
        return self.right - 2 * self.wrong if self.answered <= most else -self.answered


def row_of(query: Query, read: Sequence[Candidate]) -> Row:
    """The candidates of a query as numbers."""
    return Row(
        np.array([log_odds(item.reading.relevance) for item in read]),
        np.array([item.fused for item in read]),
        np.array([query.relevant.get(item.passage.record_id, 0) for item in read]),
        max(query.relevant.values(), default=0) >= MIN_HELPFUL_GRADE,
    )


class Firsts(NamedTuple):
    """The first passages of n questions: sums, reader's log-odds, grades, each (n,)."""

    sums: np.ndarray
    reader: np.ndarray
    grades: np.ndarray
    answerable: np.ndarray


def firsts(rows: Sequence[Row], fused: float) -> Firsts:
    """The passage that each question would quote first with these weights."""
    found = []
    for item in rows:
        sums = item.reader + fused * item.fused
        first = int(sums.argmax())
        found.append((sums[first], item.reader[first], item.grades[first], item.answerable))
    return Firsts(*(np.array(item) for item in zip(*found, strict=True)))


def outcome(rows: Firsts, least: float, alone: float) -> Outcome:
    """The outcome of a minimum sum and a minimum of the reader alone on these questions."""
    shown = (rows.sums >= least) & (rows.reader >= alone)
    answerable = max(1, rows.answerable.sum())
    right = (shown & rows.answerable & (rows.grades >= MIN_HELPFUL_GRADE)).sum() / answerable
    wrong = (shown & rows.answerable & (rows.grades <= 0)).sum() / answerable
    others = ~rows.answerable
    return Outcome(right, wrong, (shown & others).sum() / max(1, others.sum()))


def choose(sets: Sequence[Sequence[Row]], most: float) -> Choice:
    """The choice with the highest worth of the mean over the sets; the first of equal ones."""

    def worth(found: Sequence[Firsts], least: float, alone: float) -> float:
        every = [outcome(rows, least, alone) for rows in found]
        return Outcome(*np.mean(every, axis=0)).worth(most)

    best: tuple[float, Choice] | None = None
    for fused in FUSED:
        found = [firsts(rows, fused) for rows in sets]
        for least, alone in product(LEAST, ALONE):
            value = worth(found, least, alone)
            if best is None or value > best[0]:
                best = value, Choice(fused, float(least), alone)
    assert best is not None
    return best[1]


def calibrated(sets: Sequence[Sequence[Row]], choice: Choice) -> tuple[Weights, float]:
    """The weights in the graph's form, and the probability at the minimum sum."""
    from sklearn.linear_model import LogisticRegression

    each = [firsts(rows, choice.fused) for rows in sets]
    sums = np.concatenate([item.sums for item in each])[:, None]
    helps = np.concatenate([item.grades for item in each]) >= MIN_HELPFUL_GRADE
    model = LogisticRegression(C=100).fit(sums, helps)
    scale, shift = float(model.coef_[0][0]), float(model.intercept_[0])
    least = scale * choice.least + shift
    # The reader alone must reach its minimum where the probability reaches its own.
    weights = Weights(scale, scale * choice.fused, shift, choice.alone - least)
    return weights, 1 / (1 + float(np.exp(-least)))


def crossed(
    sets: Mapping[str, Sequence[Row]], seeds: int, most: float
) -> Iterator[tuple[str, Outcome]]:
    """For each set the mean outcome on halves that were not used for the choice."""
    found: dict[str, list[Outcome]] = {name: [] for name in sets}
    for seed in range(seeds):
        rng = random.Random(seed)
        halves = {}
        for name, rows in sets.items():
            mixed = rng.sample(list(rows), len(rows))
            halves[name] = (mixed[::2], mixed[1::2])
        for side in (0, 1):
            choice = choose([item[side] for item in halves.values()], most)
            for name, item in halves.items():
                held = firsts(item[1 - side], choice.fused)
                found[name].append(outcome(held, choice.least, choice.alone))
    for name, every in found.items():
        yield name, Outcome(*np.mean(every, axis=0))
    yield "mean", Outcome(*np.mean([np.mean(item, axis=0) for item in found.values()], axis=0))


def report(sets: Mapping[str, Sequence[Row]], seeds: int, most: float) -> Iterator[str]:
    """The choice and its figures, line by line."""
    choice = choose(list(sets.values()), most)
    weights, probability = calibrated(list(sets.values()), choice)
    yield f"{choice}: {weights}, quoted from {probability:.3f} on"
    for name, rows in sets.items():
        held = outcome(firsts(rows, choice.fused), choice.least, choice.alone)
        yield f"{name}, {len(rows)} questions: {_line(held)}"
    for name, item in crossed(sets, seeds, most):
        yield f"cross-fitted, {name}: {_line(item)}"


def _line(outcome: Outcome) -> str:
    return (
        f"right {outcome.right:.3f}, wrong {outcome.wrong:.3f} of the answerable; "
        f"answered {outcome.answered:.3f} of the others"
    )


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--set", action="append", required=True, metavar="INDEX=QUERIES")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--most", type=float, default=0.2, help="answered of the others")
    parser.add_argument("--reranker", default="own")
    chosen = parser.parse_args()
    sets = {}
    for item in chosen.set:
        index, _, file = item.partition("=")
        queries = list(read_queries(Path(file), graded=True))
        read = candidates(Path(index), queries, chosen.reranker)
        sets[Path(file).stem] = [
            row_of(query, found) for query, found in zip(queries, read, strict=True) if found
        ]
    for line in report(sets, chosen.seeds, chosen.most):
        print(line)


if __name__ == "__main__":
    main()
