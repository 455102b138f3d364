"""Give each statement of the draft a support probability, and choose the next step [S1, S4]."""

import logging
from collections.abc import Sequence

from langgraph.runtime import Runtime

from anamnesis import ModelError
from anamnesis.models.calling import time_is_up
from nodes.checking.answered import round_result
from nodes.checking.subject import counted
from nodes.choosing.choice import confirmed_choice
from nodes.context import Context, settings
from nodes.parts import Parts
from nodes.question.next_query import next_queries
from nodes.question.several import counted_rounds, supported_share
from nodes.routes import after_verify
from nodes.state import Draft, Round, State, Statement, Update
from nodes.writing.answer import confirmed_answer
from nodes.writing.streamed import (
    Send,
    SupportedStatements,
    judged_draft,
    never_supported,
    statement_sender,
    streams_statements,
)

_log = logging.getLogger(__name__)


def verify(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Check the draft against its passages, and compose the answer if the check succeeds.

    If the critic does not answer and the run continues (``Parts.continues_after``), the statements
    stay unchecked, and only those that were already streamed are shown.
    """
    context = settings(runtime)
    send = statement_sender(context, parts, runtime.stream_writer)
    judged: list[Statement] = []
    try:
        for item in judged_draft(state, context, parts, send):
            judged.append(item)
        return _round_update(state, judged, context, parts, send)
    except ModelError as error:
        if not parts.continues_after(error):
            raise
        _log.error("no further statement is shown, because the critic failed: %s", error)
    streamed = judged if streams_statements(state, context) else []
    unchecked = state["draft"]["statements"][len(streamed) :]
    result: Round = {**round_result(state, [*streamed, *unchecked]), "score": 0.0}
    return {
        "rounds": [*state["rounds"], result],
        "reason": "unchecked",
        "route": {"to": "fallback", "why": "the critic did not answer"},
    }


def _round_update(
    state: State, judged: Sequence[Statement], context: Context, parts: Parts, send: Send
) -> Update:
    """The result of the round, the edge to take, and the answer if there is no further round."""
    critic, streamed = parts.critic(context), streams_statements(state, context)
    result = round_result(state, judged, confirmed_choice(state, context, parts))
    rounds = [*state["rounds"], result]
    so_far: State = {**state, "rounds": rounds}
    by_question = [entry["statements"] for entry in counted_rounds(so_far).values()]
    every = [item for statements in by_question for item in statements]
    shown = [item for item in every if item["verdict"] in ("supported", "unchecked")]
    unsupported = [item for item in every if item not in shown]
    if streamed:
        unsupported = never_supported(unsupported, rounds)
    least = context.loop.min_supported_share
    searched: Round = {**result, "statements": counted(result["statements"])}
    following = next_queries({**so_far, "rounds": [*state["rounds"], searched]}, least)
    reason, route = after_verify(
        found=state["draft"]["found"] and (bool(shown) or not unsupported or critic is not None),
        checked=critic is not None,
        undecided=bool(state["keyed_options"]) and result["choice"] is None,
        # Each of several questions must reach the threshold, so the lowest share counts.
        score=min((supported_share(counted(own)) for own in by_question if own), default=0.0),
        threshold=least,
        rounds=len(rounds),
        max_rounds=0 if time_is_up() else context.loop.max_rounds,
        # With history "rounds" the same query may be asked again.
        new_query=bool(following) or context.loop.history == "rounds",
    )
    if reason == "supported" and unsupported:
        reason = "some_unsupported"
    draft: Draft = {**state["draft"], "statements": result["statements"]}
    update: Update = {"draft": draft, "rounds": rounds, "reason": reason, "route": route}
    update |= {"next_queries": following} if route["to"] == "rewrite" else {}
    if route["to"] == "remember":
        stated = SupportedStatements(rounds).in_order() if critic and streamed else shown
        after: State = {**so_far, "draft": draft, "reason": reason, "route": route}
        update |= confirmed_answer(after, context, parts, stated, unsupported)
        if context.generator.stream_statements and not streamed:
            for item in (item for item in stated if item["verdict"] == "supported"):
                send(item)
    return update
