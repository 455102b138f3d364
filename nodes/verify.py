"""Give every statement a support probability, and decide what comes next [S1, S4]."""

import logging
from typing import cast

from langgraph.runtime import Runtime

from anamnesis import ModelError
from models.calling import time_left
from nodes.answer import compose
from nodes.assumed import checked
from nodes.choice import confirmed
from nodes.context import Context, settings, unweighed
from nodes.other_sources import with_others
from nodes.parts import Parts
from nodes.rewrite import extend_query, is_new, unconfirmed
from nodes.routes import after_verify
from nodes.safety import turned_down
from nodes.several import unanswered
from nodes.state import Outcome, Round, State, Statement, Update
from nodes.streamed import Standing, judging, one_by_one, sending, streams

_log = logging.getLogger(__name__)


def verify(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Check the draft against its passages; on success the answer is composed.

    Where others ask, a critic that does not answer supports nothing: no statement is shown but
    those that were streamed before.
    """
    known: list[Statement] = []
    try:
        return _verified(state, runtime, parts, known)
    except ModelError as error:
        if not parts.served:
            raise
        _log.error("nothing more is shown, for it could not be checked: %s", error)
    left = state["draft"]["statements"][len(known) :]
    none: Round = {
        "query": state["queries"][-1],
        "choice": None,
        "passages": [item["id"] for item in state["selected"]],
        "statements": [
            {**own, "verdict": "unsupported"} if own["verdict"] == "unchecked" else own
            for own in [*known, *left]
        ],
        "score": 0.0,
    }
    return {
        "rounds": [*state["rounds"], none],
        "reason": "unsupported",
        "route": {"to": "fallback", "why": "the model that checks did not answer"},
    }


def _verified(
    state: State, runtime: Runtime[Context], parts: Parts, known: list[Statement]
) -> Update:
    """The update; ``known`` gets the statements that are streamed, as they are judged."""
    context = settings(runtime)
    # Two questions may share a passage.
    ids = list(dict.fromkeys(item["id"] for item in state["selected"]))
    passages = parts.index(context).passages(ids)
    critic = parts.critic(context)
    draft = state["draft"]
    drafted = draft["statements"]
    streamed = streams(state, context)
    standing = Standing(state["rounds"] if streamed else [])
    standing.begin()
    send = sending(context, parts, runtime.stream_writer)
    if critic is None:
        statements = [turned_down(item) for item in drafted]
        statements = with_others(statements, parts.index(context), state["queries"][0])
    elif streamed:
        judged = judging(state, context, parts, critic)
        for item in one_by_one(drafted, judged, critic, standing, send):
            known.append(item)
        statements = known
    else:
        # What another run has judged, which is taken up again with other settings, is judged anew.
        fresh: list[Statement] = [{**item, "verdict": "unchecked"} for item in drafted]
        statements = judging(state, context, parts, critic)(fresh)
    supported = [item for item in statements if item["verdict"] == "supported"]
    shown = [item for item in statements if item["verdict"] in ("supported", "unchecked")]
    unsupported = [item for item in statements if item not in shown and not standing.has(item)]
    score = len(supported) / len(statements) if statements else 0.0
    weighing = None if unweighed(state["choices"], context) else critic
    choice = confirmed(state, passages, weighing, context.support) if state["choices"] else None
    queries = state["queries"]
    this: Round = {
        "query": queries[-1],
        "choice": choice,
        "passages": [passage.id for passage in passages],
        "statements": statements,
        "score": round(score, 4),
    }
    rounds = [*state["rounds"], this]
    undecided = bool(state["choices"]) and choice is None
    following = extend_query(queries[-1], unconfirmed(this, undecided))
    left = time_left()
    reason, route = after_verify(
        found=draft["found"] and (bool(shown) or not unsupported or critic is not None),
        checked=critic is not None,
        undecided=undecided,
        score=score,
        threshold=context.support_score,
        rounds=len(rounds),
        max_rounds=0 if left is not None and left <= 0 else context.max_rounds,
        new_query=is_new(following, queries),
    )
    update: Update = {
        "draft": {**draft, "statements": statements},
        "premise": checked(state["premise"], passages, critic, context.support),
        "rounds": rounds,
        "reason": reason,
        "route": route,
    }
    if route["to"] == "remember":
        stated = standing.statements if critic and streamed else shown
        missing = unanswered(state, stated)
        if missing and reason == "supported":
            update["reason"] = "part_unanswered"
        after = cast(State, {**state, **update})
        outcome: Outcome = "partial" if unsupported or missing else "answered"
        update["answer"] = compose(after, context, parts, outcome, stated, unsupported)
        if context.stream_statements and not streamed:
            for item in supported:
                send(item)
    return update
