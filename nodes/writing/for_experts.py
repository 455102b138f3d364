"""The parts of a user's answer that experts see [M9]."""

from typing import Any, cast

from nodes.state import Answer, Urgency
from nodes.writing.render import render
from retrievers.filter import Filter

_OF_GROUPS = "(The answer is not shown: its user may read documents of access groups.)"
_CALM: Urgency = {"level": "routine", "kind": "", "crisis": False, "why": ""}


def for_experts(answer: Answer, limits: Filter | None) -> str:
    """The text of an answer without data on its user, who agreed to show only the question.

    Left out are notes, which may quote earlier questions, warnings from the user's profile,
    recalled memories, and unsupported statements of a draft; and the whole answer if it may quote
    documents of the user's access groups.
    """
    if limits is not None and limits.access:
        return _OF_GROUPS
    bare = {
        **_without_warnings(answer),
        "notes": [],
        "note_codes": [],
        "memories": [],
        "withheld": [],
    }
    return render(cast(Answer, bare), _CALM, None)[0]


def _without_warnings(found: Any) -> Any:
    """The same answer, statement or page without warnings, at any depth."""
    if isinstance(found, dict):
        return {key: _without_warnings(item) for key, item in found.items() if key != "warnings"}
    return [_without_warnings(item) for item in found] if isinstance(found, list) else found
