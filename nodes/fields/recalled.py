"""The memories that a turn recalls, in the form of the state and the answer."""

from typing_extensions import TypedDict

from anamnesis.memory.choosing import Chosen
from anamnesis.memory.record import Kind, Scope


class Memory(TypedDict):
    """A recalled memory, with the terms of its score. It is never a source of a claim.

    ``kind`` and ``scope`` are those of ``anamnesis.memory.record.Memory``; an exchange's text is
    its question and, on the next line, its answer.
    """

    id: str
    kind: Kind
    scope: Scope
    text: str
    created: str
    score: dict[str, float]


class UserQuote(TypedDict):
    """The user's own words that answer a question about their record.

    ``id`` and ``created`` are those of the memory, ``text`` the quotation, ``words`` the message or
    sentence with it; ``notes`` say which other quotation contradicts it.
    """

    id: str
    text: str
    created: str
    words: str
    notes: list[str]


class Notice(TypedDict):
    """A notice that the user gets once, with the next answer.

    ``id`` is that of an earlier answer that its sources no longer support, or of a question that an
    expert has answered.
    """

    id: str
    note: str


def state_of_memory(one: Chosen) -> Memory:
    """A chosen memory in the form of the state."""
    memory = one.found.memory
    return {
        "id": memory.id,
        "kind": memory.kind,
        "scope": memory.scope,
        "text": memory.text,
        "created": memory.created.isoformat(),
        "score": one.explain(),
    }
