"""Find the lists of words in the product, and those that share most of their words.

A list of words is a tuple, list, set or dictionary of words, a text that is split into words, the
alternatives of one group of a pattern, a class of the lexicon, or the names in a data file. What a
list takes from the lexicon by name is not counted, but for two lists that both take most of their
words from it. 'Infants?' is 'infant'. ``python -m tests.word_lists`` prints figures and pairs.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path

from anamnesis.language.lexicon import classes, listed
from anamnesis.language.words import FUNCTION_WORDS, stem
from tests.test_house import FLOORS, ROOT

LEAST = 8
"""Words that a list has at least to be counted and compared: two may share fewer by chance."""
LEAST_CONTENT, MANY = 4, 20
"""The same of words that are no function words; one more if either list has more than ``MANY``."""
SHARE = 0.6
FEW = 3
_WORD = re.compile(r"[a-zµμ]+(?:['’][a-z]+)?")
_VALUE = "\0"  # stands for a group, or for a value within an f-string
_AROUND = re.compile(
    rf"^\?(?:[:=!]|<[=!]|P<\w+>)|\\b|\[ \]|s?\?$|\\w(?:[*+]|\{{\d*,?\d*\}})|{_VALUE}\??"
)
_GLUE = frozenset(map(stem, FUNCTION_WORDS | {*listed("question", "subordinate", "within_time")}))
_NAMES = {"medicine", "other names", "names", "product", "focus"}
"""Columns of data files that list names."""


@dataclass(frozen=True)
class WordList:
    """Where a list stands, as ``file:NAME``, its words in lower case, and what it takes besides."""

    place: str
    words: frozenset[str]
    taken: frozenset[str] = frozenset()

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its own words."""
        return frozenset(map(stem, self.words))

    @cached_property
    def content(self) -> frozenset[str]:
        """The stems without those of function words."""
        return self.stems - _GLUE


@cache
def plain_classes() -> dict[str, list[str]]:
    """The words of each class of the lexicon without its signs; with hyphens for blanks."""
    return {
        name: [re.sub(r"=.*|\*\d?$", "", word).replace("_", "-").lower() for word in words]
        for name, words in classes().items()
    }


def word_lists(root: Path = ROOT, packages: Iterable[str] = FLOORS) -> list[WordList]:
    """Every list of enough words in the packages under a folder."""
    lists = _every(root, tuple(packages))
    return [one for one in lists if len(one.words) >= LEAST or len(one.content) >= LEAST_CONTENT]


def in_code(root: Path = ROOT, packages: Iterable[str] = FLOORS) -> list[WordList]:
    """The lists of ``LEAST`` words or more that are written in code, and not taken from data."""
    return [
        item
        for item in word_lists(root, packages)
        if ".py:" in item.place and "__all__" not in item.place and len(item.words) >= LEAST
    ]


def vocabulary(
    words: Iterable[str], least: int = FEW, root: Path = ROOT, packages: Iterable[str] = FLOORS
) -> list[WordList]:
    """Every list in the packages, however short, with ``least`` of these words."""
    stems = set(map(stem, words))
    every = _every(root, tuple(packages))
    lists = (item for item in every if not item.place.startswith("lexicon:"))
    return [item for item in lists if len(item.stems & stems) >= least]


@cache
def patterns(root: Path = ROOT) -> list[tuple[str, str]]:
    """The text of every pattern in the packages, with its file; with a sign for each value."""
    found = []
    for path in (path for package in FLOORS for path in sorted((root / package).rglob("*.py"))):
        tree = ast.parse(path.read_text("utf-8"))
        joined = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
        within = {id(part) for node in joined for part in node.values}
        for node in ast.walk(tree):
            text = _text(node) if id(node) not in within else None
            if text and ("|" in text or "\\" in text):
                found.append((str(path.relative_to(root)), text))
    return found


def _text(node: ast.AST) -> str | None:
    """What a text or an f-string says, with ``_VALUE`` for each of its values."""
    if isinstance(node, ast.JoinedStr):
        pieces = (part.value if isinstance(part, ast.Constant) else _VALUE for part in node.values)
        return "".join(map(str, pieces))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@cache
def _every(root: Path, packages: tuple[str, ...]) -> list[WordList]:
    named = plain_classes().items()
    found = [WordList(f"lexicon:{name}", frozenset(words)) for name, words in named]
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            for name, node in _places(ast.parse(path.read_text("utf-8"))):
                place = f"{path.relative_to(root)}:{name}"
                found += [WordList(place, *words) for words in _within(node)]
        for path in sorted((root / package).rglob("*.tsv")):
            if path.parent.name != "lexicon":
                found += _columns(path)
    return list(dict.fromkeys(found))


def duplicates(lists: list[WordList]) -> list[tuple[WordList, WordList]]:
    """The pairs of lists of which the smaller has ``SHARE`` of its words in common or more."""
    return [
        (one, other)
        for one, other in combinations(lists, 2)
        if one.place != other.place and _alike(one, other)
    ]


def _alike(one: WordList, other: WordList) -> bool:
    mine, theirs = one.stems, other.stems
    if min(len(mine), len(theirs)) >= LEAST and _most(mine, theirs, 0):
        return True
    least = LEAST_CONTENT + (max(len(one.content), len(other.content)) > MANY)
    if _most(one.content, other.content, least):
        return True
    if not (one.taken and other.taken):
        return False
    mine, theirs = one.words | one.taken, other.words | other.taken
    return len(mine & theirs) >= SHARE * len(mine | theirs)


def _most(one: frozenset[str], other: frozenset[str], least: int) -> bool:
    return len(one & other) >= max(least, SHARE * min(len(one), len(other)))


