"""Opposites: one vocabulary for all that use it.

The checks of statements, the comparison of documents and the planting of errors read the same file,
``opposites.tsv``. Its kinds: ``claim`` (only one of the two can be true of one thing), ``denies``
(likewise, but not exchanged in planted errors), ``aspect`` (each may be true of something else: the
left and the right lung), ``people``, and ``general`` for the rest, which only the checks of
statements read. Words that differ only in a prefix or suffix ('unsafe', 'hypokalemia', 'painless')
are listed only if the stem is too short for the rule; see ``derived``.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path

from anamnesis.language.lexicon import listed
from anamnesis.language.words import stem

_FILE = Path(__file__).with_name("opposites.tsv")
# Prefixes by which otherwise equal words are opposites.
_BEGINNINGS = (
    ("hyper", "hypo"), ("tachy", "brady"), ("pre", "post"), ("intra", "extra"), ("endo", "exo"),
    ("over", "under"), ("micro", "macro"), ("uni", "bi"), ("mono", "poly"),
    ("in", "ex"), ("in", "de"), ("inter", "intra"), ("sub", "super"), ("hyper", "a"),
)  # fmt: skip
_DENYING = listed("denying")
# Stems: 'painles' stands for 'painless'.
_ENDINGS = (("ful", "les"), ("y", "les"), ("penia", "cytosi"))
_NO_COMPARATIVE = frozenset(listed("no_comparative"))
_LEAST = 4
"""Minimum number of letters shared by words that are opposites by prefix or suffix."""


@cache
def pairs(*kinds: str) -> tuple[tuple[str, str], ...]:
    """The pairs of these kinds, in file order."""
    _, *lines = _FILE.read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return tuple((one, other) for one, other, kind in rows if kind in kinds)


@cache
def _known_words() -> frozenset[str]:
    return frozenset(stem(word.lower()) for pair in _all_pairs() for word in pair)


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in _all_pairs():
        mine, theirs = form(one.lower()), form(other.lower())
        if mine != theirs:
            found.setdefault(mine, set()).add(theirs)
            found.setdefault(theirs, set()).add(mine)
    return {word: frozenset(item) for word, item in found.items()}


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
    for one, other in _BEGINNINGS:
        for mine, theirs in ((one, other), (other, one)):
            if word.startswith(mine) and len(word) >= len(mine) + _LEAST:
                yield f"{theirs}{word[len(mine) :]}"


def _by_ending(word: str) -> Iterator[str]:
    for one, other in _ENDINGS:
        for mine, theirs in ((one, other), (other, one)):
            if word.endswith(mine) and len(word) >= len(mine) + _LEAST:
                yield f"{word[: len(word) - len(mine)]}{theirs}"
