"""Recall memories that the user consented to keep [H1, H2, M3]."""

import logging

from langgraph.runtime import Runtime

from anamnesis.errors import AnamnesisError
from anamnesis.memory.choosing import Chosen, adaptive, choose
from anamnesis.memory.matching import ALL, NEAREST
from anamnesis.memory.record import now
from anamnesis.memory.retention import expired
from anamnesis.memory.scores import RANKINGS
from nodes.context import Context, audience, owner, settings
from nodes.parts import Parts
from nodes.remembering.experts import decided
from nodes.remembering.outdated import verify_again
from nodes.remembering.own_words import own_words
from nodes.remembering.recalled import Memory, Notice, Said
from nodes.state import State, Update

_log = logging.getLogger(__name__)


def recall(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """The user's memories that are near the question; none without a user.

    If recalling fails, the user still gets an answer.
    """
    context, user = settings(runtime), owner(runtime)
    kinds = context.memory.recalled_kinds
    if parts.limits is not None:
        # Exchanges, and notes inferred from them, may quote text that is forbidden to the user.
        kinds = (
            () if context.memory.notes == "inferred" else tuple(k for k in kinds if k != "exchange")
        )
    if not (context.memory.recall and kinds and user):
        return {"recalled": []}
    chosen: list[Chosen] = []
    said: list[Said] = []
    notices: list[Notice] = []
    unverified: set[str] = set()
    try:
        if context.memory.verify_again and parts.limits is None:
            notices, unverified = verify_again(user, context, parts)
        notices = [*notices, *decided(user, parts)]
        threshold = context.memory.threshold
        found = [
            one
            for one in parts.memories().nearest(
                user,
                state["queries"][0],
                kinds,
                n=ALL if isinstance(threshold, str) else NEAREST,
                audience=audience(runtime),
                words=context.memory.lexical_weight,
            )
            if one.memory.scope == "expert"
            or not (
                one.memory.id in unverified
                or expired(one.memory, now(), context.memory.max_age_days)
            )
        ]
        own = [one.closeness for one in found if one.memory.scope == "private"]
        least = adaptive(own) if isinstance(threshold, str) else threshold
        if context.memory.quote_user and not state["choices"]:
            said = own_words(
                state["queries"][0], found, lambda: parts.memories().all(user, "profile")
            )
        chosen = choose(
            found,
            now(),
            weights=RANKINGS[context.memory.ranking],
            threshold=least,
            exchanges=context.memory.max_exchanges,
            literal=context.memory.formula == "printed",
            by_kind={
                kind: RANKINGS[item] for kind, item in context.memory.rankings_by_kind.items()
            },
        )
    except AnamnesisError as error:
        _log.warning("memories could not be searched: %s", error)
    except Exception:
        _log.warning("memories could not be searched", exc_info=True)
    return {"recalled": [_as_state(one) for one in chosen], "said": said, "notices": notices}


def _as_state(one: Chosen) -> Memory:
    memory = one.found.memory
    return {
        "id": memory.id,
        "kind": memory.kind,
        "scope": memory.scope,
        "text": memory.text,
        "created": memory.created.isoformat(),
        "score": one.explain(),
    }
