"""End a turn: the answer as a message, the exchange kept where the user consents [H1, H7]."""

import logging

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage
from langgraph.runtime import Runtime

from memory.episodes import remember as remember_episode
from models.embedding import load_embedder
from nodes.context import Context, owner, settings
from nodes.followup import topic_of
from nodes.parts import Parts
from nodes.state import Answer, State, Update

KEPT_MESSAGES = 10
"""Messages that stay in a thread's state. Follow-ups need the last turn only; every checkpoint
holds all of them, so a longer thread must not make every later turn dearer to keep."""

_log = logging.getLogger(__name__)


def remember(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Close the turn. A failure to remember never costs the user the answer."""
    context, user = settings(runtime), owner(runtime)
    answer: Answer = {**state["answer"], "timings": state["timings"]}
    shown = answer["outcome"] in ("answered", "partial")
    # What nothing has checked must not come back as what was said before.
    checked = shown and answer["reason"] != "unchecked"
    if checked and context.remember and user and runtime.store:
        claims = " ".join(item["text"] for item in answer["statements"])
        try:
            remember_episode(runtime.store, user, state["queries"][0], claims, load_embedder())
        except Exception:
            _log.warning("the exchange could not be remembered", exc_info=True)
    focuses = []
    if shown:
        # An index that was made anew meanwhile may lack a passage.
        there = parts.index(context).find([item["id"] for item in state["selected"]])
        focuses = [there[item["id"]].focus for item in state["selected"] if item["id"] in there]
    reply = AIMessage(answer["text"])
    return {
        "answer": answer,
        "topic": topic_of(state["queries"][0], focuses),
        "messages": [*_outdated(state.get("messages") or []), reply],
    }


def _outdated(messages: list[AnyMessage]) -> list[RemoveMessage]:
    """Removals of what is older than the last messages of the thread."""
    return [
        RemoveMessage(id=message.id)
        for message in messages[: max(0, len(messages) + 1 - KEPT_MESSAGES)]
        if message.id
    ]
