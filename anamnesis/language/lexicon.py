"""Classes of words, each defined once: the files of ``lexicon/`` have them, with their source.

A file begins with a line that says what it has and from where. A row is the name of a class and its
words; a row without a name continues the one before. In a word, ``_`` stands for a blank, ``-`` in
a pattern for a blank, a hyphen or nothing, ``*`` at its end for any ending, and ``*5`` for one of
at most five letters; ``one=other`` says what a word stands for. No two classes have the same name.

Word lists elsewhere in the program consist of these classes and of a few words of their own.
"""

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("lexicon")
_ENDING = re.compile(r"\*(\d?)")


@cache
def classes() -> dict[str, tuple[str, ...]]:
    """The words of each class, as the files write them and in their order."""
    found: dict[str, list[str]] = {}
    for file in sorted(file for file in _FOLDER.iterdir() if file.suffix == ".tsv"):
        _, *lines = file.read_text("utf-8").splitlines()
        collected: list[str] = []
        for line in lines:
            name, words = line.split("\t")
            if name:
                collected = found[name] = []
            collected += words.split()
    return {name: tuple(words) for name, words in found.items()}


def listed(*names: str, without: str = "") -> tuple[str, ...]:
    """The words of these classes in order, except the words in ``without``."""
    left_out = without.split()
    every = (word for name in names for word in classes()[name])
    return tuple(word.replace("_", " ") for word in every if word not in left_out)


def any_of(*names: str, without: str = "") -> str:
    """The words of these classes as alternatives of a regular expression: 'is|are|was|were'."""
    words = "|".join(listed(*names, without=without))
    # Blanks first, in brackets: a verbose pattern skips others.
    words = words.replace(" ", "[ ]").replace("-", "[ -]?")
    return _ENDING.sub(lambda found: rf"\w{{0,{found[1]}}}", words)


def forms(name: str) -> dict[str, str]:
    """What the words of a class stand for: 'went' for 'go', of ``go=went``."""
    return {one: other for one, _, other in (word.partition("=") for word in listed(name))}
