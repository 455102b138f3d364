"""Recall memories that the user consented to keep [H1, H2, M3]."""

import logging
from collections.abc import Sequence

from langgraph.runtime import Runtime

from anamnesis.errors import AnamnesisError
from anamnesis.memory.choosing import Chosen, adaptive, choose_memories
from anamnesis.memory.matching import MatchedMemory
from anamnesis.memory.record import now
from anamnesis.memory.retention import expired
from anamnesis.memory.scores import RANKINGS
from nodes.context import Context, audience, owner, settings
from nodes.fields.recalled import state_of_memory
from nodes.parts import Parts
from nodes.remembering.experts import notices_of_decisions
from nodes.remembering.outdated import verify_again
from nodes.remembering.own_words import quotes_of_user
from nodes.remembering.readable import nearest_memories
from nodes.state import State, Update

_log = logging.getLogger(__name__)


def recall(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The user's memories that are near the question; none without a user.

    If recalling fails, the user still gets an answer.
    """
    context, user = settings(runtime), owner(runtime)
    if not (context.memory.recall and user):
        return {"recalled": []}
    update: Update = {"recalled": [], "user_quotes": [], "notices": []}
    if not context.memory.recalled_kinds:
        return update
    question, unverified = state["queries"][0], set[str]()
    try:
        restricted = parts.restricted(context)
        if context.memory.verify_again and not restricted:
            update["notices"], unverified = verify_again(user, context, parts)
        update["notices"] = [*update["notices"], *notices_of_decisions(user, parts)]
        found = nearest_memories(
            question, user, audience(runtime), context, parts, restricted=restricted
        )
        near = [
            one
            for one in found
            if one.memory.scope == "expert"
            or not (
                one.memory.id in unverified
                or expired(one.memory, now(), context.memory.max_age_days)
            )
        ]
        if context.memory.quote_user and not state["keyed_options"]:
            update["user_quotes"] = quotes_of_user(
                question, near, lambda: parts.memories().all(user, "profile")
            )
        update["recalled"] = [state_of_memory(one) for one in _memories_to_recall(near, context)]
    except AnamnesisError as error:
        _log.warning("memories could not be searched: %s", error)
    except Exception:
        _log.warning("memories could not be searched", exc_info=True)
    return update


def _memories_to_recall(near: Sequence[MatchedMemory], context: Context) -> list[Chosen]:
    """The memories to recall, ranked as the settings say."""
    own, threshold = context.memory, context.memory.threshold
    private = [one.closeness for one in near if one.memory.scope == "private"]
    return choose_memories(
        near,
        now(),
        weights=RANKINGS[own.ranking],
        threshold=adaptive(private) if isinstance(threshold, str) else threshold,
        exchanges=own.max_exchanges,
        literal=own.formula == "printed",
        by_kind={kind: RANKINGS[item] for kind, item in own.rankings_by_kind.items()},
    )
