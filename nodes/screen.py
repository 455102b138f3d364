"""Begin a turn: read the question, clear the last turn's results, detect an emergency."""

from langchain_core.messages import HumanMessage, RemoveMessage
from langgraph.runtime import Runtime

from nodes.choosing.choice import new_draft
from nodes.fields.options import read_options
from nodes.parts import Parts
from nodes.question.premise import unchecked_premise
from nodes.question.sizes import recent_messages
from nodes.question.understood import question_in, questions_of, understand_message
from nodes.remembering.replies import turns
from nodes.remembering.start_time import requested_at, without_forgotten
from nodes.routes import route_after_screen
from nodes.settings.context import Context, owner, settings
from nodes.state import State, Update

_OF_ONE_TURN = ("hits", "recalled", "user_quotes", "notices", "read", "selected", "rounds")
"""Fields that later steps fill; they are emptied, because they have the last turn's values."""


def screen(state: State, runtime: Runtime[Context], parts: Parts) -> Update:
    """Read the question in ``question`` or the last message: its urgency, its parts, its premise.

    If nothing is to be searched for (an emergency, or a message that asks nothing), the edge leads
    to the fallback. Raises ``SettingError`` if there is no question, if ``options`` are invalid, or
    if the question or the options are longer than the operator allows.
    """
    context = settings(runtime)
    state, forgotten = without_forgotten(state, owner(runtime), parts)
    messages = state.get("messages") or []
    question, message = question_in(state, messages)
    earlier = turns(recent_messages(messages[:-1] if question == message else messages))
    understood = understand_message(question, earlier, state, context, parts)
    # If nothing is asked, the topic of the conversation is kept for a following question.
    kept = (state.get("queries") or [question])[:1]
    reason, route = route_after_screen(understood.urgency, understood.asks_nothing)
    update: Update = {
        **{field: [] for field in _OF_ONE_TURN},
        "draft": new_draft([], None, None),
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
        "sub_questions": questions_of(understood, state, context),
        "condensed": len(understood.lines) == 1,
        "keyed_options": read_options(state["options"]) if state.get("options") else {},
        "premise": unchecked_premise(understood.query) if context.question.premises else None,
        "route": route,
    }
    return update | ({"reason": reason} if reason else {})
