"""Memories that a chat model infers from a conversation, each marked as such [M1].

The user did not say what a model infers. So it is stored as a note that is marked as inferred, and
is never a source.
"""

import json
import logging
import re
from collections.abc import Sequence

from langchain_core.messages import HumanMessage, SystemMessage

from anamnesis import ModelError
from anamnesis.language.layout import EMPHASIS
from anamnesis.memory.content import Inferred
from anamnesis.memory.extract import ExtractedMemory
from anamnesis.memory.record import REFINED, Kind
from anamnesis.memory.refine import Refined
from anamnesis.models.chat import ask, name_of, of_prompt
from anamnesis.models.parallel import map_in_parallel
from anamnesis.models.structured import RefusedError, can_structure, structured
from anamnesis.models.wrapped import Chat
from prompts import load

MOST = 6
"""Maximum number of notes of one kind that are stored per turn."""

_LEAST_WORDS, _LONGEST = 3, 400
_ITEM = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+(.*\S)\s*$")
_LISTED = re.compile(r"\[[^\[\]]*\]", re.DOTALL)
_log = logging.getLogger(__name__)


def infer(
    chat: Chat, conversation: Sequence[tuple[str, str]], schema: bool = True
) -> list[ExtractedMemory]:
    """Notes of each kind on a conversation of (user's words, reply) pairs in order.

    Any chat model is asked, with a ``schema`` if it supports one, otherwise for lines of text.
    Notes that cannot be parsed, and all notes of a kind for which the model fails, are left out; a
    note of two kinds is stored as the first.
    """
    transcript = "\n".join(f"User: {said}\nAssistant: {reply}" for said, reply in conversation)
    replies = map_in_parallel(
        chat, lambda kind: _notes_by_model(chat, kind, transcript, schema), REFINED
    )
    notes: dict[str, ExtractedMemory] = {}
    for kind, found in zip(REFINED, replies, strict=True):
        for text in [item for item in map(_note, found) if item][:MOST]:
            notes.setdefault(text.casefold(), ExtractedMemory(kind, Inferred(note=text)))
    return list(notes.values())


def read_notes(reply: str) -> list[str]:
    """The notes in a text reply: the strings of a JSON list, otherwise the items of a list."""
    for listed in _LISTED.findall(reply):
        try:
            found = json.loads(listed)
        except ValueError:
            continue
        if found and all(isinstance(entry, str) for entry in found):
            return list(found)
    return [item[1] for line in reply.splitlines() if (item := _ITEM.match(line))]


def _notes_by_model(chat: Chat, kind: Kind, conversation: str, schema: bool) -> list[str]:
    """The notes of one kind as the model writes them; none if it fails."""
    name = f"memory_inferred_{kind}"
    messages = [SystemMessage(load(name).strip()), HumanMessage(conversation)]
    config = of_prompt(name)
    try:
        if schema and can_structure(chat):
            try:
                refined, said, _ = structured(chat, messages, Refined, config)
                return read_notes(said) if refined is None else refined.memories
            except RefusedError:
                _log.info("the model is asked for notes in text: it takes no schema")
        return read_notes(ask(chat, messages, name_of(chat), config).text)
    except ModelError:
        _log.warning("no memories of the kind %s: the chat model failed", kind, exc_info=True)
        return []


def _note(text: str) -> str:
    """A note in one line; "" if there is no note, such as 'none'."""
    note = " ".join(EMPHASIS.sub(" ", text).split())
    return note if len(note.split()) >= _LEAST_WORDS and len(note) <= _LONGEST else ""
