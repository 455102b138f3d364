"""Begin a turn: read the question, reset the state, detect an emergency."""

from langchain_core.messages import HumanMessage, RemoveMessage
from langgraph.runtime import Runtime

from nodes.choosing.choice import new_draft
from nodes.fields.options import read_options
from nodes.parts import Parts
from nodes.question.premise import premise_of
from nodes.question.sizes import recent_messages
from nodes.question.understood import question_in, questions_of, understand_message
from nodes.remembering.replies import turns
from nodes.remembering.start_time import requested_at, without_forgotten
from nodes.routes import route_after_screen
from nodes.settings.context import Context, owner, settings
from nodes.state import State, Update


def screen(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Read the question from ``question`` or the last message, and make it standalone.

    If nothing is to be searched for (an emergency, or a message that asks nothing), the edge leads
    to the fallback. Raises ``SettingError`` if there is no question, if ``options`` are invalid, or
    if the question or the options are longer than the operator allows.
    """
    context = settings(runtime)
    state, forgotten = without_forgotten(state, owner(runtime), parts)
    messages = state.get("messages") or []
    question, message = question_in(state, messages)
    earlier = turns(recent_messages(messages[:-1] if question == message else messages))
    reply = earlier[-1].reply if earlier else ""
    understood = understand_message(
        question, [turn.message for turn in earlier], reply, state, context, parts
    )
    questions = questions_of(understood, state, context)
    premise = premise_of(understood.query) if context.question.premises else None
    # If nothing is asked, the topic of the conversation is kept for a following question.
    kept = (state.get("queries") or [question])[:1]
    reason, route = route_after_screen(understood.urgency, understood.asks_nothing)
    update: Update = {
        **_empty_fields(),
        "messages": [
            *(RemoveMessage(id=item.id) for item in forgotten if item.id),
            *([HumanMessage(question)] if question != message else []),
        ],
        "original_question": question,
        "requested_at": requested_at(runtime),
        "urgency": understood.urgency,
        "spelling": understood.spelling,
        "aliases": understood.aliases,
        "topic": state.get("topic") or "",
        "consenting_user": state.get("consenting_user") or "",
        "queries": kept if understood.asks_nothing else [understood.query],
        "sub_questions": questions if len(questions) > 1 else [],
        "condensed": len(understood.lines) == 1,
        "keyed_options": read_options(state["options"]) if state.get("options") else {},
        "premise": premise and {**premise._asdict(), "verdict": "unchecked", "evidence": None},
        "route": route,
    }
    return update | ({"reason": reason} if reason else {})


def _empty_fields() -> Update:
    """Empty values that replace those of the last turn; later steps fill these fields."""
    return {
        "hits": [],
        "recalled": [],
        "user_quotes": [],
        "notices": [],
        "read": [],
        "selected": [],
        "draft": new_draft([], None, None),
        "rounds": [],
    }
