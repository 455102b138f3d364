"""Advice on when to seek care, which ends the answer to a message about a person's health."""

from anamnesis.models.health_message import is_about_health
from nodes.fields.codes import Reason
from nodes.settings.context import Context
from nodes.settings.help_lines import help_lines
from nodes.state import Outcome, Urgency
from nodes.writing.render import crisis_comes_first, crisis_text

_ROUTINE = "See a doctor if it gets worse, does not get better, or worries you."


def advice(
    message: str, outcome: Outcome, reason: Reason, urgency: Urgency, context: Context
) -> list[str]:
    """Lines on when to seek care, if the message is about somebody's health, and not about the
    user's own record; for other messages at most a crisis line.

    If the answer begins with the advice to see a doctor today or to call for help, the end does not
    say to wait, but names signs of an emergency. A crisis line that does not precede the answer is
    named here.
    """
    if outcome == "urgent":
        return []
    country = context.triage.country
    late = urgency["crisis"] and not crisis_comes_first(urgency)
    crisis = [crisis_text(country)] if late else []
    if reason in ("nothing_asked", "remembered") or not is_about_health(message):
        return crisis
    number = help_lines(country).emergency
    if urgency["level"] == "routine":
        return [f"{_ROUTINE} In an emergency, call {number}.", *crisis]
    signs = "trouble breathing, chest pain, fainting, heavy bleeding, sudden weakness or confusion"
    return [f"Call {number} for {signs}.", *crisis]
