"""Words that planted errors exchange (see ``planted.py``)."""

from anamnesis.language.lexicon import forms, listed
from anamnesis.language.opposites import pairs

SWAPS: dict[str, tuple[tuple[str, str], ...]] = {
    "direction": pairs("claim", "aspect"),
    "population": pairs("people"),
}

CERTAINTY: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("(?:may|might|can) be", ("is always", "are always", "must be")),
    ("may(?! be)", ("will always", "never")),
    ("can(?! be)", ("always", "will always")),
    ("sometimes", ("always", "never", "in every case")),
    ("(?:often|usually|typically)", ("rarely", "never", "always")),
    ("(?:rarely|seldom)", ("usually", "often")),
    ("[Ss]ome", ("all", "no")),
    ("[Mm]ost", ("few", "all")),
    ("[Mm]any", ("few", "no")),
    ("(?:is|are) thought to", ("is proven to", "is known not to")),
    ("unknown", ("well understood", "known")),
    ("unclear", ("clear",)),
)
"""Patterns of words for certainty or frequency, and words that express more or less."""

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
