"""Whether the statements of an answer say the yes or the no that is shown before them."""

import logging
from collections.abc import Sequence
from typing import Literal

from anamnesis import ModelError
from anamnesis.models.critic import Critic
from nodes.state import Statement

LEAST_CONFIRMATION = 0.9
"""Minimum probability that a statement supports the question, or contradicts it for a no.

Of 127 yeses and noes on topics that the reader was not trained on, 118 are right. At .9, 26 are
shown and 25 are right; at .8, 42 and 41; at .7, 52 and 49 (`python -m benchmarks.bounds`). At .8,
"Shingles is no longer contagious once the blisters have scabbed over" was a *no* to "is shingles
contagious" (.87). The threshold was chosen on all of these, so the figures are optimistic.
Without a verdict the statements still answer.
"""

_log = logging.getLogger(__name__)

Verdict = Literal["yes", "no", "depends"] | None


def confirmed_verdict(
    word: Verdict,
    question: str,
    statements: Sequence[Statement],
    critic: Critic | None,
    least: float = LEAST_CONFIRMATION,
) -> Verdict:
    """The reader's verdict if the critic confirms that a statement says it, otherwise None.

    Only a yes or a no is checked, by an entailment model. It judges the question as it was asked:
    turned into a statement by rules, a question in everyday words is often garbled ('is my insulin
    ok, out of the fridge').
    """
    if word not in ("yes", "no") or critic is None or critic.method != "entailment":
        return word
    try:
        [found] = critic.judge([question.rstrip(" ?.!")], [[item["text"] for item in statements]])
    except ModelError as error:
        _log.warning("no verdict is shown, because the critic failed: %s", error)
        return None
    sides = [item.probability if word == "yes" else item.contradiction or 0.0 for item in found]
    return word if max(sides, default=0.0) >= least else None
