"""Memories that a chat model finds in a user's words [M1].

Models invent things, so a note only points to a clause of the user's words, which is then quoted.
"""

import logging

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from anamnesis import ModelError
from anamnesis.language.lexicon import listed
from anamnesis.language.words import content_terms, singular
from anamnesis.memory.clauses import clauses
from anamnesis.memory.content import Said
from anamnesis.memory.extract import ExtractedMemory
from anamnesis.memory.record import Kind
from anamnesis.models.chat import of_prompt
from anamnesis.models.parallel import map_in_parallel
from anamnesis.models.structured import structured
from anamnesis.models.wrapped import Chat
from prompts import load

_KINDS: tuple[Kind, ...] = ("question", "residual", "response")
# Words that notes add to the user's words.
_FRAME = frozenset(listed("note_frame"))

_log = logging.getLogger(__name__)


class Refined(BaseModel):
    """What is worth remembering of the user's last words."""

    memories: list[str] = Field(description="Notes of one sentence each; empty if there are none.")


def refine(chat: Chat, message: str, earlier: str = "", reply: str = "") -> list[ExtractedMemory]:
    """The clauses of ``message`` that the model's notes refer to, quoted, each under one kind.

    ``earlier`` is the user's previous turn and ``reply`` the reply to it. Notes that cannot be
    parsed, or do not match a plain statement of the user, are left out; if the model fails, so are
    all notes of that kind.
    """
    previous = [f"User: {earlier}", f"Assistant: {reply}"] if earlier else []
    conversation = "\n".join([*previous, f"User, last words: {message}"])
    replies = map_in_parallel(chat, lambda kind: _notes_by_model(chat, kind, conversation), _KINDS)
    notes: dict[str, ExtractedMemory] = {}
    for kind, found in zip(_KINDS, replies, strict=True):
        for text in found:
            if clause := ground(text, message):
                notes.setdefault(clause, ExtractedMemory(kind, Said(words=clause), clause))
    return list(notes.values())


def _notes_by_model(chat: Chat, kind: Kind, conversation: str) -> list[str]:
    """The notes of one kind as the model writes them; none if it fails."""
    name = f"memory_{kind}"
    messages = [SystemMessage(load(name)), HumanMessage(conversation)]
    try:
        refined, _, problem = structured(chat, messages, Refined, of_prompt(name))
    except ModelError:
        _log.warning("no memories of the kind %s: the chat model failed", kind, exc_info=True)
        return []
    if refined is None:
        _log.warning("no memories of the kind %s: %s", kind, problem)
        return []
    return refined.memories


def ground(note: str, message: str) -> str | None:
    """The user's clause that a note refers to, or None.

    It states something (see ``clauses``) and has every content word and number of the note.
    """
    terms = set(map(singular, content_terms(note))) - _FRAME
    for clause in clauses(message):
        if terms and terms <= set(map(singular, content_terms(clause))):
            return clause
    return None
