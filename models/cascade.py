"""Two critics: the second is asked only where the first is unsure."""

import logging
import math
from collections.abc import Callable, Sequence
from typing import Literal

from anamnesis.errors import ModelError
from models.critic import Critic, Support

_log = logging.getLogger(__name__)

_SUREST = 1e-6
"""No critic is surer than this, either way: what it says can be outweighed."""


class Cascade:
    """The first critic's judgement, and where it is unsure the second's.

    It is unsure of a statement that none of its premises supports with ``support`` or more (τ), and
    one with ``least`` or more: those between are asked for. Where both are entailment models their
    log-odds are added, as of two witnesses who know nothing of each other; else the second one's
    judgement counts alone. Where the second fails the first one's judgement stands, which is below
    τ. ``by`` of a ``Support`` names whose judgement it is.

    ``second`` gives the second critic, which is called ``name``; its ModelErrors count as failures.
    """

    def __init__(
        self,
        first: Critic,
        second: Callable[[], Critic],
        name: str,
        *,
        least: float,
        support: float,
    ) -> None:
        self.first = first
        self._second, self._called = second, name
        self._least, self._support = least, support
        self.name = f"{first.name}, where unsure {name}"

    @property
    def method(self) -> Literal["similarity", "entailment", "llm"]:
        """What the probability means: what the less calibrated of both gives."""
        return "llm" if self._called.startswith("llm:") else self.first.method

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its own premises, in their order."""
        judged = [
            [own._replace(by=self.first.name) for own in group]
            for group in self.first.judge(statements, premises)
        ]
        unsure = {
            place: found
            for place, group in enumerate(judged)
            if group
            and max(own.probability for own in group) < self._support
            and (found := [at for at, own in enumerate(group) if own.probability >= self._least])
        }
        if not unsure:
            return judged
        try:
            second = self._second()
            said = second.judge(
                [statements[place] for place in unsure],
                [[premises[place][at] for at in found] for place, found in unsure.items()],
            )
        except ModelError as error:
            _log.warning("the first critic's judgement stands: %s", error)
            by = f"{self.first.name} alone: {self._called} did not answer"
            for place, found in unsure.items():
                for at in found:
                    judged[place][at] = judged[place][at]._replace(by=by)
            return judged
        both = self.first.method == second.method == "entailment"
        for (place, found), supports in zip(unsure.items(), said, strict=True):
            for at, other in zip(found, supports, strict=True):
                judged[place][at] = (
                    _added(judged[place][at], other, f"{self.first.name} and {self._called}")
                    if both
                    else other._replace(by=self._called)
                )
        return judged

    def asked(self, supports: Sequence[Support]) -> bool:
        """Whether the second critic was asked of a statement that has these supports."""
        return any(own.by != self.first.name for own in supports)


def first_of(critic: Critic) -> Critic:
    """The critic that is asked first, or the only one."""
    return critic.first if isinstance(critic, Cascade) else critic


def _added(one: Support, other: Support, by: str) -> Support:
    """Both judgements as one: log-odds added, with the evidence of the surer one.

    A critic that cannot tell a contradiction (two labels) says nothing of it.
    """
    against = one.contradiction
    if against is None:
        against = other.contradiction
    elif other.contradiction is not None:
        against = _sum(against, other.contradiction)
    surer = max(one, other, key=lambda own: own.probability)
    return surer._replace(
        probability=_sum(one.probability, other.probability), contradiction=against, by=by
    )


def _sum(one: float, other: float) -> float:
    """The probability whose log-odds are the sum of theirs."""
    odds = sum(math.log(p / (1 - p)) for p in (_within(one), _within(other)))
    return 1 / (1 + math.exp(-odds))


def _within(probability: float) -> float:
    return min(max(probability, _SUREST), 1 - _SUREST)
