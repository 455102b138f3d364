"""An answer as a message of the conversation, and the turns of a conversation.

A message records where in its text the statements end and whether it has sources, so that no later
step has to parse its headings.
"""

from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage

from anamnesis.language.text import well_formed
from nodes.state import Answer

KEPT_MESSAGES = 10
"""Maximum messages in a thread's state. Follow-ups need only the last turn; every checkpoint
contains all of them, so that a long thread would make every later checkpoint larger.
"""
_KEY = "anamnesis"


class Turn(NamedTuple):
    """A message of the user and the reply to it, without the lists below it; '' for no reply."""

    message: str
    reply: str = ""
    sourced: bool = False


def message_of(answer: Answer, end: int) -> AIMessage:
    """The answer's text as a message; the notes and statements end at character ``end``."""
    sourced = bool(answer["sources"]) and answer["outcome"] != "abstained"
    known = {"statements_end": end, "sourced": sourced}
    return AIMessage(answer["text"], response_metadata={_KEY: known})


def removals(messages: Sequence[AnyMessage]) -> list[RemoveMessage]:
    """Removals of a thread's first messages: one more makes at most ``KEPT_MESSAGES``."""
    return [
        RemoveMessage(id=message.id)
        for message in messages[: max(0, len(messages) + 1 - KEPT_MESSAGES)]
        if message.id
    ]


def turns(messages: Sequence[AnyMessage]) -> list[Turn]:
    """The turns of a conversation. A reply of another program counts as a whole."""
    found: list[Turn] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            found.append(Turn(well_formed(message.text)))
        elif isinstance(message, AIMessage) and found:
            about = message.response_metadata.get(_KEY)
            known = about if isinstance(about, dict) else {}
            end, sourced = known.get("statements_end"), known.get("sourced") is True
            # A caller may have changed the stored values.
            text = message.text[:end] if isinstance(end, int) and end >= 0 else message.text
            found[-1] = Turn(found[-1].message, well_formed(text), sourced)
    return found
