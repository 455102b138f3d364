"""End a turn: return the answer as a message and store memories, with consent [H1, H7, M1]."""

import logging

from langchain_core.messages import AnyMessage, RemoveMessage
from langgraph.runtime import Runtime

from anamnesis.errors import AnamnesisError
from nodes.context import Context, audience, owner, settings
from nodes.cost.calls import spent_so_far
from nodes.fields.usage import usage
from nodes.parts import Parts
from nodes.question.followup import topic_of
from nodes.remembering.experts import queue_question, should_queue
from nodes.remembering.outdated import store_notices
from nodes.remembering.profile import warned
from nodes.remembering.replies import message_of
from nodes.remembering.storing import consented, keep, memories_of
from nodes.state import Answer, State, Update
from nodes.writing.for_experts import for_experts
from nodes.writing.render import render

KEPT_MESSAGES = 10
"""Maximum messages in a thread's state. Follow-ups need only the last turn; every checkpoint
contains all of them, so that a long thread would make every later checkpoint larger.
"""

_log = logging.getLogger(__name__)


def remember(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """End the turn. If storing memories fails, the user still gets the answer."""
    context, user = settings(runtime), owner(runtime)
    answer: Answer = {**warned(state, user, context, parts), "timings": state["timings"]}
    answer["text"], end = render(answer, state["urgency"], context.triage.country)
    if user:
        try:
            _store(state, answer, user, audience(runtime), context, parts)
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
        "topic": topic_of(state["queries"][0], _focuses(state, answer, context, parts)),
        "messages": [*_outdated(state.get("messages") or []), message_of(answer, end)],
    }


def _store(
    state: State,
    answer: Answer,
    user: str,
    seen_by: dict[str, str],
    context: Context,
    parts: Parts,
) -> None:
    """Store what the turn adds to the user's memories, and its question if an expert decides it."""
    shaping = [*answer["memories"], *(state.get("user_quotes") or [])]
    if used := [memory["id"] for memory in shaping]:
        parts.memories().recalled(user, used)
    if notices := state.get("notices"):
        store_notices(user, notices, parts)
    if context.memory.consent:
        asks = context.generator.structured or context.memory.notes == "inferred"
        chat = parts.chat(context) if asks else None
        if memories := memories_of(state, answer, user, chat, context, parts):
            keep(user, memories, context, parts, state.get("requested_at"), seen_by)
    # last, so that a failure does not prevent the other memories from being stored
    if should_queue(answer, context):
        queue_question(state, for_experts(answer, parts.limits), user, parts)


def _focuses(state: State, answer: Answer, context: Context, parts: Parts) -> list[str]:
    """What the passages behind an answer are about."""
    if answer["outcome"] not in ("answered", "partial"):
        return []
    # If the index was rebuilt in the meantime, a passage may be missing.
    there = parts.find([item["id"] for item in state["selected"]], context)
    return [there[item["id"]].focus for item in state["selected"] if item["id"] in there]


def _outdated(messages: list[AnyMessage]) -> list[RemoveMessage]:
    """Removals of all but the last messages of the thread."""
    return [
        RemoveMessage(id=message.id)
        for message in messages[: max(0, len(messages) + 1 - KEPT_MESSAGES)]
        if message.id
    ]
