"""Find the lists of words in the product, and those that share most of their words.

A list of words is a tuple, list, set or dictionary of words, a text that is split into words, the
alternatives of one group of a pattern, or a class of the lexicon. What a list takes from the
lexicon by name is not counted. ``python -m tests.word_lists`` prints the figures and the pairs.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from anamnesis.language.lexicon import classes
from tests.test_house import FLOORS, ROOT

LEAST = 8
"""Words that a list has at least: of fewer, some stand in two patterns by chance."""
SHARE = 0.6
_WORD = re.compile(r"[a-z]{2,}(?:['’][a-z]+)?")
_VALUE = "\0"  # stands for a group, or for a value within an f-string
_AROUND = re.compile(rf"^\?(?:[:=!]|<[=!]|P<\w+>)|\\b|\[ \]|s?\?$|\\w[*+]|{_VALUE}\??")


class WordList(NamedTuple):
    """Where a list stands, as ``file:NAME``, and its words in lower case."""

    place: str
    words: frozenset[str]


def word_lists(root: Path = ROOT, packages: Iterable[str] = FLOORS) -> list[WordList]:
    """Every list of ``LEAST`` words or more in a constant of the packages under a folder."""
    found = [WordList(f"lexicon.tsv:{name}", frozenset(own)) for name, own in classes().items()]
    for path in sorted(path for package in packages for path in (root / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                place = f"{path.relative_to(root)}:{ast.unparse(target)}"
                if not ast.unparse(target).islower():
                    found += [WordList(place, words) for words in _within(node.value)]
    return [own for own in found if len(own.words) >= LEAST]


def duplicates(lists: list[WordList]) -> list[tuple[WordList, WordList]]:
    """The pairs of lists of which the smaller has ``SHARE`` of its words in common or more."""
    return [
        (one, other)
        for one, other in combinations(lists, 2)
        if len(one.words & other.words) >= SHARE * min(len(one.words), len(other.words))
    ]


def _within(node: ast.expr) -> Iterator[frozenset[str]]:
    found = list(_texts(node))
    if any("|" in text for text in found):
        groups = [group for text in found for group in _groups(text)]
    else:
        groups = [[word for text in found for word in text.split()]]
        several = any(len(text.split()) > 1 for text in found)
        prose = several and ".split()" not in ast.unparse(node) and not isinstance(node, ast.Call)
        words = sum(_literal(word) is not None for word in groups[0])
        if prose or words < 0.8 * len(groups[0]):
            return
    for group in groups:
        yield frozenset(word for own in group if (word := _literal(own)))


def _texts(node: ast.expr) -> Iterator[str]:
    """The texts of an expression; of an f-string with a mark for its values."""
    within: set[int] = set()
    for own in ast.walk(node):
        if isinstance(own, ast.Call) and ast.unparse(own.func) in ("listed", "any_of"):
            within |= {id(part) for part in ast.walk(own)}
        if isinstance(own, ast.JoinedStr):
            within |= {id(part) for part in ast.walk(own)}
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else _VALUE for part in own.values
            )
        elif isinstance(own, ast.Constant) and isinstance(own.value, str) and id(own) not in within:
            yield own.value


def _groups(pattern: str) -> Iterator[list[str]]:
    """The alternatives of each group of a pattern, without those of the groups within it."""
    stack = [[""]]
    for sign in re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", pattern, re.DOTALL):
        if sign == "(":
            stack.append([""])
        elif sign == ")" and len(stack) > 1:
            yield stack.pop()
            stack[-1][-1] += _VALUE
        elif sign == "|":
            stack[-1].append("")
        else:
            stack[-1][-1] += sign
    yield from reversed(stack)


def _literal(branch: str) -> str | None:
    """The word that an alternative is, without an ending that it may have; None if it is more."""
    own = _AROUND.sub(" ", branch).strip().lower()
    return own if _WORD.fullmatch(own) else None


def main() -> None:
    """Print the pairs and the figures."""
    every = word_lists()
    pairs = duplicates(every)
    for one, other in pairs:
        shared = one.words & other.words
        sizes = f"{len(shared)} of {len(one.words)} and {len(other.words)}"
        print(f"{one.place}  {other.place}  {sizes}: {' '.join(sorted(shared))}")
    words = sum(len(own.words) for own in every)
    print(f"{len(pairs)} pairs; {len(every)} lists; {words} words")


if __name__ == "__main__":
    main()
