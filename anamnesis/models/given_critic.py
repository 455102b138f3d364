"""A critic that another program gives: its errors and judgements in the form of the project's."""

import logging
import math
from collections.abc import Sequence

from anamnesis.errors import AnamnesisError, ModelError, UnansweredError
from anamnesis.models.calling import is_temporary
from anamnesis.models.critic import Critic, CriticWrapper
from anamnesis.models.support import Support

_log = logging.getLogger(__name__)
_ROUNDING = 1e-6  # probabilities computed in single precision may exceed 1 by less


class GivenCritic(CriticWrapper):
    """A given critic whose judgements are checked, and whose errors name only their kind.

    A service that cannot be reached raises UnansweredError, as the project's own critics do, so
    that statements stay unchecked.
    """

    def __init__(self, critic: Critic) -> None:
        super().__init__(critic)
        self._called = f"critic: judge of {type(critic).__name__}"

    def judge(
        self, statements: Sequence[str], premises: Sequence[Sequence[str]]
    ) -> list[list[Support]]:
        """For every statement, the support by each of its premises, in order.

        Raises UnansweredError if a service did not answer, ModelError for any other error, and if
        a judgement is missing or no probability.
        """
        try:
            judged = self._critic.judge(statements, premises)
        except AnamnesisError:
            raise
        except Exception as error:
            # The message may contain an address, a key or what was asked; the log has it.
            _log.exception("%s failed", self._called)
            kind = UnansweredError if is_temporary(error) else ModelError
            raise kind(
                f"{self._called} failed with {type(error).__name__}; details are in the log. Make "
                "sure that its model can be reached"
            ) from None
        try:
            found = [[Support(*item) for item in group] for group in judged]
            complete = [len(group) for group in found] == [len(group) for group in premises]
            whole = complete and all(_is_probability(item) for group in found for item in group)
        except TypeError:
            whole = False
        if not whole:
            raise ModelError(
                f"{self._called} must return a list for every statement, with a Support for each "
                "of its premises, whose probabilities are from 0 to 1"
            )
        return found


def _is_probability(support: Support) -> bool:
    values = [support.probability, support.contradiction or 0.0]
    return all(math.isfinite(one) and -_ROUNDING <= one <= 1 + _ROUNDING for one in values)
