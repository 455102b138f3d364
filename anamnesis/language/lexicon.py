"""Classes of words, each written down once: ``lexicon.tsv`` has them, with their source.

A list of words elsewhere in the program is made of these classes and of what is its own.
"""

from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("lexicon.tsv")


@cache
def classes() -> dict[str, tuple[str, ...]]:
    """The words of each class, in lower case and in the order of the file."""
    _, *lines = _FILE.read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {name: tuple(words.split()) for name, words in rows}


def listed(*names: str, without: str = "") -> tuple[str, ...]:
    """The words of these classes in their order; ``without``: words that are left out."""
    left_out = without.split()
    return tuple(word for name in names for word in classes()[name] if word not in left_out)


def any_of(*names: str, without: str = "") -> str:
    """The words of these classes as alternatives of a pattern: 'is|are|was|were'."""
    return "|".join(listed(*names, without=without))
