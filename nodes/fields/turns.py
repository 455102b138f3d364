"""The turns of a conversation."""

from collections.abc import Sequence
from typing import NamedTuple


class Offer(NamedTuple):
    """One thing that a reply offers: its words in the offer, and the question that asks for it.

    ``kind`` begins a question that asks for several things: 'Tell me about … and …'.
    """

    words: str
    question: str
    kind: str = "Tell me about"


class Turn(NamedTuple):
    """A message of the user and the reply to it, without the lists below it; '' for no reply.

    ``offers`` are None for a reply of another program: only its text may say what it offers.
    """

    message: str
    reply: str = ""
    sourced: bool = False
    offers: Sequence[Offer] | None = None
