"""Begin a turn: take the question, clear the last turn, spot an emergency."""

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from anamnesis import SettingError
from nodes.context import Context
from nodes.followup import stand_alone
from nodes.state import State, Update
from nodes.urgency import urgency


def screen(state: State, runtime: Runtime[Context]) -> Update:
    """Take the question from ``question`` or the last message, and make it stand alone.

    Raises ``SettingError`` if there is neither.
    """
    messages = state.get("messages") or []
    last = messages[-1] if messages else None
    said = last.text.strip() if isinstance(last, HumanMessage) else ""
    asked = (state.get("question") or "").strip() or said
    if not asked:
        raise SettingError(
            'there is no question: send {"question": "…"}, or messages of which the last is the '
            "user's"
        )
    previous = (state.get("queries") or [""])[0]
    update: Update = {
        "asked": asked,
        "queries": [stand_alone(asked, previous, state.get("topic") or "")],
        "hits": [],
        "recalled": [],
        "selected": [],
        "draft": {"statements": [], "found": False, "prompt": {}},
        "rounds": [],
    }
    if asked != said:
        update["messages"] = [HumanMessage(asked)]
    kind = urgency(asked)
    if kind:
        update["reason"] = "emergency"
        update["route"] = {"to": "fallback", "why": f"the words of a {kind} emergency"}
    else:
        update["route"] = {"to": "retrieve", "why": "no words of an emergency"}
    return update
