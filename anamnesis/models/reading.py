"""The result of reading a question with a passage, and of reading a message alone [R4, H5]."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

POLAR_OUTPUTS = ("yes", "no", "depends", "open")
"""What a passage answers to a yes/no question: yes, no or depends.

``open`` means that the question does not ask for a yes or a no.
"""
URGENCY_LEVELS = ("emergency", "urgent", "routine")
URGENCY_KINDS = ("medical", "self-harm", "poisoning", "pregnancy", "child")
OUTPUTS = ("relevant", *POLAR_OUTPUTS, *URGENCY_LEVELS)
"""The outputs of the project's reader for a whole input, in the order of the model.

An input is a question with a passage, or a message.
"""


class Reading(NamedTuple):
    """The result of one pass over a question and a passage.

    Args:
        relevance: The probability that the passage answers the question.
        sentences: (start, end, probability) for each sentence of the passage's text:
            ``text[start:end]`` is the sentence, and a good answer quotes it with this probability.
        polar: The probabilities of ``POLAR_OUTPUTS``; empty if the model does not give them.
    """

    relevance: float
    sentences: tuple[tuple[int, int, float], ...]
    polar: dict[str, float]


class Triage(NamedTuple):
    """How urgent a message is: probabilities of ``URGENCY_LEVELS``.

    ``kinds`` are the probabilities of ``URGENCY_KINDS``; empty if the probability of an emergency
    is below .05 (``anamnesis.models.reader``). ``harm`` is the probability that the message
    mentions possible self-harm (``anamnesis.models.harm``).
    """

    levels: dict[str, float]
    kinds: dict[str, float]
    harm: float = 0.0


class Reader(Protocol):
    """Reads passages for a question."""

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """A reading of each passage, given as (heading, text)."""


def from_log_odds(value: float) -> float:
    """The probability with these log-odds."""
    return 1 / (1 + math.exp(-value))


def log_odds(probability: float) -> float:
    """The log-odds of a probability.

    The probability is first limited to 1e-6 … 1 - 1e-6, so that the log-odds are finite, and other
    evidence that is added to them can still change the result.
    """
    limited = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(limited / (1 - limited))
