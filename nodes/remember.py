"""End a turn: return the answer as a message and store memories, with consent [H1, H7, M1]."""

import logging

from langgraph.runtime import Runtime

from anamnesis.errors import AnamnesisError
from nodes.cost.calls import spent_so_far
from nodes.fields.usage import usage
from nodes.parts import Parts
from nodes.question.standalone import topic_for_followups
from nodes.remembering.experts import queue_question, should_queue
from nodes.remembering.profile import answer_with_warnings
from nodes.remembering.replies import message_of, removals
from nodes.remembering.storing import consented, store_turn
from nodes.settings.context import Context, audience, owner, settings
from nodes.state import Answer, State, Update
from nodes.writing.for_experts import for_experts
from nodes.writing.render import render

_log = logging.getLogger(__name__)


def remember(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """End the turn. If storing memories fails, the user still gets the answer."""
    context, user = settings(runtime), owner(runtime)
    answer: Answer = {
        **answer_with_warnings(state, user, context, parts),
        "timings": state["timings"],
    }
    answer["text"], end = render(answer, state["urgency"], context.triage.country)
    if user:
        try:
            store_turn(state, answer, user, audience(runtime), context, parts)
            # last, so that a failure does not prevent the memories from being stored
            if should_queue(answer, context):
                queue_question(state, for_experts(answer, parts.limits), user, parts)
        except AnamnesisError as error:
            _log.warning("the exchange could not be remembered: %s", error)
        except Exception:
            _log.warning("the exchange could not be remembered", exc_info=True)
    # The answer is complete before this step's update, so the step's calls are added here.
    calls = {**(state.get("spent") or {}), "remember": spent_so_far()}
    answer["usage"] = usage(calls, answer["text"], state.get("session"))
    consents = context.memory.consent and answer["urgency"] != "emergency"
    return {
        "consenting_user": user if consents else "",
        "consented_turns": consented(state, user) + 1 if consents else 0,
        "answer": answer,
        "session": answer["usage"]["session"],
        "topic": topic_for_followups(state, answer["outcome"], context, parts),
        "messages": [*removals(state.get("messages") or []), message_of(answer, end)],
    }
