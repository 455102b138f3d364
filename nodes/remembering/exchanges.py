"""What of an answer is kept as the reply of an exchange [H1]: a pure decision."""

from typing import Literal

from nodes.state import Answer

NOT_ANSWERED = "This was not answered."
"""What is kept as the reply where nothing was stated."""

UNCHECKED = " (not checked)"
"""The mark of a stored statement that nothing has checked."""


def exchanged(answer: Answer, kept: Literal["checked", "all"]) -> str:
    """The reply to keep; "" where the exchange is not kept.

    ``checked``: what nothing has checked must not come back as what was said before. ``all``: as
    the published system appends every exchange, with what was not checked marked as such. Never
    that of an emergency, or one that quotes what is stored already.
    """
    stated = answer["outcome"] in ("answered", "partial")
    if answer["outcome"] == "urgent" or answer["reason"] == "remembered":
        return ""
    if not stated and kept != "all":
        return ""
    if kept != "all":
        return "" if answer["reason"] == "unchecked" else _told(answer, "")
    return _told(answer, UNCHECKED) if stated else NOT_ANSWERED


def _told(answer: Answer, mark: str) -> str:
    return " ".join(
        item["text"] + (mark if item["verdict"] == "unchecked" else "")
        for item in answer["statements"]
    )
