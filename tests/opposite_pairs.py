"""Find the pairs of opposites that code writes, instead of taking them from the vocabulary.

A pair is a tuple or list of two texts, patterns or lists, or a key and a value of a dictionary.
"""

import ast
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from anamnesis.language.opposites import form, opposites
from tests.test_house import FLOORS, ROOT
from tests.word_lists import _of_pattern

Words = frozenset[str]


def pairs_in_code(root: Path = ROOT, packages: Iterable[str] = FLOORS) -> set[tuple[str, str]]:
    """The files that write pairs, each with a pair: 'more/less'."""
    return {
        (str(path.relative_to(root)), f"{one}/{other}")
        for package in packages
        for path in sorted((root / package).rglob("*.py"))
        for pair in _pairs(ast.parse(path.read_text("utf-8")))
        for one, other in product(*map(sorted, pair))
        if form(other) in opposites(form(one))
    }


def _pairs(tree: ast.Module) -> Iterator[tuple[Words, Words]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2:
            yield _words(node.elts[0]), _words(node.elts[1])
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None:
                    yield _words(key), _words(value)


def _words(node: ast.expr) -> Words:
    """The words of a text, of the alternatives of a pattern, or of a list of either."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return frozenset().union(*_of_pattern(node.value)) if node.value else frozenset()
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return frozenset().union(*map(_words, node.elts))
    return frozenset()
