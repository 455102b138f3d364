"""Word classes, each defined once: ``lexicon.tsv`` has them, with their source.

Word lists elsewhere in the program consist of these classes and of words of their own.
"""

from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("lexicon.tsv")


@cache
def classes() -> dict[str, tuple[str, ...]]:
    """The words of each class, in lower case and in file order."""
    _, *lines = _FILE.read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {name: tuple(words.split()) for name, words in rows}


def listed(*names: str, without: str = "") -> tuple[str, ...]:
    """The words of these classes in order, except the words in ``without``."""
    left_out = without.split()
    return tuple(word for name in names for word in classes()[name] if word not in left_out)


def any_of(*names: str, without: str = "") -> str:
    """The words of these classes as alternatives of a regular expression: 'is|are|was|were'.

    What has a hyphen in the file may be written with a blank or in one word as well.
    """
    return "|".join(listed(*names, without=without)).replace("-", "[ -]?")