def _places(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The expressions that may have lists: what is assigned, compared with, or searched for."""
    within: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            within |= {id(node) for node in ast.walk(node)}
            yield ast.unparse(target), node.value
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if id(node) in within:
                    continue
                if isinstance(node, ast.Call) and _function(node).startswith("re."):
                    within |= {id(node) for node in ast.walk(node)}
                    yield function.name, node
                elif isinstance(node, ast.Compare | ast.BinOp):
                    within |= {id(node) for node in ast.walk(node)}
                    sides = node.comparators if isinstance(node, ast.Compare) else [node.right]
                    for side in [*sides, *([node.left] if isinstance(node, ast.BinOp) else [])]:
                        yield function.name, side


def _within(node: ast.expr) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The lists in an expression: their own words, and those taken from the lexicon.

    A ``Literal`` is a type, and the names in it are no list of words.
    """
    skipped: set[int] = set()
    classes: list[frozenset[str]] = []
    taken: set[str] = set()
    for part in ast.walk(node):
        if id(part) in skipped:
            continue
        if isinstance(part, ast.Call) and _takes(part):
            skipped |= {id(inner) for inner in ast.walk(part)}
            taken |= _taken(part)
        elif isinstance(part, ast.Subscript) and getattr(part.value, "id", "") == "Literal":
            skipped |= {id(inner) for inner in ast.walk(part)}
        elif isinstance(part, ast.JoinedStr):
            skipped |= {id(inner) for inner in ast.walk(part)}
            yield from ((words, frozenset()) for words in _of_pattern(_text(part) or ""))
        elif isinstance(part, ast.Tuple | ast.List | ast.Set | ast.Dict):
            members = part.keys if isinstance(part, ast.Dict) else part.elts
            words = [one for one in members if isinstance(one, ast.Constant)]
            if not any("|" in str(one.value) for one in words):
                skipped |= set(map(id, words))
                found = (_literal(one.value) for one in words if isinstance(one.value, str))
                classes.append(frozenset(filter(None, found)))
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            if "|" in part.value:
                yield from ((words, frozenset()) for words in _of_pattern(part.value))
            elif all(map(_literal, part.value.split())) and part.value.islower():
                classes.append(frozenset(part.value.split()))
    if taken:
        yield frozenset().union(*classes), frozenset(taken)
    else:
        yield from ((words, frozenset()) for words in classes)


def _takes(call: ast.Call) -> bool:
    """Whether a call takes words from the lexicon: 'listed(…)', 'map(listed, …)'."""
    first = ast.unparse(call.args[0]) if call.args else ""
    name = first if _function(call) == "map" else _function(call)
    return name in ("listed", "any_of", "forms", "negating")


def _function(call: ast.Call) -> str:
    """The name that a call has: 're.compile', 'listed'."""
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        return f"{call.func.value.id}.{call.func.attr}"
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _taken(call: ast.Call) -> set[str]:
    """The words that a call takes from the lexicon, as far as its arguments are written there."""
    inner = (part for argument in call.args for part in ast.walk(argument))
    names = [part.value for part in inner if isinstance(part, ast.Constant)]
    return {word for name in names for word in plain_classes().get(str(name), ())}


def _of_pattern(text: str) -> Iterator[frozenset[str]]:
    for group in _groups(text):
        yield frozenset(word for text in group if (word := _literal(text)))


def _groups(pattern: str) -> Iterator[list[str]]:
    """The alternatives of each group of a pattern.

    Those of a group within it count as its own if nothing or the beginning of a word stands before
    them: 'bab(?:y|ies)'.
    """
    stack = [[""]]
    signs = re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", pattern, re.DOTALL)
    for sign, following in zip(signs, [*signs[1:], ""], strict=True):
        if sign == "(":
            stack.append([""])
        elif sign == ")" and len(stack) > 1:
            inner = stack.pop()
            yield inner
            before = _AROUND.sub("", stack[-1][-1]).strip()
            ahead = inner[0].startswith(("?=", "?!", "?<"))
            if following in ("", "|", ")", "(") and re.fullmatch("[a-z]*", before) and not ahead:
                ends = [word for text in inner if (word := _literal(text))]
                stack[-1][:-1] += [before + end for end in ends]
            stack[-1][-1] += _VALUE
        elif sign == "|":
            stack[-1].append("")
        else:
            stack[-1][-1] += sign
    yield from reversed(stack)


def _literal(branch: str) -> str | None:
    """The word that an alternative is, without an ending that it may have; None if it is more."""
    text = "-".join(_AROUND.sub(" ", branch).lower().split())
    return text if text in _several() or _WORD.fullmatch(text) else None


@cache
def _several() -> frozenset[str]:
    """The entries of the lexicon that are several words: 'thank-you'."""
    return frozenset(word for words in plain_classes().values() for word in words if "-" in word)


def _columns(path: Path) -> Iterator[WordList]:
    """The columns of a data file that list names."""
    head, *rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    cells = (cell for row in rows for name, cell in zip(head, row, strict=False) if name in _NAMES)
    words = {word.strip() for cell in cells for word in cell.lower().split(",")}
    yield WordList(path.name, frozenset(filter(_WORD.fullmatch, words)))


def main() -> None:
    """Print the pairs and the figures."""
    every = word_lists()
    pairs = duplicates(every)
    for one, other in pairs:
        shared = one.stems & other.stems
        sizes = f"{len(shared)} of {len(one.words)} and {len(other.words)}"
        print(f"{one.place}  {other.place}  {sizes}: {' '.join(sorted(shared))}")
    words = sum(len(item.words) for item in every)
    print(f"{len(pairs)} pairs; {len(every)} lists; {words} words")


if __name__ == "__main__":
    main()
