"""Which of the memories that were found are recalled, and why [H1, M3, M4]. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import fmean, pstdev
from typing import NamedTuple

from anamnesis.memory.matching import NEAREST, Found
from anamnesis.memory.record import KINDS, Kind
from anamnesis.memory.scores import FEEDBACK, Facts, Score, Weights, mrs

_DAY = 86_400  # seconds

LEAST = 0.25
DEVIATIONS = 3
FEW = 10
"""Of ``adaptive``: no memory farther than this is near, how far the near ones stand out, and the
number of memories below which no distribution is seen. Chosen on two conversations of LoCoMo."""


def adaptive(values: Sequence[float]) -> float:
    """The threshold for one user and question, from how near all of the user's memories are.

    Mean and ``DEVIATIONS`` standard deviations, and no less than ``LEAST``: where all are about
    the same, only what stands out is recalled. ``LEAST`` where they are fewer than ``FEW``.
    """
    if len(values) < FEW:
        return LEAST
    return max(LEAST, fmean(values) + DEVIATIONS * pstdev(values))


class Chosen(NamedTuple):
    """A memory to recall, how near it is to the question, and the parts of its score."""

    found: Found
    score: Score

    def explain(self) -> dict[str, float]:
        """Nearness with its parts, MRS, and what each term gives to it, to four places."""
        near = {name: getattr(self.found, name) for name in ("cosine", "words", "closeness")}
        parts = {**near, **self.score._asdict()}
        return {name: round(value, 4) for name, value in parts.items()}


def choose(
    found: Sequence[Found],
    now: datetime,
    *,
    weights: Weights,
    threshold: float,
    exchanges: int,
    literal: bool = False,
    by_kind: Mapping[Kind, Weights] | None = None,
) -> list[Chosen]:
    """The ``exchanges`` best exchanges [H1] and the best memory of each refined kind [M3].

    ``found`` is what ``matching.ranked`` gives.

    Only those as near as ``threshold`` or nearer; of a kind, the best are those of the highest MRS,
    which is scaled over them [M4], by the kind's own weights where ``by_kind`` has some; see
    ``scores.mrs`` for ``literal``. The nearest come first.
    """
    near = [one for one in found if one.closeness >= threshold]
    own = by_kind or {}
    best: list[Chosen] = []
    for kind in KINDS:
        most = exchanges if kind == "exchange" else 1
        best += _best(near, kind, most, now, own.get(kind, weights), literal)
    return sorted(best, key=lambda one: (-one.found.closeness, one.found.memory.id))


def _best(
    found: Sequence[Found], kind: Kind, k: int, now: datetime, weights: Weights, literal: bool
) -> list[Chosen]:
    own = [one for one in found if one.memory.kind == kind][:NEAREST]
    facts = [
        Facts(
            one.memory.recalls,
            (now - one.memory.created).total_seconds() / _DAY,
            one.closeness,
            FEEDBACK[one.memory.rating],
        )
        for one in own
    ]
    scores = mrs(facts, weights, literal=literal)
    ranked = sorted(
        map(Chosen, own, scores), key=lambda one: (-one.score.mrs, -one.found.closeness)
    )
    return ranked[:k]
