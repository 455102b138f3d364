"""Give every statement a support probability, and decide what comes next [S1, S4]."""

import logging
from collections.abc import Callable
from typing import cast

from langgraph.runtime import Runtime

from anamnesis import ModelError
from anamnesis.models.calling import time_left
from nodes.checking.answered import cited
from nodes.checking.other_sources import with_others
from nodes.checking.published import as_drafted
from nodes.choosing.choice import confirmed
from nodes.context import Context, settings
from nodes.evidence.safety import turned_down
from nodes.parts import Parts
from nodes.question.next_query import next_queries
from nodes.question.several import counted_rounds, problems, share, unanswered
from nodes.routes import after_verify
from nodes.state import Draft, Outcome, Round, State, Statement, Update
from nodes.writing.answer import compose
from nodes.writing.streamed import (
    Standing,
    judging,
    not_stated,
    one_by_one,
    problem_of,
    sending,
    streams,
)

_log = logging.getLogger(__name__)


def verify(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Check the draft against its passages, and compose the answer if the check succeeds.

    On a server, if the critic does not answer, the statements stay unchecked, and only those that
    were already streamed are shown.
    """
    known: list[Statement] = []
    try:
        return _verified(state, runtime, parts, known)
    except ModelError as error:
        if not parts.on_server:
            raise
        _log.error("no further statement is shown, because the critic failed: %s", error)
    return {
        "rounds": [*state["rounds"], _unjudged(state, known)],
        "reason": "unchecked",
        "route": {"to": "fallback", "why": "the critic did not answer"},
    }


def _verified(
    state: State, runtime: Runtime[Context], parts: Parts, known: list[Statement]
) -> Update:
    """The update; streamed statements are added to ``known`` as they are judged."""
    context = settings(runtime)
    critic = parts.critic(context)
    streamed = streams(state, context)
    standing = Standing(state["rounds"] if streamed else [])
    standing.begin()
    send = sending(context, parts, runtime.stream_writer)
    this = _round(state, _judged(state, context, parts, standing, send, known), context, parts)
    rounds = [*state["rounds"], this]
    so_far: State = {**state, "rounds": rounds}
    # All of several questions must reach the threshold.
    best = counted_rounds(so_far)
    said = [item for entry in best.values() for item in entry["statements"]]
    shown = [item for item in said if item["verdict"] in ("supported", "unchecked")]
    unsupported = [item for item in said if item not in shown]
    if streamed:
        unsupported = not_stated(unsupported, rounds)
    left = time_left()
    following = next_queries(so_far, context.loop.min_supported_share)
    reason, route = after_verify(
        found=state["draft"]["found"] and (bool(shown) or not unsupported or critic is not None),
        checked=critic is not None,
        undecided=bool(state["choices"]) and this["choice"] is None,
        score=min(
            (share(entry["statements"]) for entry in best.values() if entry["statements"]),
            default=0.0,
        ),
        threshold=context.loop.min_supported_share,
        rounds=len(rounds),
        max_rounds=0 if left is not None and left <= 0 else context.loop.max_rounds,
        # With history "rounds" the same query may be asked again.
        new_query=bool(following) or context.loop.history == "rounds",
    )
    update: Update = {
        "draft": {**state["draft"], "statements": this["statements"]},
        "rounds": rounds,
        "reason": reason,
        "route": route,
    }
    if route["to"] == "rewrite":
        update["following"] = following
    if route["to"] == "remember":
        stated = standing.in_order() if critic and streamed else shown
        update |= _answered(cast(State, {**state, **update}), context, parts, stated, unsupported)
        if context.generator.stream_statements and not streamed:
            for item in stated:
                if item["verdict"] == "supported":
                    send(item)
    return update


def _judged(
    state: State,
    context: Context,
    parts: Parts,
    standing: Standing,
    send: Callable[[Statement], None],
    known: list[Statement],
) -> list[Statement]:
    """The statements of the draft with their verdicts; streamed ones are also in ``known``."""
    critic = parts.critic(context)
    drafted = state["draft"]["statements"]
    if critic is None:
        statements = [turned_down(item) for item in drafted]
        return with_others(statements, parts.index(context), state["queries"][0])
    judged = judging(state, context, parts, critic)
    if streams(state, context):
        for item in one_by_one(drafted, judged, critic, standing, send):
            known.append(item)
        return known
    # A draft judged by another run is judged again when it is resumed with other settings.
    return judged([{**item, "verdict": "unchecked"} for item in drafted])


def _unjudged(state: State, known: list[Statement]) -> Round:
    """The result of a round in which the critic failed, after it had judged ``known``."""
    left = state["draft"]["statements"][len(known) :]
    return {
        "query": state["queries"][-1],
        "choice": None,
        "passages": [item["id"] for item in state["selected"]],
        "statements": [*known, *left],
        "score": 0.0,
        "problem": state["draft"]["problem"],
        "problems": state["draft"].get("problems", {}),
    }


def _round(state: State, statements: list[Statement], context: Context, parts: Parts) -> Round:
    """The result of this round."""
    # Two questions may share a passage.
    ids = list(dict.fromkeys(item["id"] for item in state["selected"]))
    passages = parts.passages(ids, context)
    weighing = None if as_drafted(state["choices"], context) else parts.critic(context)
    least = context.verification.min_probability
    return {
        "query": state["queries"][-1],
        "choice": confirmed(state, passages, weighing, least) if state["choices"] else None,
        "passages": [passage.id for passage in passages],
        "statements": statements,
        "score": round(share(statements), 4),
        "cited": cited(statements, state["selected"]),
        "problem": state["draft"]["problem"],
        "problems": state["draft"].get("problems", {}),
    }


def _answered(
    state: State,
    context: Context,
    parts: Parts,
    stated: list[Statement],
    unsupported: list[Statement],
) -> Update:
    """The answer, built from the statements to show, and its reason."""
    missing = unanswered(state, stated)
    reason = state["reason"]
    if missing and reason == "supported":
        reason = "part_unanswered"
    made: Draft = {**state["draft"], "problems": problems(counted_rounds(state))}
    if streams(state, context):
        made["problem"] = problem_of(state["rounds"], made["problem"])
    after = cast(State, {**state, "reason": reason, "draft": made})
    outcome: Outcome = "partial" if unsupported or missing else "answered"
    return {
        "reason": reason,
        "answer": compose(after, context, parts, outcome, stated, unsupported),
    }
