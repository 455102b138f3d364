"""The part of an answer that is stored as an exchange [H1]: a pure decision."""

from typing import Literal

from anamnesis.memory.content import Exchange, Shown
from nodes.state import Answer


def exchanged(question: str, answer: Answer, kept: Literal["checked", "all"]) -> Exchange | None:
    """The question with the answer to store; None if the exchange is not stored.

    With ``checked``, unchecked statements are not stored, so that they are never recalled. With
    ``all``, every exchange is stored as in the published system, with unchecked statements marked,
    and without statements if nothing was stated. Exchanges about an emergency, or that quote stored
    words, are never stored.
    """
    stated = answer["outcome"] in ("answered", "partial")
    if answer["urgency"] == "emergency" or answer["reason"] == "remembered":
        return None
    if kept != "all" and (not stated or answer["reason"] == "unchecked"):
        return None
    shown = answer["statements"] if stated else []
    if stated and not shown:
        return None
    return Exchange(
        question=" ".join(question.split()),
        statements=tuple(
            Shown(text=item["text"], checked=item["verdict"] != "unchecked") for item in shown
        ),
    )
