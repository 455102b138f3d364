"""How urgent a message is: the reader decides, and patterns of red flags have a second vote."""

from models.reading import Triage
from nodes.state import Urgency
from nodes.urgency import urgency

EMERGENCY = 0.35
"""Least probability of an emergency: recall counts more than false alarms. On messages kept aside
(`anamnesis evaluate urgency --dev`) .4 would notice 2 % fewer and flag 1 % less of the routine."""
SECONDED = 0.1
"""Least probability of an emergency whose words match a red flag."""
SELF_HARM = 0.2
"""Least probability of self-harm at which an emergency is taken for it."""
CRISIS = 0.05
"""Least probability of self-harm at which a crisis line is named in any emergency: of the twelve
messages of self-harm kept aside eight have it, of the other emergencies one in five."""
URGENT = 0.5
"""Least probability that a message is urgent or an emergency."""


def triage(message: str, read: Triage | None) -> Urgency:
    """The level and kind of a message.

    ``read`` is what the reader says, or None where it cannot read messages: then the patterns
    decide alone. They can second the reader, and never overrule it.
    """
    flagged = urgency(message)
    found: Urgency = {"level": "routine", "kind": "", "crisis": False, "why": "the words"}
    if read is None:
        return {**found, "level": "emergency", "kind": flagged} if flagged else found
    chance = read.levels["emergency"]
    least = SECONDED if flagged else EMERGENCY
    found["why"] = f"probability of an emergency {chance:.2f}"
    if flagged:
        found["why"] += ", with words of a red flag"
    if chance >= least:
        found |= {"level": "emergency", "kind": max(read.kinds, key=lambda own: read.kinds[own])}
        found["crisis"] = read.kinds["self-harm"] >= CRISIS
        if flagged == "self-harm" or read.kinds["self-harm"] >= SELF_HARM:
            found["kind"] = "self-harm"
        found["why"] += f", at least {least:.2f}"
    elif chance + read.levels["urgent"] >= URGENT:
        found |= {"level": "urgent", "why": f"{found['why']}, and it is urgent"}
    return found
