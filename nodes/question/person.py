"""What a question says about a person, and whether the shown sources mention it.

This only adds a note and never changes which passages answer. The words are for groups of people
that medical sources name; the medicines are those in the tables of ``anamnesis.corpus`` that the
question says the person takes.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence

from anamnesis.corpus.cautions import (
    Key,
    Mention,
    comparison_key,
    families,
    longest_mentions,
    medicine_names,
    mentions,
)
from anamnesis.corpus.medicines import maxima
from anamnesis.language.lexicon import any_of

_GROUPS = {
    name: re.compile(rf"\b(?:{any_of(name, *others)})\b", re.IGNORECASE)
    for name, *others in (("pregnancy",), ("breastfeeding",), ("children", "adolescents"))
}
# '6 year old', '8-month-old', '3yo'.
_AGE = re.compile(
    r"\b(\d{1,3})[- ]?(y(?=/?o\b)|ye?a?rs?(?=[- ]?o(?:ld)?\b)|(?:month|week|day)s?(?=[- ]old\b))",
    re.IGNORECASE,
)
# 'My mum is 84 and', 'Dad, 80,', 'she's 34 years'.
_AGED = re.compile(
    rf"\b(?:i|he|she|{any_of('family')})(?: is| am|['’]s|['’]m|,) (\d{{1,3}})\b"
    r"(?= ?(?:[,.;:!?)]|$|and\b|with\b|who\b|but\b|y(?:ea)?rs?\b))",
    re.IGNORECASE,
)
# 'Allergic to penicillin', 'a penicillin allergy', and not 'no allergy to penicillin'.
_ALLERGY = re.compile(
    r"(?<!not )(?<!n't )(?<!no )(?<!no known )\ballerg(?:y|ies|ic)(?: to\b|\b)", re.IGNORECASE
)
_LONGEST_JOIN = 20  # characters between two names of a list
_TAKES = re.compile(
    r"\b(?:on|taking|takes|take|took|with|using) (?:my |her |his |the |daily |also )?"
    r"([a-z]{4,20})\b",
    re.IGNORECASE,
)


def ages(text: str) -> list[int]:
    """The ages in years that a text gives, each once; 0 for an age in months, weeks or days."""
    found = [int(number) if unit[0] in "yY" else 0 for number, unit in _AGE.findall(text)]
    found += map(int, _AGED.findall(text))
    return list(dict.fromkeys(found))


def allergies(text: str) -> list[str]:
    """The medicines and foods to which a text says that somebody is allergic, as it writes them."""
    named = longest_mentions(text, medicine_names())
    by_end = {one.end: one for one in named}
    starts = [one.start for one in named]
    found: list[Mention] = []
    for allergy in _ALLERGY.finditer(text):
        before, end = by_end.get(allergy.start() - 1), allergy.end()
        if before and not text[: before.start].endswith(("no ", "No ")):
            found.append(before)
        for one in named[bisect_left(starts, end) :]:
            if not _only_joins(text[end : one.start]):
                break
            found.append(one)
            end = one.end
    return list(dict.fromkeys(text[one.start : one.end] for one in found))


def _only_joins(between: str) -> bool:
    """Whether a text joins names of one list and says nothing else."""
    words = re.findall(r"\w+", between[:_LONGEST_JOIN].lower())
    return len(between) < _LONGEST_JOIN and set(words) <= {"and", "or", "any", "the"}


def mentioned(text: str) -> set[str]:
    """The groups that a text mentions."""
    return {name for name, words in _GROUPS.items() if words.search(text)}


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
    there = set().union(*map(mentioned, sources)) if sources else set()
    missing = [
        name
        for name in sorted(medicines(question))
        if not any(mentions(source, _same(name)) for source in sources)
    ]
    return [item for item in _GROUPS if item in mentioned(question) - there] + missing
