"""Triplets as sentences, each relation in the direction that it has in the data [K1]."""

import re
from collections.abc import Mapping

from anamnesis.language.lexicon import any_of

# A sentence is as certain as its relation: a mere possibility stays one.
_SENTENCES: Mapping[str, str] = {
    # Disease Database and DrugBank.
    "belongs to drug super-family": "{head} belongs to the drug super-family of {tail}.",
    "may cause": "{head} may cause {tail}.",
    "may treat": "{head} may treat {tail}.",
    "may prevent": "{head} may prevent {tail}.",
    # The head is a condition such as pregnancy, the tail is a medicine that should not be given in
    # it.
    "may contraindicate": "{tail} may be contraindicated in {head}.",
    "is a risk factor of": "{head} is a risk factor for {tail}.",
    "is a category": "{head} is a category of {tail}.",
    "see also": "{head} is related to {tail}.",
    # Hetionet.
    "treats": "{head} is used to treat {tail}.",
    "palliates": "{head} is used to relieve {tail}.",
    "causes side effect": "{head} can cause the side effect {tail}.",
    "presents symptom": "{head} may present with {tail}.",
    "localizes to": "{head} may affect this part of the body: {tail}.",
    "associates gene": "{head} is associated with the gene {tail}.",
    "resembles": "{head} has features in common with {tail}.",
    "compound resembles compound": "{head} has a chemical structure like that of {tail}.",
    # The head is a class of drugs, the tail is one of them.
    "includes compound": "{tail} belongs to the drug class {head}.",
    # In ontologies and others the head is what should not be given, and the tail is a condition.
    "is a": "{head} is a kind of {tail}.",
    "causes": "{head} is a cause of {tail}.",
    "contraindicated in": "{head} is contraindicated in {tail}.",
    "is contraindicated in": "{head} is contraindicated in {tail}.",
}

# These are symmetric: either order states the same fact.
SYMMETRIC = frozenset(
    {
        "interacts with", "is associated with", "may be allelic with", "see also", "resembles",
        "compound resembles compound",
    }
)  # fmt: skip

# Traits that some data list as effects: 'Warfarin may cause cytochrome P450 substrate' makes no
# sense.
_TRAIT = re.compile(
    r"cytochrome p450 substrate|renal excretion|protein binding \(drug\)|first pass metabolism"
    r"|abuse potential|gram (?:negative|positive|variable)\b.*"
)
# The kind, the properties and the place of a thing do not distinguish it from others of its kind.
_KIND = re.compile(
    r"\bbelongs to\b|\bis (?:an? )?(?:kind|type|subtype|subclass|category) of\b|\bis related to\b"
    r"|\bhas (?:features in common with|a chemical structure like|parent)\b|\bmay be allelic with\b"
    r"|\bmay affect this part of the body\b"
)
_VERB = re.compile(
    rf"(?:{any_of('possibility', 'modal', without='would')}|must|is|are|has|have|does)\b"
    r"|\w+[^s\W]s\b"
)
# Ontologies name some relations together with their subject: 'disease has location'.
_SUBJECT = re.compile(r"^disease (?=\w+s )", re.I)
_PREPOSITION = re.compile(rf"\b(?:{any_of('preposition')})$")


def normal(text: str) -> str:
    """The text in lower case with single blanks; underscores count as blanks."""
    return " ".join(text.replace("_", " ").casefold().split())


def sentence(head: str, relation: str, tail: str) -> str:
    """The triplet as one sentence.

    An unknown relation is written between the two, as a verb ('treated by' becomes 'is treated by')
    or, if it is a noun, with 'has' ('symptom' becomes 'has symptom').
    """
    template = _SENTENCES.get(normal(relation)) or f"{{head}} {_predicate(relation)} {{tail}}."
    if normal(relation) == "may cause" and _TRAIT.fullmatch(normal(tail)):
        template = "{head} has the property {tail}."
    written = template.format(head=head, tail=tail)
    first = written.split(" ", 1)[0].rstrip(",")
    # 'p53' and 'c-Met' keep their lower case; 'asthma' gets a capital like any other word.
    return written[0].upper() + written[1:] if first.isalpha() and first.islower() else written


def only_states_kind(text: str) -> bool:
    """Whether a sentence states only the kind, the properties or the place of something."""
    return bool(_KIND.search(text))


def _predicate(relation: str) -> str:
    words = _SUBJECT.sub("", " ".join(relation.replace("_", " ").split()))
    if _VERB.match(words.casefold()):
        return words
    return f"is {words}" if _PREPOSITION.search(words.casefold()) else f"has {words}"
