"""Which of the memories near a question are recalled."""

from collections.abc import Collection, Sequence

from anamnesis.memory.choosing import Chosen, adaptive, choose_memories
from anamnesis.memory.matching import MatchedMemory
from anamnesis.memory.record import now
from anamnesis.memory.retention import expired
from anamnesis.memory.scores import RANKINGS
from nodes.settings.context import Context


def current(
    near: Sequence[MatchedMemory], unverified: Collection[str], context: Context
) -> list[MatchedMemory]:
    """The memories that are neither too old nor, by their ids, still to be verified again.

    Notes of experts always count as current.
    """
    return [
        one
        for one in near
        if one.memory.scope == "expert"
        or not (
            one.memory.id in unverified or expired(one.memory, now(), context.memory.max_age_days)
        )
    ]


def memories_to_recall(near: Sequence[MatchedMemory], context: Context) -> list[Chosen]:
    """The memories to recall, ranked as the settings say."""
    settings, threshold = context.memory, context.memory.threshold
    private = [one.closeness for one in near if one.memory.scope == "private"]
    return choose_memories(
        near,
        now(),
        weights=RANKINGS[settings.ranking],
        threshold=adaptive(private) if isinstance(threshold, str) else threshold,
        exchanges=settings.max_exchanges,
        scaling=settings.score_scaling,
        by_kind={kind: RANKINGS[item] for kind, item in settings.rankings_by_kind.items()},
    )
