"""Begin a turn: read the question, reset the state, detect an emergency."""

from langchain_core.messages import HumanMessage, RemoveMessage
from langgraph.runtime import Runtime

from anamnesis.models.question_sentences import question_sentences
from nodes.choosing.choice import draft
from nodes.context import Context, owner, settings
from nodes.evidence.relevance import Ask
from nodes.parts import Parts
from nodes.question.options import read_options
from nodes.question.premise import premise_of
from nodes.question.several import questions
from nodes.question.sizes import recent_messages
from nodes.question.understood import question_in, understand_message
from nodes.remembering.start_time import requested_at, without_forgotten
from nodes.routes import route_after_screen
from nodes.state import State, Update
from nodes.writing.replies import turns


def screen(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Read the question from ``question`` or the last message, and make it standalone.

    Raises ``SettingError`` if there is neither, if ``options`` are invalid, or if one of them is
    longer than the operator allows.
    """
    context = settings(runtime)
    state, gone = without_forgotten(state, owner(runtime), parts)
    messages = state.get("messages") or []
    asked, said = question_in(state, messages)
    earlier = turns(recent_messages(messages[:-1] if asked == said else messages))
    reply = earlier[-1].reply if earlier else ""
    found = understand_message(asked, [turn.said for turn in earlier], reply, state, context, parts)
    asks: list[Ask] = []
    if found.lines:
        asks = [{"question": line, "query": line} for line in found.lines]
    elif not found.is_answered_at_once and context.question.split and not state.get("options"):
        asks = questions(found.query, question_sentences)
    premise = premise_of(found.query) if context.question.premises else None
    reason, route = route_after_screen(found.urgency, found.nothing)
    update: Update = {
        **_empty_fields(),
        "messages": [
            *(RemoveMessage(id=item.id) for item in gone if item.id),
            *([HumanMessage(asked)] if asked != said else []),
        ],
        "asked": asked,
        "begun": requested_at(runtime),
        "urgency": found.urgency,
        "spelling": found.spelling,
        "naming": found.naming,
        "topic": state.get("topic") or "",
        "quotable": state.get("quotable") or "",
        # If nothing is asked, the topic of the conversation is kept for a following question.
        "queries": (state.get("queries") or [asked])[:1] if found.nothing else [found.query],
        "asks": asks if len(asks) > 1 else [],
        "condensed": len(found.lines) == 1,
        "choices": read_options(state["options"]) if state.get("options") else {},
        "premise": premise and {**premise._asdict(), "verdict": "unchecked", "evidence": None},
        "route": route,
    }
    return update | ({"reason": reason} if reason else {})


def _empty_fields() -> Update:
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
