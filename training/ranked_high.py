"""The stage of the reader that learns from its own errors (``python -m training.read``)."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from training import question_passages, relevance, urgent
from training.examples import at_most
from training.judged import RANKED_HIGH, judged_readings, read_judged
from training.question_passages import Reading, whole_passage_reading

_OBVIOUS = 0.06
"""The relevance below which a passage of grade 0 is an obvious one."""
_KEPT_OBVIOUS = 0.4
_EARLIER = {"judged": 0.6, "asked": 1.0}
"""The number of earlier examples that are repeated, as a multiple of the new passages."""
_MESSAGES, _GRADED, _COLLECTIONS = 1_200, 150, 120


def ranked_high(data: Path, seed: int) -> list[Reading]:
    """Passages that the reader ranked high, as judged, with a part of all earlier examples.

    Of the passages of grade 0 that it found obviously irrelevant, two in five. The order is random.
    """
    rng = random.Random(seed)
    new = [item for item in read_judged(data, RANKED_HIGH) if not item.held_out]
    hard = [
        replace(
            item,
            passages=tuple(
                each
                for each in item.passages
                if each.grade or (each.relevance or 0) >= _OBVIOUS or rng.random() < _KEPT_OBVIOUS
            ),
        )
        for item in new
    ]
    pairs = _with_relevance(judged_readings(hard, seed))
    old = [item for item in read_judged(data) if not item.held_out]
    asked = [item for item in question_passages.read_question_passages(data) if not item.held_out]
    messages = [item for item in urgent.messages(data) if not urgent.is_dev(item.question)]
    judged = _with_relevance(judged_readings(old, seed))
    graded = [
        *at_most(relevance.graded_answers(data, "train_alexa"), _GRADED, rng),
        *at_most(relevance.collections(data, seed), _COLLECTIONS, rng),
    ]
    earlier = [
        *at_most(judged, int(_EARLIER["judged"] * len(pairs)), rng),
        *map(whole_passage_reading, at_most(asked, int(_EARLIER["asked"] * len(pairs)), rng)),
        *(Reading(item.first, ("", item.second), relevance=item.relevance) for item in graded),
    ]
    found = [
        *pairs,
        *(replace(item, earlier=True) for item in earlier),
        *at_most(messages, _MESSAGES, rng),
    ]
    rng.shuffle(found)
    return found


def _with_relevance(readings: Sequence[Reading]) -> list[Reading]:
    return [item for item in readings if item.relevance is not None]
