"""An answer as a message of the conversation, and the turns of a conversation.

A message records where in its text the statements end, whether it has sources, and what it offers,
so that no later step has to parse its text.
"""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from pydantic import BaseModel, Field, ValidationError

from anamnesis.language.text import well_formed
from nodes.fields.turns import Offer, Turn
from nodes.state import Answer

KEPT_MESSAGES = 10
"""Maximum messages in a thread's state. Follow-ups need only the last turn; every checkpoint
contains all of them, so that a long thread would make every later checkpoint larger.
"""
_KEY = "anamnesis"


class _Record(BaseModel):
    """What a reply records of itself."""

    statements_end: int = Field(ge=0)
    sourced: bool
    offers: list[Offer] = []  # a reply that an earlier version stored has none


def message_of(answer: Answer, end: int) -> AIMessage:
    """The answer's text as a message; the notes and statements end at character ``end``."""
    sourced = bool(answer["sources"]) and answer["outcome"] != "abstained"
    offers = [Offer(topic, f"{topic}: {answer['query']}") for topic in answer["clarify"]]
    record = _Record(statements_end=end, sourced=sourced, offers=offers)
    return AIMessage(answer["text"], response_metadata={_KEY: record.model_dump(mode="json")})


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
            try:
                record = _Record.model_validate(message.response_metadata.get(_KEY))
            except ValidationError:  # of another program, or changed by a caller
                found[-1] = Turn(found[-1].message, well_formed(message.text))
                continue
            reply = well_formed(message.text[: record.statements_end])
            found[-1] = Turn(found[-1].message, reply, record.sourced, record.offers)
    return found
