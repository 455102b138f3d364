"""Warnings on what a question itself puts together, such as a medicine and a pregnancy.

Whether the documents answer it or not: "Can I take ibuprofen with warfarin?" gets the warning of
the tables (``anamnesis.corpus.cautions``) though no passage is found.
"""

from collections.abc import Sequence
from datetime import datetime

from anamnesis.corpus.cautions import comparison_key, longest_mentions, medicine_names
from anamnesis.memory.profile import Entry, Warned
from nodes.checking.warning import names_of, reason, warning_of

MOST = 5
"""Maximum warnings on a question: a long list of medicines has more, which nobody would read."""
MOST_NAMED = 40
"""Maximum medicines of a question that are compared; more are not a question."""


def question_warnings(question: str, profile: Sequence[Entry], today: datetime) -> list[Warned]:
    """The warnings on the medicines that a question mentions, at most ``MOST``.

    ``profile`` has what is known of the user and what the question mentions besides. Two medicines
    of the profile come last, because somebody who takes both has probably been asked already.
    """
    allergies = {comparison_key(entry.value) for entry in profile if entry.field == "allergy"}
    taken = {
        comparison_key(entry.value)
        for entry in profile
        if entry.field == "medicine" and not entry.mentioned
    }
    first = {one.key: one for one in reversed(longest_mentions(question, medicine_names()))}
    named = sorted(first.values(), key=lambda one: one.start)[:MOST_NAMED]
    found: dict[frozenset[object], tuple[bool, Warned]] = {}
    for entry in profile:
        values, own = names_of(entry), comparison_key(entry.value)
        for one in named:
            why = None if one.key in allergies else reason(entry, values, one, today)
            if why is not None:
                # Two medicines interact whichever of them comes first.
                pair = frozenset([own if entry.field == "medicine" else entry.text, one.key])
                name = question[one.start : one.end]
                both_taken = own in taken and one.key in taken
                found.setdefault(pair, (both_taken, warning_of(entry, name, why, asked=True)))
    ordered = sorted(found.values(), key=lambda item: item[0])
    return [warning for _, warning in ordered[:MOST]]
