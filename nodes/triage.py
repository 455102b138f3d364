"""How urgent a message is: the reader decides, and patterns of red flags have a second vote."""

from collections.abc import Callable

from anamnesis.text import sentences
from models.reading import Triage
from nodes.state import Urgency
from nodes.urgency import urgency

EMERGENCY = 0.3
"""Least probability of an emergency: recall counts more than false alarms. Measured by
`anamnesis evaluate urgency --dev`, on messages kept aside."""
SENTENCE = 0.7
"""Least probability of an emergency of a sentence that is read by itself, away from what the rest
of the message says of it."""
CRISIS = 0.1
"""Least probability of self-harm at which a crisis line is named in any emergency: of the 44
messages of self-harm kept aside 34 reach it, of the other emergencies one in five."""
FEWEST = 3
"""Words of a message that is read: one or two are a topic, and the reader knows whole messages.
Of the 3,001 messages that were written for the project two are shorter; the words of the one that
is an emergency are a red flag."""
URGENT = 0.5
"""Least probability that a message is urgent or an emergency."""


def triage(message: str, reads: Callable[[str], Triage] | None) -> Urgency:
    """The level and kind of a message.

    ``reads`` is the reader, or None where there is none for messages: then the patterns decide
    alone. They have a second vote: where words of a red flag stand in a
    message that it finds calm, its sentences are read one by one, and the most alarming counts.
    """
    flagged = urgency(message)
    found: Urgency = {"level": "routine", "kind": "", "crisis": False, "why": "the words"}
    if reads is None:
        return {**found, "level": "emergency", "kind": flagged} if flagged else found
    if not flagged and len(message.split()) < FEWEST:
        return {**found, "why": "too few words to tell"}
    read = reads(message)
    if flagged and read.levels["emergency"] < EMERGENCY:
        parts = [message[start:end] for start, end in sentences(message)]
        worst = max(map(reads, parts), key=lambda own: own.levels["emergency"])
        read = worst if worst.levels["emergency"] >= SENTENCE else read
    chance = read.levels["emergency"]
    found["why"] = f"probability of an emergency {chance:.2f}"
    if flagged:
        found["why"] += ", with words of a red flag"
    if chance >= EMERGENCY:
        found |= {"level": "emergency", "kind": max(read.kinds, key=lambda own: read.kinds[own])}
        found["crisis"] = read.kinds["self-harm"] >= CRISIS
        if flagged == "self-harm":
            found["kind"] = "self-harm"
        found["why"] += f", at least {EMERGENCY:.2f}"
    elif chance + read.levels["urgent"] >= URGENT:
        found |= {"level": "urgent", "why": f"{found['why']}, and it is urgent"}
    return found
