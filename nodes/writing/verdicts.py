"""Whether the statements of an answer say the yes or the no that is shown before them."""

import logging
from collections.abc import Sequence
from typing import Literal

from anamnesis import ModelError
from anamnesis.models.critic import Critic
from nodes.choosing.declarative import statement_of
from nodes.state import Statement

SAID = 0.85
"""Minimum probability that a statement entails the yes, or contradicts it for a no.

Of 101 yeses and noes of the reader on questions on topics that it was not trained on, 95 are right.
With this check 32 are left, of which 31 are right (at .5 50 and 47, at .7 44 and 43): without a
verdict the statements still answer.
"""

_log = logging.getLogger(__name__)

Verdict = Literal["yes", "no", "depends"] | None


def confirmed(
    word: Verdict, question: str, statements: Sequence[Statement], critic: Critic | None
) -> Verdict:
    """The reader's verdict if the critic confirms that a statement says it, otherwise None.

    Only a yes or a no is checked, by an entailment model.
    """
    if word not in ("yes", "no") or critic is None or critic.method != "entailment":
        return word
    claim = statement_of(f"{question.rstrip(' ?.!')}?")
    if claim is None:
        return None
    try:
        [found] = critic.judge([claim], [[item["text"] for item in statements]])
    except ModelError as error:
        _log.warning("no verdict is shown, because the critic failed: %s", error)
        return None
    sides = [item.probability if word == "yes" else item.contradiction or 0.0 for item in found]
    return word if max(sides, default=0.0) >= SAID else None
