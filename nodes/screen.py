"""Begin a turn: read the question, clear the last turn, detect an emergency."""

import logging
import re
from collections.abc import Sequence
from functools import partial

from langchain_core.messages import AnyMessage, HumanMessage, RemoveMessage
from langgraph.runtime import Runtime

from anamnesis import MemoryFolderError, SettingError
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
from nodes.question.sizes import check_options, check_question, read_part
from nodes.question.standalone import rewritten
from nodes.question.triage import graver, triage
from nodes.remembering.begun import begun
from nodes.state import State, Update
from nodes.writing.replies import Turn, turns
from retrievers.aliases import Renamed, rename, with_aliases

# Messages that ask nothing and are not searched for.
_NOTHING = re.compile(
    rf"\W*(({any_of('agreement')}|no|nope|sure|great|good|fine|thanks|thank you|thx|please|bye"
    r"|goodbye|hi|hello|hey|so much|very much|a lot|got it|i see)\b\W*)+",
    re.IGNORECASE,
)


_log = logging.getLogger(__name__)


def screen(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Take the question from ``question`` or the last message, and make it understandable alone.

    Raises ``SettingError`` if there is neither, if ``options`` are invalid, or if one of them is
    longer than the operator allows.
    """
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    gone: list[AnyMessage] = []
    if _forgotten(state, owner(runtime), parts):
        kept = messages[-1:] if isinstance(last, HumanMessage) else []
        gone, messages = messages[: len(messages) - len(kept)], kept
        state = {**state, "queries": [], "topic": "", "quotable": ""}
    said = well_formed(last.text).strip() if isinstance(last, HumanMessage) else ""
    asked = well_formed(state.get("question") or "").strip() or said
    if not asked:
        raise SettingError(
            'there is no question: send {"question": "…"}, or messages of which the last is the '
            "user's"
        )
    check_question(asked)
    check_options(state.get("options"))
    context = settings(runtime)
    urgent = triage(asked, parts.triage(context))
    kind = urgent["kind"]
    earlier = turns(read_part(messages[:-1] if asked == said else messages))
    reply = earlier[-1].reply if earlier else ""
    offered = accepted_offer(asked, reply) if context.question.conversation else None
    empty = context.question.conversation and (
        bool(_NOTHING.fullmatch(asked)) or declined(asked, reply)
    )
    nothing = empty and not kind and not offered
    # An emergency is answered at once, by no model and from no index.
    searched = context.question.spelling and not (kind or nothing or offered)
    spelt, respelt = parts.index(context).speller.repair(asked) if searched else (asked, [])
    if respelt:
        urgent = graver(urgent, triage(spelt, parts.triage(context)))
        kind = urgent["kind"]
    query = spelt  # as it is, where there is nothing to search for
    if context.question.conversation and not (kind or nothing):
        query = _standing(offered or spelt, earlier, state, context, parts)
    alone = kind or nothing or not context.question.split or state.get("options")
    renamed: list[Renamed] = []
    if context.question.names and not (kind or nothing):
        find = partial(parts.find, context=context)
        query, renamed = rename(query, all_safe(with_aliases(query, parts.index(context), find)))
    premise = premise_of(query) if context.question.premises else None
    update: Update = {
        "asked": asked,
        "begun": begun(runtime),
        "urgency": urgent,
        "spelling": respelt,
        "naming": renamed,
        "topic": state.get("topic") or "",
        "quotable": state.get("quotable") or "",
        "queries": [query],
        "asks": [] if alone else questions(query, asking),
        "choices": read_options(state["options"]) if state.get("options") else {},
        "premise": premise and {**premise._asdict(), "verdict": "unchecked", "evidence": None},
        "hits": [],
        "recalled": [],
        "said": [],
        "notices": [],
        "read": [],
        "selected": [],
        "draft": draft([], None, None),
        "rounds": [],
    }
    update["messages"] = [RemoveMessage(id=own.id) for own in gone if own.id]
    if asked != said:
        update["messages"] += [HumanMessage(asked)]
    if kind:
        update["reason"] = "emergency"
        update["route"] = {"to": "fallback", "why": f"{kind} emergency: {urgent['why']}"}
    elif nothing:
        update["reason"] = "nothing_asked"
        update["route"] = {"to": "fallback", "why": "the words ask nothing"}
        # The topic of the conversation is kept for a following question.
        update["queries"] = (state.get("queries") or [asked])[:1]
    else:
        update["route"] = {"to": "retrieve", "why": f"{urgent['level']}: {urgent['why']}"}
    return update


def _forgotten(state: State, user: str | None, parts: Parts) -> bool:
    """Whether the user has deleted everything said before."""
    before = state.get("begun")
    if not user or before is None:
        return False
    try:
        return before <= parts.memories().forgotten(user)
    except MemoryFolderError:
        _log.warning("cannot read when memories were deleted", exc_info=True)
        return True


def _standing(
    question: str,
    earlier: Sequence[Turn],
    state: State,
    context: Context,
    parts: Parts,
) -> str:
    """The question, rewritten so that it can be understood alone.

    A chat model, if one is set, rewrites a follow-up; if it adds or loses something, rules do.
    """
    # A caller that keeps the conversation itself sends its messages, and there is no state.
    previous = (state.get("queries") or [""])[0] or (earlier[-1].said if earlier else "")
    topic = state.get("topic") or (topic_of(previous, []) if previous else "")
    chat = parts.chat(context) if previous else None
    # Replies are left out: a model must not put their words into the user's question.
    said = [(own.said, "") for own in earlier[:-1]]
    written = rewritten(chat, question, [*said, (previous, topic)]) if chat else None
    return written or stand_alone(question, previous, topic)
