"""Give each statement of the draft a support probability, and choose the next step [S1, S4]."""

import logging

from langgraph.runtime import Runtime

from anamnesis import ModelError
from anamnesis.models.calling import time_is_up
from nodes.choosing.choice import confirmed_choice
from nodes.parts import Parts
from nodes.routes import route_after_verify
from nodes.settings.context import Context, settings
from nodes.state import State, Statement, Update
from nodes.writing.answer import confirmed_answer
from nodes.writing.round_support import after_round, round_support, unchecked_round
from nodes.writing.streamed import Send, judged_draft, statement_sender

_log = logging.getLogger(__name__)


def verify(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Check the statements of the draft against the selected passages, and choose the next step.

    If this is ``remember``, the answer is composed. If the critic fails and the run continues
    (``Parts.continues_after``), the next step is ``fallback``. It shows only statements that were
    already streamed, or that an earlier round supported.
    """
    context = settings(runtime)
    send = statement_sender(context, parts, runtime.stream_writer)
    judged: list[Statement] = []
    try:
        for item in judged_draft(state, context, parts, send):
            judged.append(item)
        after = after_round(state, judged, confirmed_choice(state, context, parts))
        return _update(after, context, parts, send)
    except ModelError as error:
        if not parts.continues_after(error):
            raise
        _log.error("statements are not shown, because the critic failed to check them: %s", error)
    return {
        "rounds": [*state["rounds"], unchecked_round(state, judged, context)],
        "reason": "unchecked",
        "route": {"to": "fallback", "why": "the critic did not answer"},
    }


def _update(after: State, context: Context, parts: Parts, send: Send) -> Update:
    """The edge to take after the round, with the next queries or the answer."""
    support, checked = round_support(after, context), parts.critic(context) is not None
    reason, route = route_after_verify(
        after, support, context.loop, checked=checked, time_is_up=time_is_up()
    )
    after |= {"reason": reason, "route": route}
    update: Update = {"draft": after["draft"], "rounds": after["rounds"]}
    update |= {"reason": reason, "route": route}
    if route["to"] == "rewrite":
        update["next_queries"] = support.queries
    if route["to"] == "remember":
        update |= confirmed_answer(after, context, parts, support.shown, support.unsupported, send)
    return update
