"""Choose the memories to recall from those found [H1, M3, M4]. Pure functions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import fmean, pstdev
from typing import NamedTuple

from anamnesis.memory.matching import NEAREST, MatchedMemory
from anamnesis.memory.record import KINDS, Kind
from anamnesis.memory.scores import FEEDBACK, Facts, Score, ScoreScaling, Weights, mrs

_DAY = 86_400  # seconds

LEAST = 0.25
DEVIATIONS = 3
FEW = 10
"""Parameters of ``adaptive``: the lowest threshold, the standard deviations above the mean, and the
minimum number of memories. Chosen on two conversations of LoCoMo."""


def adaptive(values: Sequence[float]) -> float:
    """The threshold for one user and question, from the similarities of all of the user's memories.

    The mean plus ``DEVIATIONS`` standard deviations, but at least ``LEAST``: if all are about the
    same, only memories that stand out are recalled. ``LEAST`` if there are fewer than ``FEW``.
    """
    if len(values) < FEW:
        return LEAST
    return max(LEAST, fmean(values) + DEVIATIONS * pstdev(values))


class Chosen(NamedTuple):
    """A memory to recall, its similarity to the question, and the parts of its score."""

    found: MatchedMemory
    score: Score

    def explain(self) -> dict[str, float]:
        """The similarity with its parts, MRS and its terms, rounded to four decimals."""
        near = {name: getattr(self.found, name) for name in ("cosine", "words", "closeness")}
        parts = {**near, **self.score._asdict()}
        return {name: round(value, 4) for name, value in parts.items()}


def choose_memories(
    found: Sequence[MatchedMemory],
    now: datetime,
    *,
    weights: Weights,
    threshold: float,
    exchanges: int,
    scaling: ScoreScaling = "min-max",
    by_kind: Mapping[Kind, Weights] | None = None,
) -> list[Chosen]:
    """The ``exchanges`` best exchanges [H1] and the best memory of each refined kind [M3].

    ``found`` is the result of ``matching.ranked``.

    Only memories with a similarity of at least ``threshold`` are chosen. The best of a kind have
    the highest MRS, which is scaled over the kind [M4] and uses the kind's weights if ``by_kind``
    has them; see ``scores.mrs`` for ``scaling``. The most similar come first.
    """
    near = [one for one in found if one.closeness >= threshold]
    rankings = by_kind or {}
    best: list[Chosen] = []
    for kind in KINDS:
        most = exchanges if kind == "exchange" else 1
        best += _best(near, kind, most, now, rankings.get(kind, weights), scaling)
    return sorted(best, key=lambda one: (-one.found.closeness, one.found.memory.id))


def _best(
    found: Sequence[MatchedMemory],
    kind: Kind,
    k: int,
    now: datetime,
    weights: Weights,
    scaling: ScoreScaling,
) -> list[Chosen]:
    of_kind = [one for one in found if one.memory.kind == kind][:NEAREST]
    facts = [
        Facts(
            one.memory.recalls,
            (now - one.memory.created).total_seconds() / _DAY,
            one.closeness,
            FEEDBACK[one.memory.rating],
        )
        for one in of_kind
    ]
    scores = mrs(facts, weights, scaling=scaling)
    ranked = sorted(
        map(Chosen, of_kind, scores), key=lambda one: (-one.score.mrs, -one.found.closeness)
    )
    return ranked[:k]
