"""Prompts of the operator's own, in the place of those of this folder."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from anamnesis import SettingError
from anamnesis.entailment import LABELS
from prompts.forms import EXAMPLES, REPLY

Name = Literal[
    "system",
    "answer",
    "options",
    "pairs",
    "facts",
    "facts_options",
    "knowledge",
    "rewrite",
    "standalone",
    "summarise",
    "critic",
    "memory_question",
    "memory_residual",
    "memory_response",
    "memory_inferred_question",
    "memory_inferred_residual",
    "memory_inferred_response",
]
"""The prompts that can be replaced: the files of this folder, without their ending."""

# What a prompt must have, so that the reply to it can be read.
_NEEDS: dict[str, tuple[str, ...]] = {
    "answer": ("{not_found}",),
    "options": ("{not_found}", "Answer:"),
    "pairs": ("{not_found}",),
    "facts": ("{not_found}",),
    "critic": LABELS,
}
# Their examples have a question and a reply.
_WITH_EXAMPLES = ("standalone", "summarise")
_FIELD = re.compile(r"\{\w+\}")
_PATH = re.compile(r"(?:/|~|\.{1,2}/|[A-Za-z]:[\\/])[^\n]*")
_MOST = 20_000
"""Characters of the longest prompt."""


def replaced(given: Mapping[Name, str], *, files: bool = True) -> dict[str, str]:
    """The texts of these prompts: each value is one, or the path of a file that holds it.

    A path is one line that begins with ``/``, ``./``, ``../`` or ``~``. Without ``files`` every
    value is a text, and nothing is looked up: a caller of a server may name none of its files.
    Raises SettingError, naming the prompt, for a file that cannot be read, and for a text that
    lacks a field which it must have or has one that nothing fills.
    """
    return {
        name: _checked(name, _text(name, value) if files else value)
        for name, value in given.items()
    }


def _text(name: str, value: str) -> str:
    if not _PATH.fullmatch(value.strip()):
        return value
    path = Path(value.strip()).expanduser()
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(
            f"the prompt {name!r} is to be read from {path}, which cannot be read "
            f"({getattr(error, 'strerror', None) or 'it is not UTF-8 text'}); name a text file, or "
            "give the text itself"
        ) from None


def _checked(name: str, text: str) -> str:
    fields = {item for item in _NEEDS.get(name, ()) if item.startswith("{")}
    problem = ""
    if not text.strip():
        problem = "is empty"
    elif len(text) > _MOST:
        problem = f"has {len(text)} characters, and {_MOST} are the most"
    elif missing := [item for item in _NEEDS.get(name, ()) if item not in text]:
        problem = f"lacks {', '.join(missing)}, which it must have"
    elif unknown := sorted(set(_FIELD.findall(text)) - fields):
        known = ", ".join(sorted(fields)) or "none"
        problem = f"has the field {unknown[0]}, which nothing fills; its fields: {known}"
    elif name in _WITH_EXAMPLES and any(REPLY not in item for item in text.split(EXAMPLES)[1:]):
        problem = "has an example without a line => between question and result"
    if problem:
        raise SettingError(
            f"the prompt {name!r} {problem}; change it in the setting `generator.prompts`, or "
            f"leave it out there to have the project's own (prompts/{name}.md)"
        )
    return text
