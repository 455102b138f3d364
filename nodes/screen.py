"""Begin a turn: read the question, reset the state, detect an emergency."""

import logging
import re
from collections.abc import Sequence
from functools import partial

from langchain_core.messages import AnyMessage, HumanMessage, RemoveMessage
from langgraph.runtime import Runtime

from anamnesis import AnamnesisError, MemoryFolderError, SettingError
from anamnesis.language.lexicon import any_of
from anamnesis.language.text import well_formed
from anamnesis.models.asking import asking
from nodes.choosing.choice import draft
from nodes.context import Context, owner, settings
from nodes.evidence.safety import all_safe
from nodes.parts import Parts
from nodes.question.followup import stand_alone, topic_of
from nodes.question.offers import accepted_offer, declined
from nodes.question.options import read_options
from nodes.question.premise import premise_of
from nodes.question.several import questions
from nodes.question.sizes import check_options, check_question, recent_messages
from nodes.question.standalone import rewritten
from nodes.question.triage import at_once, more_urgent, triage
from nodes.remembering.begun import begun
from nodes.state import State, Update, Urgency
from nodes.writing.replies import Turn, turns
from retrievers.aliases import Renamed, rename, with_aliases

# For messages that ask nothing: they are not searched for.
_NOTHING = re.compile(
    rf"\W*(({any_of('agreement')}|no|nope|sure|great|good|fine|thanks|thank you|thx|please|bye"
    r"|goodbye|hi|hello|hey|so much|very much|a lot|got it|i see)\b\W*)+",
    re.IGNORECASE,
)


_log = logging.getLogger(__name__)


def screen(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Read the question from ``question`` or the last message, and make it standalone.

    Raises ``SettingError`` if there is neither, if ``options`` are invalid, or if one of them is
    longer than the operator allows.
    """
    context = settings(runtime)
    messages = state.get("messages") or []
    gone: list[AnyMessage] = []
    if _forgotten(state, owner(runtime), parts):
        kept = messages[-1:] if messages and isinstance(messages[-1], HumanMessage) else []
        gone, messages = messages[: len(messages) - len(kept)], kept
        state = {**state, "queries": [], "topic": "", "quotable": ""}
    asked, said = _asked(state, messages)
    urgent = triage(asked, parts.triage(context))
    if urgent.get("possible") and not _has_index(context, parts):
        urgent["possible"] = False
    earlier = turns(recent_messages(messages[:-1] if asked == said else messages))
    reply = earlier[-1].reply if earlier else ""
    talks = context.question.conversation
    offered = accepted_offer(asked, reply) if talks else None
    empty = talks and (bool(_NOTHING.fullmatch(asked)) or declined(asked, reply))
    nothing = empty and not urgent["kind"] and not offered
    # An emergency is answered at once, without a chat model or an index.
    searched = context.question.spelling and not (at_once(urgent) or nothing or offered)
    spelt, respelt = parts.index(context).speller.repair(asked) if searched else (asked, [])
    if respelt:
        urgent = more_urgent(urgent, triage(spelt, parts.triage(context)))
    idle = at_once(urgent) or nothing  # nothing is searched for
    query, renamed = spelt, list[Renamed]()
    if talks and not idle:
        query = _standing(offered or spelt, earlier, state, context, parts)
    if context.question.names and not idle:
        find = partial(parts.find, context=context)
        query, renamed = rename(query, all_safe(with_aliases(query, parts.index(context), find)))
    alone = idle or not context.question.split or state.get("options")
    premise = premise_of(query) if context.question.premises else None
    return {
        **_cleared(),
        "messages": [
            *(RemoveMessage(id=item.id) for item in gone if item.id),
            *([HumanMessage(asked)] if asked != said else []),
        ],
        "asked": asked,
        "begun": begun(runtime),
        "urgency": urgent,
        "spelling": respelt,
        "naming": renamed,
        "topic": state.get("topic") or "",
        "quotable": state.get("quotable") or "",
        # If nothing is asked, the topic of the conversation is kept for a following question.
        "queries": (state.get("queries") or [asked])[:1] if nothing else [query],
        "asks": [] if alone else questions(query, asking),
        "choices": read_options(state["options"]) if state.get("options") else {},
        "premise": premise and {**premise._asdict(), "verdict": "unchecked", "evidence": None},
        **_routed(urgent, nothing),
    }


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


def _forgotten(state: State, user: str | None, parts: Parts) -> bool:
    """Whether the user has deleted everything said before."""
    before = state.get("begun")
    if not user or before is None:
        return False
    try:
        return before <= parts.memories().forgotten(user)
    except MemoryFolderError:
        _log.warning("cannot read when the memories were deleted", exc_info=True)
        return True


def _standing(
    question: str,
    earlier: Sequence[Turn],
    state: State,
    context: Context,
    parts: Parts,
) -> str:
    """The question, rewritten as a standalone question.

    A chat model, if one is set, rewrites a follow-up; if it adds or omits anything, rules do.
    """
    # A client that keeps the conversation itself sends all messages, and there is no state.
    previous = (state.get("queries") or [""])[0] or (earlier[-1].said if earlier else "")
    topic = state.get("topic") or (topic_of(previous, []) if previous else "")
    chat = parts.chat(context) if previous else None
    # Replies are left out: a model must not put their words into the user's question.
    said = [(item.said, "") for item in earlier[:-1]]
    written = rewritten(chat, question, [*said, (previous, topic)]) if chat else None
    return written or stand_alone(question, previous, topic)
