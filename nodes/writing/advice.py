"""Advice on when to seek care, which ends the answer to a message about a person's health."""

import re

from anamnesis.language.lexicon import any_of
from nodes.context import Context
from nodes.state import Outcome, Reason, Urgency
from nodes.writing.help_lines import help_lines

_OWN = re.compile(
    rf"\b(i|i'?m|i'?ve|we|he|she|his|her|baby"
    rf"|{any_of('speaker_object', 'speaker_possessive', 'family', without='your')})\b",
    re.IGNORECASE,
)


def advice(
    message: str, urgency: Urgency, outcome: Outcome, reason: Reason, context: Context
) -> list[str]:
    """Lines on when to seek care if the message is about a person; otherwise an empty list.

    There are none either for a question about the user's own record.
    """
    none = outcome == "urgent" or reason in ("nothing_asked", "remembered")
    if none or not _OWN.search(message):
        return []
    lines = help_lines(context.triage.country)
    return [
        "See a doctor if it gets worse, does not get better, or worries you. Call "
        f"{lines.emergency} for trouble breathing, chest pain, fainting, heavy bleeding, sudden "
        "weakness or confusion."
    ]
