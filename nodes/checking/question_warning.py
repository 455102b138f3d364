"""Warnings on what a question itself puts together, such as a medicine and a pregnancy.

Whether the documents answer it or not: "Can I take ibuprofen with warfarin?" gets the warning of
the tables (``anamnesis.corpus.cautions``) though no passage is found.
"""

from collections.abc import Sequence
from datetime import datetime

from anamnesis.corpus.cautions import (
    Key,
    comparison_key,
    condition_names,
    longest_mentions,
    medicine_names,
)
from anamnesis.corpus.medicines import maxima
from anamnesis.memory.profile import Entry, Field, Warned
from anamnesis.memory.record import now
from nodes.checking.warning import ASSUMED_CHILD_AGE, names_of, reason, warning_of
from nodes.question.circumstances import MOST_NAMED, ages, allergies, denied, names_in
from nodes.question.person import groups_affirmed

_ADULT = 18
_PREGNANCY = {"pregnancy": "pregnant", "breastfeeding": "breastfeeding"}
MOST = 5
"""Maximum warnings on a question: a long list of medicines has more, which nobody would read."""


def question_warnings(question: str, profile: Sequence[Entry], today: datetime) -> list[Warned]:
    """The warnings on the medicines that a question mentions, at most ``MOST``.

    ``profile`` has what is known of the user and what else the question mentions. Two medicines
    of the profile come last, because somebody who takes both has probably been asked already.
    """
    taken = {
        comparison_key(entry.value)
        for entry in profile
        if entry.field == "medicine" and not entry.mentioned
    }
    first = {one.key: one for one in reversed(longest_mentions(question, medicine_names()))}
    named = sorted(first.values(), key=lambda one: one.start)[:MOST_NAMED]
    found: dict[frozenset[object], tuple[bool, Warned]] = {}
    for entry in profile:
        values, value_key = names_of(entry), comparison_key(entry.value)
        for one in named:
            if one.key == value_key or denied(question, one.start):
                continue
            if (why := reason(entry, values, one, today)) is not None:
                # Two medicines interact whichever of them comes first, and under any name.
                about = _substance(value_key) if entry.field == "medicine" else why
                pair = frozenset([about, _substance(one.key)])
                name = question[one.start : one.end]
                both_taken = value_key in taken and one.key in taken
                found.setdefault(pair, (both_taken, warning_of(entry, name, why, asked=True)))
    ordered = sorted(found.values(), key=lambda item: item[0])
    return [warning for _, warning in ordered[:MOST]]


def mentioned_entries(question: str, profile: Sequence[Entry]) -> list[Entry]:
    """Entries for what the question mentions and the profile does not have.

    They are further reasons for a warning, such as a relative's medicine.
    """
    mentioned: list[tuple[Field, str]] = [("allergy", name) for name in allergies(question)]
    allergic = {comparison_key(name) for _, name in mentioned}
    names = medicine_names() - allergic
    mentioned += [("medicine", name) for name in names_in(question, names)]
    mentioned += [("condition", name) for name in names_in(question, condition_names())]
    groups = groups_affirmed(question)
    mentioned += [("pregnancy", value) for group, value in _PREGNANCY.items() if group in groups]
    years = ages(question)
    mentioned += [("age", str(int(age))) for age in years]
    years += [item.age(now()) for item in profile if item.field == "age"]
    if "children" in groups and all(age >= _ADULT for age in years):
        mentioned.append(("age", ASSUMED_CHILD_AGE))
    profile_keys = {(item.field, comparison_key(item.value)) for item in profile}
    found = [Entry(field, value, mentioned=True) for field, value in mentioned]
    return [item for item in found if (item.field, comparison_key(item.value)) not in profile_keys]


def _substance(key: Key) -> str:
    """The medicine of a name in the form for comparison, or the name itself if it is unknown."""
    name = " ".join(key)
    known = maxima().get(name)
    return known.medicine if known else name
