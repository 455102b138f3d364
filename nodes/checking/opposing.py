"""Find words in a statement for which its source has only the opposite."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import LONGEST_TEXT, parse_sentence
from anamnesis.language.opposites import derived, form, opposites
from anamnesis.language.text import sentences, tokenize
from anamnesis.language.words import FUNCTION_WORDS

# Groups of words, and phrases, that are opposite as a whole: the vocabulary has single words.
_GROUPS = [
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in (
        (r"rais(?:e|es|ed|ing)|increas\w*|higher", r"lower(?:s|ed|ing)?|decreas\w*|reduc\w*"),
        (r"more|most", r"less|fewer|few"),
        (r"most|majority", r"half|third|quarter|minority"),
        (r"half", r"third|quarter"),
        (r"third", r"quarter"),
        (r"at least|minimum", r"at most|maximum|up to"),
        (r"above|over", r"below|under"),
        (r"better|improv\w*", r"worse\w*"),
        (r"always|all|every|everyone", r"sometimes|some|few|rare|rarely|seldom"),
        (r"avoid\w*", r"take|use|eat|drink|give|try"),
        (any_of("adults"), any_of("children")),
        (r"once (?:a|daily|every|per)", r"twice|three times"),
        (r"twice", r"three times"),
    )
]
_NON = re.compile(r"\bnon-(?=\w)", re.IGNORECASE)  # 'non-syndromic' is one word
_WEAK = FUNCTION_WORDS | {"being", "yes", "no", "not"}
_LESS = form("less")  # 'less expensive' is 'cheaper'
_SAME = 0.2
"""Minimum share of a statement's words in a sentence for it to be about the same thing."""
_NEIGHBOURS = 3
"""Number of neighbouring words on either side; the two opposites must share at least one."""
_NEAR = 30  # the same for a phrase, in characters
_MOST = 40
"""Maximum number of words with an opposite that are examined per statement."""


class _ParsedSentence(NamedTuple):
    """A sentence: its words in order, the first position of each, and those that it negates."""

    text: str
    words: list[str]
    places: dict[str, int]
    denied: frozenset[str]


def opposing(statement: str, passage: str) -> list[str]:
    """The words in the passage whose opposite is in the statement.

    A word in the statement counts if the passage does not have it and the statement does not have
    both opposites. The sentence with the opposite must share words with the statement, at least one
    of them next to the opposites.
    """
    [read] = _parse(statement, whole=True)
    there, least = _parse(passage), _SAME * len(read.places)
    known = {word for item in there for word in item.places}
    near = [item for item in there if len(item.places.keys() & read.places.keys()) >= least]
    return list(dict.fromkeys([*_single(read, near, known), *_grouped(read, near, passage)]))


def _single(
    statement: _ParsedSentence, there: Sequence[_ParsedSentence], known: set[str]
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
        near = _neighbours(statement.words, place)
        for item in there:
            hit = next((other for other in against if other in item.places), None)
            if not (hit and near & _neighbours(item.words, item.places[hit])):
                continue
            # 'not known' is 'unknown'.
            if (word in statement.denied) == (hit in item.denied):
                yield hit
                break


def _grouped(
    statement: _ParsedSentence, there: Sequence[_ParsedSentence], passage: str
) -> Iterator[str]:
    for pair in _GROUPS:
        for one, other in (pair, pair[::-1]):
            mine = one.search(statement.text)
            if not mine or other.search(statement.text) or one.search(passage):
                continue
            for item in there:
                theirs = other.search(item.text)
                if theirs and _near(statement.text, mine) & _near(item.text, theirs):
                    yield theirs[0].lower()
                    break


def _neighbours(words: list[str], place: int) -> set[str]:
    return {
        *words[max(0, place - _NEIGHBOURS) : place],
        *words[place + 1 : place + 1 + _NEIGHBOURS],
    }


def _near(text: str, place: re.Match[str]) -> set[str]:
    return set(_words(text[max(0, place.start() - _NEAR) : place.end() + _NEAR]))


def _words(text: str) -> list[str]:
    return [form(word) for word in tokenize(text) if word not in _WEAK]


@lru_cache(maxsize=64)
def _parse(text: str, whole: bool = False) -> tuple[_ParsedSentence, ...]:
    text = _NON.sub("non", text[:LONGEST_TEXT])
    pieces = [text] if whole else [text[start:end] for start, end in sentences(text)]
    made = []
    for piece in pieces:
        words = _words(piece)
        places: dict[str, int] = {}
        for place, word in enumerate(words):
            places.setdefault(word, place)
        lessened = {word for before, word in pairwise(words) if before == _LESS}
        denied = frozenset[str]().union(lessened, *parse_sentence(piece).scopes)
        made.append(_ParsedSentence(piece, words, places, denied))
    return tuple(made)
