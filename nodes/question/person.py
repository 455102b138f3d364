"""What a question says about a person, and whether the shown sources mention it.

This only adds a note and never changes which passages answer. The words are for groups of people
that medical sources name; the medicines are those in the tables of ``anamnesis.corpus`` that the
question says the person takes.
"""

import re
from collections.abc import Sequence

from anamnesis.corpus.cautions import Key, comparison_key, families, medicine_names, mentions
from anamnesis.corpus.medicines import maxima
from anamnesis.language.lexicon import any_of
from nodes.question.circumstances import denied, without_names

_GROUPS = {
    name: re.compile(rf"\b(?:{any_of(name, *others)})\b", re.IGNORECASE)
    for name, *others in (("pregnancy",), ("breastfeeding",), ("children", "adolescents"))
}
_TAKES = re.compile(
    r"\b(?:on|taking|takes|take|took|with|using) (?:my |her |his |the |daily |also )?"
    r"([a-z]{4,20})\b",
    re.IGNORECASE,
)


def mentioned(text: str) -> set[str]:
    """The groups that a text mentions."""
    return {name for name, words in _GROUPS.items() if words.search(text)}


def asked_about(question: str) -> set[str]:
    """The groups that a question mentions and does not deny, the names of medicines left out."""
    text = without_names(question, medicine_names())
    return {
        name
        for name, words in _GROUPS.items()
        if any(not denied(text, found.start()) for found in words.finditer(text))
    }


def medicines(question: str) -> set[str]:
    """The medicines that a question says the person takes, as written, in lower case."""
    known = {name for (name, *more) in medicine_names() if not more}
    words = map(str.lower, _TAKES.findall(question))
    return {word for word in words if word in maxima() or word in known}


def _same(name: str) -> frozenset[Key]:
    """Names by which a source may mention a medicine: any of its own, or of its smallest family."""
    if name in maxima():
        return frozenset(map(comparison_key, maxima()[name].names))
    key = comparison_key(name)
    own = [item.members for item in families().values() if key in item.members]
    return min(own, key=len, default=frozenset([key]))


def unmentioned(question: str, sources: Sequence[str]) -> list[str]:
    """The facts about the person in the question that no source mentions, in a fixed order."""
    there = set[str]().union(*map(mentioned, sources))
    missing = [
        name
        for name in sorted(medicines(question))
        if not any(mentions(source, _same(name)) for source in sources)
    ]
    return [item for item in _GROUPS if item in asked_about(question) - there] + missing
