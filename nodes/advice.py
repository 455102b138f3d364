"""Advice on when to seek care, which ends the answer to a message about a person's health."""

import re

from nodes.context import Context
from nodes.help_lines import help_lines
from nodes.state import Outcome, Reason, Urgency

_OWN = re.compile(
    r"\b(i|i'?m|i'?ve|my|me|we|our|us|he|she|his|her|mum|mom|dad|son|daughter|baby|husband|wife)\b",
    re.IGNORECASE,
)


def advice(
    message: str, urgency: Urgency, outcome: Outcome, reason: Reason, context: Context
) -> list[str]:
    """Lines on when to seek care if the message is about a person; otherwise an empty list."""
    if outcome == "urgent" or reason == "nothing_asked" or not _OWN.search(message):
        return []
    lines = help_lines(context.country)
    return [
        "See a doctor if it gets worse, does not get better, or worries you. Call "
        f"{lines.emergency} for trouble breathing, chest pain, fainting, heavy bleeding, sudden "
        "weakness or confusion."
    ]
