"""Begin a turn: read the question, reset the state, detect an emergency."""

import logging
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from langchain_core.messages import AnyMessage, HumanMessage, RemoveMessage
from langgraph.runtime import Runtime

from anamnesis import AnamnesisError, SettingError
from anamnesis.language.text import well_formed
from anamnesis.models.asking import asking
from nodes.choosing.choice import draft
from nodes.context import Context, owner, settings
from nodes.evidence.safety import all_safe
from nodes.parts import Parts
from nodes.question.offers import accepted_offer, asks_nothing
from nodes.question.options import read_options
from nodes.question.premise import premise_of
from nodes.question.several import questions
from nodes.question.sizes import check_options, check_question, recent_messages
from nodes.question.standalone import standing_alone
from nodes.question.triage import at_once, more_urgent, triage
from nodes.remembering.begun import begun, forgotten
from nodes.state import State, Update, Urgency
from nodes.writing.replies import Turn, turns
from retrievers.aliases import Renamed, rename, with_aliases
from retrievers.spelling import Respelt

_log = logging.getLogger(__name__)


def screen(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Read the question from ``question`` or the last message, and make it standalone.

    Raises ``SettingError`` if there is neither, if ``options`` are invalid, or if one of them is
    longer than the operator allows.
    """
    context = settings(runtime)
    state, gone = _without_forgotten(state, owner(runtime), parts)
    messages = state.get("messages") or []
    asked, said = _asked(state, messages)
    earlier = turns(recent_messages(messages[:-1] if asked == said else messages))
    found = _understood(asked, earlier, state, context, parts)
    several = not found.idle and context.question.split and not state.get("options")
    premise = premise_of(found.query) if context.question.premises else None
    return {
        **_cleared(),
        "messages": [
            *(RemoveMessage(id=item.id) for item in gone if item.id),
            *([HumanMessage(asked)] if asked != said else []),
        ],
        "asked": asked,
        "begun": begun(runtime),
        "urgency": found.urgency,
        "spelling": found.spelling,
        "naming": found.naming,
        "topic": state.get("topic") or "",
        "quotable": state.get("quotable") or "",
        # If nothing is asked, the topic of the conversation is kept for a following question.
        "queries": (state.get("queries") or [asked])[:1] if found.nothing else [found.query],
        "asks": questions(found.query, asking) if several else [],
        "choices": read_options(state["options"]) if state.get("options") else {},
        "premise": premise and {**premise._asdict(), "verdict": "unchecked", "evidence": None},
        **_routed(found.urgency, found.nothing),
    }


class _Understood(NamedTuple):
    """What a message asks: ``query`` is the question to search for, with corrected names."""

    urgency: Urgency
    nothing: bool
    query: str
    spelling: list[Respelt]
    naming: list[Renamed]

    @property
    def idle(self) -> bool:
        """Whether nothing is searched for: an emergency is answered at once."""
        return self.nothing or at_once(self.urgency)


def _understood(
    asked: str, earlier: Sequence[Turn], state: State, context: Context, parts: Parts
) -> _Understood:
    """The urgency of the message, and its question: spelt, made standalone, with known names."""
    urgent = triage(asked, parts.triage(context))
    if urgent.get("possible") and not _has_index(context, parts):
        urgent["possible"] = False
    reply = earlier[-1].reply if earlier else ""
    talks = context.question.conversation
    offered = accepted_offer(asked, reply) if talks else None
    empty = talks and asks_nothing(asked, reply)
    found = _Understood(urgent, empty and not urgent["kind"] and not offered, asked, [], [])
    if found.idle:  # an emergency needs neither an index nor a chat model
        return found
    if context.question.spelling and not offered:
        query, respelt = parts.index(context).speller.repair(asked)
        found = found._replace(query=query, spelling=respelt)
    if found.spelling:
        spelt = triage(found.query, parts.triage(context))
        found = found._replace(urgency=more_urgent(urgent, spelt))
    if talks and not found.idle:
        said = [turn.said for turn in earlier]
        query = standing_alone(offered or found.query, said, state, context, parts)
        found = found._replace(query=query)
    if context.question.names and not found.idle:
        find = partial(parts.find, context=context)
        known = with_aliases(found.query, parts.index(context), find)
        query, renamed = rename(found.query, all_safe(known))
        found = found._replace(query=query, naming=renamed)
    return found


def _without_forgotten(
    state: State, user: str | None, parts: Parts
) -> tuple[State, list[AnyMessage]]:
    """The state without what the user has deleted, and the messages to remove from the thread."""
    if not forgotten(state, user, parts):
        return state, []
    messages = state.get("messages") or []
    kept = messages[-1:] if messages and isinstance(messages[-1], HumanMessage) else []
    left: State = {**state, "messages": kept, "queries": [], "topic": "", "quotable": ""}
    return left, messages[: len(messages) - len(kept)]


def _asked(state: State, messages: Sequence[AnyMessage]) -> tuple[str, str]:
    """The question, and the words of the user's last message, which may be the same."""
    last = messages[-1] if messages else None
    said = well_formed(last.text).strip() if isinstance(last, HumanMessage) else ""
    asked = well_formed(state.get("question") or "").strip() or said
    if not asked:
        raise SettingError(
            'there is no question: send {"question": "…"}, or messages that end with one '
            "from the user"
        )
    check_question(asked)
    check_options(state.get("options"))
    return asked, said


def _cleared() -> Update:
    """Empty values for the fields that the last turn filled."""
    return {
        "hits": [],
        "recalled": [],
        "said": [],
        "notices": [],
        "read": [],
        "selected": [],
        "draft": draft([], None, None),
        "rounds": [],
    }


def _has_index(context: Context, parts: Parts) -> bool:
    """Whether documents can be searched: if not, a possible emergency is answered all the same."""
    try:
        parts.index(context)
    except AnamnesisError:
        _log.exception("a possible emergency is answered without the documents")
        return False
    return True


def _routed(urgent: Urgency, nothing: bool) -> Update:
    """The next step, and why; the reason for the answer if there is no search."""
    if at_once(urgent):
        why = f"{urgent['kind']} emergency: {urgent['why']}"
        return {"reason": "emergency", "route": {"to": "fallback", "why": why}}
    if nothing:
        why = "the message asks nothing"
        return {"reason": "nothing_asked", "route": {"to": "fallback", "why": why}}
    why = f"{urgent['level']}: {urgent['why']}"
    return {"route": {"to": "retrieve", "why": why}}
