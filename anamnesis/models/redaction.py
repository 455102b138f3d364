"""Hide what identifies a person from a chat model, and restore it in the reply.

Names, dates that identify, addresses, and numbers of phones, files and cards become placeholders
such as PERSON_1. Rules find them: words after 'my name is' or 'Mrs', common first names, and the
forms of numbers. Details that they miss are sent: redaction reduces what a provider sees, but does
not replace the operator's decision on which provider may see it. Names of diseases, doses, and the
day on which something began are not replaced, because the answer depends on them.
"""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, TypeVar, cast

from langchain_core.messages import BaseMessage, SystemMessage
from pydantic import BaseModel

from anamnesis.context_variable import setting_variable
from anamnesis.models.identifying import bare_name, identifying, is_eponym

Reply = TypeVar("Reply")

_TITLES = frozenset("Mrs Miss Prof Professor Doctor Nurse".split())
_TOKEN = re.compile(r"[\w@+](?:['’@.+-]{0,20}+\w)*+")
_PLACEHOLDER = re.compile(r"\b(PERSON|DATE|ADDRESS|NUMBER|EMAIL)_(\d{1,6})\b")

_on: ContextVar[bool] = ContextVar("anamnesis_redaction", default=False)


def redacting(on: bool) -> AbstractContextManager[None]:
    """Within the block, redact the messages to chat models, or do not."""
    return setting_variable(_on, on)


def redaction() -> "Redaction | None":
    """The redaction for one call; None if messages are not redacted."""
    return Redaction() if _on.get() else None


class Redaction:
    """Hides identifying details in the messages of one call, and restores them in the reply."""

    def __init__(self) -> None:
        self._words: dict[str, str] = {}  # by placeholder
        self._marks: dict[str, str] = {}  # the placeholders by the text that they replace
        self._taken = 0

    def redacted(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """The messages with placeholders; the program's instructions stay unchanged."""
        texts = [item.text for item in messages if not isinstance(item, SystemMessage)]
        # A text may already contain the text of a placeholder.
        self._taken = max(
            (int(n) for text in texts for _, n in _PLACEHOLDER.findall(text)), default=0
        )
        found = {
            word: kind
            for text in texts
            for _, _, kind, words in identifying(text)
            for word in (_identifying_words(words) if kind == "PERSON" else [words])
        }
        return [
            item
            if isinstance(item, SystemMessage)
            else item.model_copy(update={"content": self._hide(item.text, found)})
            for item in messages
        ]

    def restored_text(self, text: str) -> str:
        """A text with the original words in place of the placeholders."""
        return _PLACEHOLDER.sub(lambda mark: self._words.get(mark[0], mark[0]), text)

    def restored(self, reply: Reply) -> Reply:
        """A reply of any form with the original words in place of the placeholders."""
        shown: Any = reply
        if isinstance(reply, str):
            shown = self.restored_text(reply)
        elif isinstance(reply, BaseMessage):
            # Only these fields: the rest of a message is counts and ids.
            field_names = type(reply).model_fields.keys()
            names = {"content", "tool_calls", "invalid_tool_calls"} & field_names
            restored = {name: self.restored(getattr(reply, name)) for name in names}
            shown = reply.model_copy(update=restored)
        elif isinstance(reply, BaseModel):
            shown = type(reply).model_validate(self.restored(reply.model_dump()))
        elif isinstance(reply, dict):
            shown = {name: self.restored(value) for name, value in reply.items()}
        elif isinstance(reply, list):
            shown = [self.restored(value) for value in reply]
        return cast(Reply, shown)

    def _hide(self, text: str, found: dict[str, str]) -> str:
        """The text without the details found in it or elsewhere in the call."""
        places = [(start, end, kind) for start, end, kind, _ in identifying(text)]
        for place in _TOKEN.finditer(text):
            if place[0] in found and not is_eponym(text, place.end()):
                places.append((*place.span(), found[place[0]]))
        parts, end = [], 0
        for start, stop, kind in sorted(places, key=lambda item: (item[0], -item[1])):
            if start >= end:
                parts += [text[end:start], self._placeholder(kind, text[start:stop])]
                end = stop
        return "".join([*parts, text[end:]])

    def _placeholder(self, kind: str, words: str) -> str:
        if words not in self._marks:
            self._marks[words] = mark = f"{kind}_{self._taken + len(self._marks) + 1}"
            self._words[mark] = words
        return self._marks[words]


def _identifying_words(name: str) -> list[str]:
    """The single words of a name that identify a person."""
    words = [bare_name(word) for word in name.split(" ")]
    return [item for item in words if len(item) > 2 and item not in _TITLES]
