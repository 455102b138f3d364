"""The part of an answer that is stored as the reply of an exchange [H1]: a pure decision."""

from typing import Literal

from nodes.state import Answer

NOT_ANSWERED = "This was not answered."
"""The stored reply if nothing was stated."""

UNCHECKED = " (not checked)"
"""The mark of a stored statement that was not checked."""


def exchanged(answer: Answer, kept: Literal["checked", "all"]) -> str:
    """The reply to store; "" if the exchange is not stored.

    With ``checked``, unchecked statements are not stored, so that they are never recalled. With
    ``all``, every exchange is stored as in the published system, with unchecked statements marked.
    Exchanges about an emergency, or that quote stored words, are never stored.
    """
    stated = answer["outcome"] in ("answered", "partial")
    if answer["urgency"] == "emergency" or answer["reason"] == "remembered":
        return ""
    if not stated and kept != "all":
        return ""
    if kept != "all":
        return "" if answer["reason"] == "unchecked" else _reply(answer, "")
    return _reply(answer, UNCHECKED) if stated else NOT_ANSWERED


def _reply(answer: Answer, mark: str) -> str:
    return " ".join(
        item["text"] + (mark if item["verdict"] == "unchecked" else "")
        for item in answer["statements"]
    )
