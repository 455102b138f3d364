"""Which of the memories that were found are recalled, and why [H1, M3, M4]. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from memory.record import REFINED, Kind
from memory.scores import FEEDBACK, Facts, Score, Weights, mrs
from memory.store import Found

_DAY = 86_400  # seconds


class Chosen(NamedTuple):
    """A memory to recall, its cosine to the question, and the parts of its score."""

    found: Found
    score: Score

    def explain(self) -> dict[str, float]:
        """Cosine, MRS, and what each term gives to it, to four places."""
        parts = {"cosine": self.found.cosine, **self.score._asdict()}
        return {name: round(value, 4) for name, value in parts.items()}


def choose(
    found: Sequence[Found],
    now: datetime,
    *,
    weights: Weights,
    threshold: float,
    exchanges: int,
    literal: bool = False,
) -> list[Chosen]:
    """The ``exchanges`` best exchanges [H1] and the best memory of each refined kind [M3].

    Only those of cosine ``threshold`` or more; of a kind, the best are those of the highest MRS,
    which is scaled over them [M4]; see ``scores.mrs`` for ``literal``. The nearest come first.
    """
    near = [one for one in found if one.cosine >= threshold]
    best = _best(near, "exchange", exchanges, now, weights, literal)
    for kind in REFINED:
        best += _best(near, kind, 1, now, weights, literal)
    return sorted(best, key=lambda one: (-one.found.cosine, one.found.memory.id))


def _best(
    found: Sequence[Found], kind: Kind, k: int, now: datetime, weights: Weights, literal: bool
) -> list[Chosen]:
    own = [one for one in found if one.memory.kind == kind]
    facts = [
        Facts(
            one.memory.recalls,
            (now - one.memory.created).total_seconds() / _DAY,
            one.cosine,
            FEEDBACK[one.memory.rating],
        )
        for one in own
    ]
    scores = mrs(facts, weights, literal=literal)
    ranked = sorted(map(Chosen, own, scores), key=lambda one: (-one.score.mrs, -one.found.cosine))
    return ranked[:k]
