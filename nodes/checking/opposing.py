"""Find words in a statement for which its source has only the opposite."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from anamnesis.language.negations import LONGEST_TEXT, parse_sentence
from anamnesis.language.opposites import derived, form, opposites, phrases_joined
from anamnesis.language.text import sentences, tokenize
from anamnesis.language.words import FUNCTION_WORDS

_NON = re.compile(r"\bnon-(?=\w)", re.IGNORECASE)  # 'non-syndromic' is one word
_WEAK = FUNCTION_WORDS | {"being", "yes", "no", "not"}
_LESS = form("less")  # 'less expensive' is 'cheaper'
_SAME = 0.2
"""Minimum share of a statement's words in a sentence for it to be about the same thing."""
_NEIGHBOURS = 3
"""Number of neighbouring words on either side; the two opposites must share at least one."""
_MOST = 40
"""Maximum number of words with an opposite that are examined per statement."""


class _ParsedSentence(NamedTuple):
    """A sentence: its words in order, as written and in their common form; the first position of
    each form; and the forms that it negates."""

    written: list[str]
    words: list[str]
    places: dict[str, int]
    denied: frozenset[str]


def opposing(statement: str, passage: str) -> list[str]:
    """The words and phrases in the passage whose opposite is in the statement, in lower case.

    A word in the statement counts if the passage does not have it and the statement does not have
    both opposites. The sentence with the opposite must share words with the statement, at least one
    of them next to the opposites.
    """
    [read] = _parse(statement, whole=True)
    there, least = _parse(passage), _SAME * len(read.places)
    known = {word for item in there for word in item.places}
    near = [item for item in there if len(item.places.keys() & read.places.keys()) >= least]
    return list(dict.fromkeys(_found(read, near, known)))


def _found(
    statement: _ParsedSentence, there: list[_ParsedSentence], known: set[str]
) -> Iterator[str]:
    examined = 0
    for word, place in statement.places.items():
        if word in known:
            continue
        against = (opposites(word) | derived(word)) & known - statement.places.keys()
        if not against:
            continue
        examined += 1
        if examined > _MOST:
            return
        near, denied = _neighbours(statement.words, place), word in statement.denied
        hits = (
            item.written[at]
            for item in there
            for other, at in item.places.items()
            if other in against
            and near & _neighbours(item.words, at)
            and denied == (other in item.denied)  # 'not known' is 'unknown'
        )
        yield from islice(hits, 1)


def _neighbours(words: list[str], place: int) -> set[str]:
    return {
        *words[max(0, place - _NEIGHBOURS) : place],
        *words[place + 1 : place + 1 + _NEIGHBOURS],
    }


@lru_cache(maxsize=64)
def _parse(text: str, whole: bool = False) -> tuple[_ParsedSentence, ...]:
    text = _NON.sub("non", text[:LONGEST_TEXT])
    pieces = [text] if whole else [text[start:end] for start, end in sentences(text)]
    made = []
    for piece in pieces:
        written = [word for word in tokenize(phrases_joined(piece)) if word not in _WEAK]
        words = list(map(form, written))
        places: dict[str, int] = {}
        for place, word in enumerate(words):
            places.setdefault(word, place)
        lessened = {word for before, word in pairwise(words) if before == _LESS}
        denied = frozenset[str]().union(lessened, *parse_sentence(piece).scopes)
        made.append(_ParsedSentence([w.replace("_", " ") for w in written], words, places, denied))
    return tuple(made)
