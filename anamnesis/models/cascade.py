"""Two critics: the second judges only statements about which the first is unsure."""

import logging
from collections.abc import Callable, Sequence
from typing import Literal

from anamnesis.errors import ModelError, SettingError
from anamnesis.models.critic import Critic, Support
from anamnesis.models.reading import from_log_odds, log_odds

_log = logging.getLogger(__name__)

_LIKELY = 0.5
"""Minimum support at which the evidence of the first critic is shown: it reads sentence by
sentence, and the second does not."""

_WEIGHTS = (0.6, 0.9)
"""Weights of the log-odds of the first and the second critic; chosen for the project's own two on
the replies of ``benchmarks.checks``."""


class Cascade:
    """The first critic's judgement, and the second's where the first is unsure.

    The first is unsure of a statement if the best support by a premise is at least ``unsure_from``
    and below ``unsure_until``. The second judges the premises whose support is at least
    ``unsure_from``. If both are entailment models, the weighted sum of their log-odds counts, in
    which the second has the larger weight (a logarithmic opinion pool: Genest and Zidek, 1986).
    Otherwise the second one's judgement counts alone. If the second fails, the first one's
    judgement counts. ``by`` of a ``Support`` names the critic whose judgement it is.

    ``second`` returns the second critic, whose name is ``name``; a ModelError from it is a failure.
    """

    def __init__(
        self,
        first: Critic,
        second: Callable[[], Critic],
        name: str,
        *,
        unsure_from: float,
        unsure_until: float,
    ) -> None:
        self.first = first
        self._second, self._called = second, name
        self._least, self._most = unsure_from, unsure_until
        self.name = f"{first.name}, where unsure {name}"

    @property
    def method(self) -> Literal["similarity", "entailment", "llm"]:
        """What the probability means: that of the less calibrated critic."""
        return "llm" if self._called.startswith("llm:") else self.first.method

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its premises, in their order."""
        judged = [
            [item._replace(by=self.first.name) for item in group]
            for group in self.first.judge(statements, premises)
        ]
        unsure = {
            place: found
            for place, group in enumerate(judged)
            if group
            and max(item.probability for item in group) < self._most
            and (found := [at for at, item in enumerate(group) if item.probability >= self._least])
        }
        if not unsure:
            return judged
        try:
            second = self._second()
            second_supports = second.judge(
                [statements[place] for place in unsure],
                [[premises[place][at] for at in found] for place, found in unsure.items()],
            )
        except (ModelError, SettingError) as error:
            _log.warning("the first critic's judgement counts alone: %s", error)
            by = f"{self.first.name} alone: {self._called} did not answer"
            for place, found in unsure.items():
                for at in found:
                    judged[place][at] = judged[place][at]._replace(by=by)
            return judged
        both = self.first.method == second.method == "entailment"
        for (place, found), supports in zip(unsure.items(), second_supports, strict=True):
            for at, other in zip(found, supports, strict=True):
                judged[place][at] = (
                    _combined(judged[place][at], other, f"{self.first.name} and {self._called}")
                    if both
                    else other._replace(by=self._called)
                )
        return judged

    def needs_second(self, supports: Sequence[Support]) -> bool:
        """Whether the second critic was asked about a statement with these supports."""
        return any(item.by != self.first.name for item in supports)


def first_of(critic: Critic) -> Critic:
    """The critic that is asked first, or the only one."""
    return critic.first if isinstance(critic, Cascade) else critic


def _combined(one: Support, other: Support, by: str) -> Support:
    """Both judgements as one. The evidence is the first one's if it supports the statement at all.

    A critic with two labels does not recognise contradictions; the other one's value is used.
    """
    against = one.contradiction
    if against is None:
        against = other.contradiction
    elif other.contradiction is not None:
        against = _sum(against, other.contradiction)
    shown = one if one.probability >= _LIKELY else other
    return shown._replace(
        probability=_sum(one.probability, other.probability), contradiction=against, by=by
    )


def _sum(one: float, other: float) -> float:
    """The probability whose log-odds are the weighted sum of theirs."""
    first, second = _WEIGHTS
    return from_log_odds(first * log_odds(one) + second * log_odds(other))
