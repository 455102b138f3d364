"""The critic's judgement on memories of one user that could contradict each other [M8]."""

import logging
from collections.abc import Sequence

from anamnesis import ModelError
from anamnesis.memory.record import Memory
from anamnesis.models.critic import Critic
from nodes.parts import Parts
from nodes.remembering.contradictions import Pair, opposed_sentences, pairs_to_compare, superseded

_log = logging.getLogger(__name__)


def contradicted(
    new: Sequence[Memory], others: Sequence[Memory], critic: Critic, parts: Parts | None = None
) -> list[Pair]:
    """The memories to deactivate, each with the memory that replaces it.

    The new memories are compared with the others (``pairs_to_compare``); the critic judges only
    sentences that could be contradictory. If it fails and the run continues
    (``Parts.continues_after``, by default as in Python), only definitions are replaced.
    """
    pairs = pairs_to_compare(new, others)
    asked = opposed_sentences(pairs)
    try:
        found = critic.judge(
            [text for _, (one, other) in asked for text in (one, other)],
            [[text] for _, (one, other) in asked for text in (other, one)],
        )
    except ModelError as error:
        if not (parts or Parts()).continues_after(error):
            raise
        _log.error("memories are not compared, because the critic failed: %s", error)
        return superseded(pairs, [])
    against = [support.contradiction or 0.0 for [support] in found]
    # the more probable of both directions
    both = map(max, against[::2], against[1::2])
    return superseded(pairs, [(pair, each) for (pair, _), each in zip(asked, both, strict=True)])
