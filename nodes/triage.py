"""How urgent a message is: the reader decides, and patterns of red flags have a second vote."""

from models.reading import Triage
from nodes.state import Level, Urgency
from nodes.urgency import urgency

EMERGENCY = 0.5
"""Least probability of an emergency."""
SECONDED = 0.15
"""Least probability of an emergency whose words match a red flag."""
URGENT = 0.5
"""Least probability that a message is urgent or an emergency."""


def triage(message: str, read: Triage | None) -> Urgency:
    """The level and kind of a message.

    ``read`` is what the reader says, or None where it cannot read messages: then the patterns
    decide alone. They can second the reader, and never overrule it.
    """
    flagged = urgency(message)
    if read is None:
        level: Level = "emergency" if flagged else "routine"
        return {"level": level, "kind": flagged or "", "why": "the words"}
    chance = read.levels["emergency"]
    least = SECONDED if flagged else EMERGENCY
    why = f"probability of an emergency {chance:.2f}"
    if flagged:
        why += ", with words of a red flag"
    if chance >= least:
        kind = max(read.kinds, key=lambda name: read.kinds[name])
        kind = "self-harm" if flagged == "self-harm" else kind
        return {"level": "emergency", "kind": kind, "why": f"{why}, at least {least:.2f}"}
    if chance + read.levels["urgent"] >= URGENT:
        return {"level": "urgent", "kind": "", "why": f"{why}, and it is urgent"}
    return {"level": "routine", "kind": "", "why": why}
