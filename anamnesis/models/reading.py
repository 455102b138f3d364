"""The result of reading a question with a passage, and of reading a message alone (rows R4, H5)."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

POLAR_OUTPUTS = ("yes", "no", "depends", "open")
"""The answer of a passage to a yes/no question; ``open`` for any other question."""
URGENCY_LEVELS = ("emergency", "urgent", "routine")
URGENCY_KINDS = ("medical", "self-harm", "poisoning", "pregnancy", "child")
OUTPUTS = ("relevant", *POLAR_OUTPUTS, *URGENCY_LEVELS)
"""The outputs of the project's reader over a whole text, in their order."""


class Reading(NamedTuple):
    """The result of one pass over a question and a passage.

    Args:
        relevance: The probability that the passage answers the question.
        sentences: For each sentence of the passage's text: the offset of its first character, the
            offset after its last, and the probability that a good answer quotes it.
        polar: Probabilities of ``POLAR_OUTPUTS``; empty if the model does not give them.
    """

    relevance: float
    sentences: tuple[tuple[int, int, float], ...]
    polar: dict[str, float]


class Triage(NamedTuple):
    """How urgent a message is: probabilities of ``URGENCY_LEVELS``.

    ``kinds`` are the probabilities of ``URGENCY_KINDS``; empty if an emergency is very improbable.
    ``harm`` is the score of ``anamnesis.models.harm``.
    """

    levels: dict[str, float]
    kinds: dict[str, float]
    harm: float = 0.0


class Reader(Protocol):
    """Reads passages for a question."""

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """A reading of each passage, given as (heading, text)."""


def from_log_odds(odds: float) -> float:
    """The probability with these log-odds."""
    return 1 / (1 + math.exp(-odds))


def log_odds(probability: float) -> float:
    """The log-odds of a probability, kept 1e-6 away from 0 and 1 so that it can be outweighed."""
    sure = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(sure / (1 - sure))
