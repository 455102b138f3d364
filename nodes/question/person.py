"""What a question says about a person, and whether the shown sources mention it.

This only adds a note and never changes which passages answer. The words are for groups of people
that medical sources name; the medicines are those in ``anamnesis.corpus.medicines`` that the
question says the person takes.
"""

import re
from collections.abc import Sequence

from anamnesis.corpus.medicines import maxima, medicines_in
from anamnesis.language.lexicon import any_of

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


def medicines(question: str) -> set[str]:
    """The medicines that a question says the person takes, as written, in lower case."""
    return {item for item in map(str.lower, _TAKES.findall(question)) if item in maxima()}


def unmentioned(question: str, sources: Sequence[str]) -> list[str]:
    """The facts about the person in the question that no source mentions, in a fixed order."""
    there = set().union(*map(mentioned, sources)) if sources else set()
    # Any name of a medicine counts.
    spoken = set().union(*map(medicines_in, sources)) if sources else set()
    missing = [
        name for name in sorted(medicines(question)) if maxima()[name].medicine not in spoken
    ]
    return [item for item in _GROUPS if item in mentioned(question) - there] + missing
