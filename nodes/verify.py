"""Give each statement of the draft a support probability, and choose the next step [S1, S4]."""

import logging
from collections.abc import Sequence

from langgraph.runtime import Runtime

from anamnesis import ModelError
from anamnesis.models.calling import time_is_up
from nodes.checking.answered import round_result
from nodes.choosing.choice import confirmed_choice
from nodes.parts import Parts
from nodes.routes import after_verify
from nodes.settings.context import Context, settings
from nodes.state import Draft, State, Statement, Update
from nodes.writing.answer import confirmed_answer
from nodes.writing.round_support import queries_for_unsupported, round_support, unchecked_round
from nodes.writing.streamed import Send, judged_draft, statement_sender

_log = logging.getLogger(__name__)


def verify(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Check the statements of the draft against the selected passages, and choose the next step.

    If this is ``remember``, the answer is composed. If the critic fails and the run continues all
    the same (``Parts.continues_after``), the statements that it has not judged stay unchecked, and
    the next step is ``fallback``. The fallback shows none of them; it shows statements that were
    already streamed, or that an earlier round supported.
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
        _log.error(
            "the statements that were not checked are not shown, because the critic failed: %s",
            error,
        )
    return {
        "rounds": [*state["rounds"], unchecked_round(state, judged, context)],
        "reason": "unchecked",
        "route": {"to": "fallback", "why": "the critic did not answer"},
    }


def _round_update(
    state: State, judged: Sequence[Statement], context: Context, parts: Parts, send: Send
) -> Update:
    """The result of the round, the edge to take, and the answer if there is no further round."""
    critic, loop = parts.critic(context), context.loop
    result = round_result(state, judged, confirmed_choice(state, context, parts))
    rounds = [*state["rounds"], result]
    draft: Draft = {**state["draft"], "statements": result["statements"]}
    after: State = {**state, "rounds": rounds, "draft": draft}
    shown, unsupported, score = round_support(after, context)
    following = queries_for_unsupported(after, loop.min_supported_share)
    reason, route = after_verify(
        found=draft["found"] and (bool(shown) or not unsupported or critic is not None),
        checked=critic is not None,
        undecided=bool(state["keyed_options"]) and result["choice"] is None,
        score=score,
        threshold=loop.min_supported_share,
        rounds=len(rounds),
        max_rounds=0 if time_is_up() else loop.max_rounds,
        # With history "rounds" the same query may be asked again.
        new_query=bool(following) or loop.history == "rounds",
    )
    if reason == "supported" and unsupported:
        reason = "some_unsupported"
    update: Update = {"draft": draft, "rounds": rounds, "reason": reason, "route": route}
    if route["to"] == "rewrite":
        update["next_queries"] = following
    if route["to"] == "remember":
        after |= {"reason": reason, "route": route}
        update |= confirmed_answer(after, context, parts, shown, unsupported, send)
    return update
