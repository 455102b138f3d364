"""Words that planted errors exchange (see ``planted.py``)."""

from anamnesis.language.lexicon import forms, listed
from anamnesis.language.opposites import pairs

SWAPS: dict[str, tuple[tuple[str, str], ...]] = {
    "direction": pairs("claim", "aspect"),
    "population": pairs("people"),
}


def _certainty() -> dict[str, tuple[str, ...]]:
    others: dict[str, list[str]] = {}
    either = pairs("exchanged")
    for one, other in (*pairs("planted", "exchanged"), *((two, one) for one, two in either)):
        others.setdefault(one, []).append(other)
    return {one: tuple(item) for one, item in others.items()}


CERTAINTY = _certainty()
"""Words and phrases for certainty or frequency, and those that express more or less."""

AFFIRMED = tuple((other, one) for one, other in pairs("affirmed"))
"""Words that negate, and what takes their place when the negation is removed."""

AUXILIARIES = [*listed("be", "modal", "possibility"), "must"]

SINGULAR = forms("singular")
"""Verbs in the third person, and the form that follows 'does not'."""

GROUPS: tuple[tuple[str, ...], ...] = (
    *map(listed, ("organ", "body_parts", "symptom", "therapy", "cause_of_disease", "substance")),
    listed(
        "disease",
        without="mumps rubella flu migraine acne copd hiv aids covid "
        "cholera lupus shingles chickenpox scurvy rabies herpes",
    ),
    listed("examination"),
    listed("medicine", without="insulin paracetamol colchicine"),
    *map(listed, ("specialist", "tissue", "body_fluid", "dosage_form", "route", "frequency")),
    *map(listed, ("ordinal", "nature_of_problem")),
)
"""Words of one kind: replacing one by another changes the meaning."""
