"""No pattern is slower than its text is long."""

import ast
import builtins
import importlib
import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from tests import hostile
from tests.hostile import LONG, slowest
from tests.test_house import FLOORS, ROOT

USES: dict[str, Callable[["re.Pattern[Any]"], Callable[[Any], object]]] = {
    "match": lambda pattern: pattern.match,
    "fullmatch": lambda pattern: pattern.fullmatch,
    "search": lambda pattern: pattern.search,
    "finditer": lambda pattern: lambda text: deque(pattern.finditer(text), maxlen=0),
}
SAME = dict.fromkeys(("sub", "subn", "split", "findall"), "finditer")
WITHIN = {"finditer": {"search", "match"}, "search": {"match"}}
"""What a use of a pattern does on the way: tried with it."""


@cache
def sources() -> dict[str, ast.Module]:
    """The trees of the product's modules by their names."""
    found = {}
    for package in FLOORS:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = ast.parse(path.read_text("utf-8"))
    return found


def held(value: object, depth: int = 0) -> Iterator["re.Pattern[Any]"]:
    """The patterns that a value is or holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict) and depth < 4:
        for one in [*value.keys(), *value.values()]:
            yield from held(one, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset) and depth < 4:
        for one in value:
            yield from held(one, depth + 1)


def uses_of(tree: ast.Module) -> dict[str, set[str]]:
    """The methods of a pattern that a module uses, by the pattern's name there.

    The slowest where it only hands the pattern on.
    """
    found: dict[str, set[str]] = {}
    known = set()
    loaded = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            known.add(id(node.value))
            uses = {SAME.get(node.attr, node.attr)} & set(USES)
            found.setdefault(node.value.id, set()).update(uses)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            loaded.append(node)
    for name in loaded:
        if id(name) not in known:
            found.setdefault(name.id, set()).add("finditer")
    return found


def imported(tree: ast.Module) -> set[tuple[str | None, str]]:
    """The modules and names that a module imports from them."""
    return {
        (node.module, one.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for one in node.names
    }


@cache
def patterns() -> dict["re.Pattern[Any]", tuple[str, set[str]]]:
    """Every pattern that a module or a class of it holds: its name, and how it is used."""
    trees = sources()
    used = {module: uses_of(tree) for module, tree in trees.items()}
    from_others = {module: imported(tree) for module, tree in trees.items()}
    found: dict[re.Pattern[Any], tuple[str, set[str]]] = {}
    for module, tree in trees.items():
        if not any(isinstance(n, ast.Import) and n.names[0].name == "re" for n in ast.walk(tree)):
            continue
        for name, value in list(vars(importlib.import_module(module)).items()):
            if name.startswith("__"):
                continue
            is_local = isinstance(value, type) and value.__module__ == module
            for pattern in held(list(vars(value).values()) if is_local else value):
                uses = found.setdefault(pattern, (f"{module}.{name}", set()))[1]
                for other in trees:
                    if other == module or (module, name) in from_others[other]:
                        uses |= used[other].get(name, set())
    return found


class _Word(str):
    """A word, whichever part of it is asked for."""

    def __getitem__(self, key: object) -> str:
        return str(self)


class _Anything(dict[str, Any]):
    """The names of a module; any other name is a function's own, and stands for a word."""

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            raise KeyError(name)
        return _Word("aspirin")


def inline() -> Iterator[tuple[str, "re.Pattern[Any]", str]]:
    """Patterns that functions write where they use them: the place, the pattern, how it is used."""
    for module, tree in sources().items():
        for node in ast.walk(tree):
            call = node.func if isinstance(node, ast.Call) else None
            if not (isinstance(call, ast.Attribute) and ast.unparse(call.value) == "re"):
                continue
            use = SAME.get(call.attr, call.attr)
            if use not in USES:
                continue
            names = _Anything(vars(importlib.import_module(module)))
            written = eval(ast.unparse(node.args[0]), {}, names)
            named = [node for node in ast.walk(node) if isinstance(node, ast.Attribute)]
            flags = 0
            for value in named:
                if (
                    isinstance(value.value, ast.Name)
                    and value.value.id == "re"
                    and value.attr.isupper()
                ):
                    flags |= int(getattr(re, value.attr))
            yield f"{module}, line {node.lineno}", re.compile(str.__str__(written), flags), use


def worst(pattern: "re.Pattern[Any]", uses: set[str]) -> str:
    """What the pattern is too slow for, or ''."""
    made = hostile.hostile(pattern)
    within = {other for use in uses for other in WITHIN.get(use, ())}
    for use in (uses - within) or {"finditer"}:
        apply = USES[use](pattern)
        binary = isinstance(pattern.pattern, bytes)

        def call(text: str, apply: Any = apply, binary: bool = binary) -> object:
            return apply(text.encode() if binary else text)

        if found := slowest(call, made):
            return f"{use} of {found}"
    return ""


PARTS = 8
"""All patterns take minutes on a busy machine: more than one test may take."""


@pytest.mark.parametrize("part", range(PARTS))
def test_no_pattern_is_slower_than_its_text_is_long(part: int) -> None:
    every = list(patterns().items())
    assert len(every) > 300
    found = {name: worst(pattern, uses) for pattern, (name, uses) in every[part::PARTS]}
    assert not {name: why for name, why in found.items() if why}


def test_no_pattern_that_a_function_writes_is_slower_than_its_text_is_long() -> None:
    every = list(inline())
    assert len(every) > 40
    found = {place: worst(pattern, {use}) for place, pattern, use in every}
    assert not {place: why for place, why in found.items() if why}


def test_a_slow_pattern_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(hostile, "TRIES", 2)  # more of them acquit, and none is acquitted here
        assert worst(re.compile(r"^\W*(?:so|and|but)?\W*since"), {"match"})
        assert worst(re.compile(r"<!--.*?-->", re.DOTALL), {"finditer"})
    assert not worst(re.compile(r"\w+"), {"finditer"})


def test_what_is_slow_in_a_long_text_only_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def cost(_: object, text: str) -> float:
        return 2e-8 * len(text) * max(1, len(text) / LONG)

    monkeypatch.setattr(hostile, "seconds_of", cost)  # measured, it would be the machine's time too
    assert worst(re.compile(r"a+b"), {"finditer"})
