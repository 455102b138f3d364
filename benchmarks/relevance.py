"""Chooses the weights of relevance, and measures the choice on questions that it was not made on.

    python -m benchmarks.relevance --set INDEX=QUERIES [--set …] [--seeds 3]

Each set is an index folder and a file of queries with ``relevant`` grades, on topics and messages
that the reader was not trained on (as for ``benchmarks.coverage``). The weight of the fused score,
the least sum at which a passage is quoted and the least of the reader alone are those with the best
mean over the sets of right − 2 × wrong − answered although nothing answers. A logistic
regression then makes the sum a probability.

Printed: the choice on all questions, with what it makes of each set; and cross-fitted: each set is
halved at random, the choice is made on one half of all sets and measured on the other, both ways,
for each seed.
"""

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.coverage import Candidate, candidates
from evaluation.helpfulness import HELPS
from evaluation.reading import Query, read_queries
from nodes.evidence.relevance import Weights, log_odds

FUSED = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7)
LEAST = tuple(np.arange(1, 10.1, 0.25))
ALONE = (-9.0, -1.5, -1.0, -0.5, 0.0, 0.5)


class Row(NamedTuple):
    """A question's candidates: the reader's log-odds, fused scores and grades, each (n,).

    ``answerable``: whether any document has a grade that helps.
    """

    reader: np.ndarray
    fused: np.ndarray
    grades: np.ndarray
    answerable: bool


class Choice(NamedTuple):
    """The weight of the fused score, the least sum, and the least log-odds of the reader alone."""

    fused: float
    least: float
    alone: float


class Outcome(NamedTuple):
    """Shares: right and wrong of the answerable questions, answered of the others."""

    right: float
    wrong: float
    answered: float

    @property
    def worth(self) -> float:
        """What a choice is made by."""
        return self.right - 2 * self.wrong - self.answered


def row_of(query: Query, read: Sequence[Candidate]) -> Row:
    """The candidates of a query as numbers."""
    return Row(
        np.array([log_odds(own.reading.relevance) for own in read]),
        np.array([own.fused for own in read]),
        np.array([query.relevant.get(own.passage.record_id, 0) for own in read]),
        max(query.relevant.values(), default=0) >= HELPS,
    )


def outcome(rows: Sequence[Row], choice: Choice) -> Outcome:
    """What a choice makes of these questions."""
    right = wrong = answered = 0
    for own in rows:
        sums = own.reader + choice.fused * own.fused
        first = int(sums.argmax())
        if sums[first] < choice.least or own.reader[first] < choice.alone:
            continue
        if own.answerable:
            right += own.grades[first] >= HELPS
            wrong += own.grades[first] <= 0
        else:
            answered += 1
    answerable = sum(own.answerable for own in rows)
    others = len(rows) - answerable
    return Outcome(
        right / max(1, answerable), wrong / max(1, answerable), answered / max(1, others)
    )


def choose(sets: Sequence[Sequence[Row]]) -> Choice:
    """The choice with the best mean worth over the sets; of equals the first."""
    every = [Choice(*own) for own in product(FUSED, LEAST, ALONE)]
    return max(every, key=lambda own: np.mean([outcome(rows, own).worth for rows in sets]))


def calibrated(sets: Sequence[Sequence[Row]], choice: Choice) -> tuple[Weights, float]:
    """The weights as the graph has them, and the probability at the least sum."""
    from sklearn.linear_model import LogisticRegression

    sums, helps = [], []
    for own in (each for rows in sets for each in rows):
        both = own.reader + choice.fused * own.fused
        sums.append([both.max()])
        helps.append(own.grades[both.argmax()] >= HELPS)
    model = LogisticRegression(C=100).fit(sums, helps)
    scale, shift = float(model.coef_[0][0]), float(model.intercept_[0])
    least = scale * choice.least + shift
    # The reader alone must reach its own least where the probability reaches its.
    weights = Weights(scale, scale * choice.fused, shift, choice.alone - least)
    return weights, 1 / (1 + float(np.exp(-least)))


def crossed(sets: Mapping[str, Sequence[Row]], seeds: int) -> Iterator[tuple[int, str, Outcome]]:
    """For each seed and set the mean outcome of halves that the choice was not made on."""
    for seed in range(seeds):
        rng = random.Random(seed)
        halves = {}
        for name, rows in sets.items():
            mixed = rng.sample(list(rows), len(rows))
            halves[name] = (mixed[::2], mixed[1::2])
        found: dict[str, list[Outcome]] = {name: [] for name in sets}
        for side in (0, 1):
            choice = choose([own[side] for own in halves.values()])
            for name, own in halves.items():
                found[name].append(outcome(own[1 - side], choice))
        for name, both in found.items():
            yield seed, name, Outcome(*np.mean(both, axis=0))


def report(sets: Mapping[str, Sequence[Row]], seeds: int) -> Iterator[str]:
    """The choice and its figures, line by line."""
    choice = choose(list(sets.values()))
    weights, probability = calibrated(list(sets.values()), choice)
    yield f"{choice}: {weights}, quoted from {probability:.3f} on"
    for name, rows in sets.items():
        yield f"{name}, {len(rows)} questions: {_told(outcome(rows, choice))}"
    for seed, name, own in crossed(sets, seeds):
        yield f"cross-fitted, seed {seed}, {name}: {_told(own)}"


def _told(own: Outcome) -> str:
    return (
        f"right {own.right:.3f}, wrong {own.wrong:.3f} of the answerable; "
        f"answered {own.answered:.3f} of the others"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.relevance", description=__doc__)
    parser.add_argument("--set", action="append", required=True, metavar="INDEX=QUERIES")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--reranker", default="own")
    chosen = parser.parse_args()
    sets = {}
    for own in chosen.set:
        index, _, file = own.partition("=")
        queries = list(read_queries(Path(file), graded=True))
        read = candidates(Path(index), queries, chosen.reranker)
        sets[Path(file).stem] = [
            row_of(query, found) for query, found in zip(queries, read, strict=True) if found
        ]
    for line in report(sets, chosen.seeds):
        print(line)


if __name__ == "__main__":
    main()
