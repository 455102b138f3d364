"""Opposites: one vocabulary for all that use it.

The checks of statements, the comparison of documents, the correction of spelling and the planting
of errors read the same file, ``opposites.tsv``. Its kinds:

- ``claim``: only one of the two can be true of one thing.
- ``denies``: likewise, but not exchanged in planted errors.
- ``aspect``: each may be true of something else: the left and the right lung.
- ``people``: groups of people.
- ``general``: the rest, which only the checks of statements read. It also has phrases ('at most').
- ``degree``: how often, how many or how certain; only planted errors read these.
- ``beginning`` and ``ending``: what may distinguish otherwise equal words (``derived``).

A pair can have a second kind, for a further use: ``planted`` (the second is planted in
place of the first), ``exchanged`` (either in place of the other), ``affirmed`` (the first takes the
place of the second, a negation), ``misspelt`` (of words that are otherwise equal, one is not
corrected to the other).

Words that differ only in a prefix or suffix ('unsafe', 'hypokalemia', 'painless') are listed only
if the stem is too short for the rule; see ``derived``.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

from anamnesis.language.lexicon import listed
from anamnesis.language.words import stem

_FILE = Path(__file__).with_name("opposites.tsv")
_DENYING = listed("denying")
_NO_COMPARATIVE = frozenset(listed("no_comparative"))
_LEAST = 4
"""Minimum number of letters shared by words that are opposites by prefix or suffix."""


@cache
def pairs(*kinds: str) -> tuple[tuple[str, str], ...]:
    """The pairs of these kinds, in file order."""
    _, *lines = _FILE.read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return tuple(
        (one, other) for one, other, served in rows if not {*kinds}.isdisjoint(served.split())
    )


@cache
def affixes(kind: str) -> tuple[tuple[str, str], ...]:
    """The beginnings or endings of a kind, without their hyphens, each pair in both orders.

    Endings are those of stems: 'les' stands for 'less'.
    """
    found = [(one.strip("-"), other.strip("-")) for one, other in pairs(kind)]
    return tuple(pair for one, other in found for pair in ((one, other), (other, one)))


@cache
def _known_words() -> frozenset[str]:
    return frozenset(stem(word.lower()) for pair in _all_pairs() for word in pair)


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in _all_pairs():
        mine, theirs = (form(_joined(text.lower())) for text in (one, other))
        if mine != theirs:
            found.setdefault(mine, set()).add(theirs)
            found.setdefault(theirs, set()).add(mine)
    return {word: frozenset(item) for word, item in found.items()}


def phrases_joined(text: str) -> str:
    """The text with an underscore for each blank within a phrase of the vocabulary."""
    return _phrases().sub(lambda found: _joined(found[0]), text)


@cache
def _phrases() -> re.Pattern[str]:
    phrases = {text for pair in pairs("general") for text in pair if " " in text}
    longest_first = "|".join(sorted(phrases, key=len, reverse=True))
    return re.compile(rf"\b(?:{longest_first})\b", re.IGNORECASE)


def _joined(text: str) -> str:
    return text.replace(" ", "_")


def _all_pairs() -> tuple[tuple[str, str], ...]:
    return pairs("claim", "denies", "aspect", "people", "general")


@lru_cache(maxsize=20_000)
def form(word: str) -> str:
    """The common form of all inflections of a word in lower case: 'high' for 'higher', 'highly'."""
    for ending in () if word in _NO_COMPARATIVE else ("est", "er", "ly"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= 3:
            last = f"{bare[:-1]}y" if bare.endswith("i") else bare
            for item in (bare, f"{bare}e", last):
                if stem(item) in _known_words():
                    return stem(item)
    return stem(word)


def opposites(word: str) -> frozenset[str]:
    """The forms (see ``form``) of the opposites of a form in the vocabulary."""
    return _opposites().get(word, frozenset())


@lru_cache(maxsize=20_000)
def derived(word: str) -> frozenset[str]:
    """The possible opposites of a form by prefix or suffix: 'unsafe' of 'safe'."""
    return frozenset(item for item in chain(_by_beginning(word), _by_ending(word)) if item != word)


def _by_beginning(word: str) -> Iterator[str]:
    for beginning in _DENYING:
        if len(word) >= _LEAST:
            yield f"{beginning}{word}"
        if len(word) >= len(beginning) + _LEAST:
            yield word.removeprefix(beginning)
    for mine, theirs in affixes("beginning"):
        if word.startswith(mine) and len(word) >= len(mine) + _LEAST:
            yield f"{theirs}{word[len(mine) :]}"


def _by_ending(word: str) -> Iterator[str]:
    for mine, theirs in affixes("ending"):
        if word.endswith(mine) and len(word) >= len(mine) + _LEAST:
            yield f"{word[: len(word) - len(mine)]}{theirs}"
