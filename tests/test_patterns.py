"""No pattern, and no function that reads what others wrote, is slower than its text is long."""

import ast
import builtins
import importlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from anamnesis.text import sentences, tidy
from app.bodies import RefusedError, look_through
from corpus.doses import above_maximum
from corpus.markup import blocks_apart, plain_markdown
from corpus.passage import Passage
from corpus.wrapping import unwrap
from memory.clauses import clauses
from memory.extract import extract
from models.redaction import Redaction
from models.scrub import scrubbed
from nodes.checks import failed_checks
from nodes.declarative import hypothesis, negated, statement_of
from nodes.differing import differs_in_detail
from nodes.disagreeing import disagreeing
from nodes.draft import Written, WrittenStatement, read_text, read_written
from nodes.followup import stand_alone
from nodes.offers import accepted_offer
from nodes.options import read_options
from nodes.orders import gives_orders
from nodes.premise import premise_of
from nodes.safety import without_orders
from nodes.stopping import stopped_in
from nodes.units import units
from nodes.urgency import urgency
from retrievers.spelling import Speller
from tests.hostile import LONG, LONGEST, hostile, repeated, seconds_of, slow
from tests.test_house import FLOORS, ROOT

USES: dict[str, Callable[["re.Pattern[Any]"], Callable[[Any], object]]] = {
    "match": lambda own: own.match,
    "fullmatch": lambda own: own.fullmatch,
    "search": lambda own: own.search,
    "finditer": lambda own: lambda text: sum(1 for _ in own.finditer(text)),
}
SAME = dict.fromkeys(("sub", "subn", "split", "findall"), "finditer")
SCREEN = 3_000
"""Characters of the texts of which the hardest are then tried longer."""
WITHIN = {"finditer": {"search", "match"}, "search": {"match"}}
"""What a use of a pattern does on the way: tried with it."""
HARDEST = 2
"""So many are tried with up to 40,000 characters, and the first of them with 400,000."""


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


def uses_of(tree: ast.Module, name: str) -> set[str]:
    """The methods of a pattern that a module uses; the slowest where it only hands it on."""
    found: set[str] = set()
    known = set()
    for node in ast.walk(tree):
        own = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(node, ast.Attribute) and isinstance(own, ast.Name) and own.id == name:
            known.add(id(own))
            found |= {SAME.get(node.attr, node.attr)} & set(USES)
    for node in ast.walk(tree):
        loads = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if loads and node.id == name and id(node) not in known:  # type: ignore[attr-defined]
            found.add("finditer")
    return found


def patterns() -> dict["re.Pattern[Any]", tuple[str, set[str]]]:
    """Every pattern that a module or a class of it holds: its name, and how it is used."""
    trees = sources()
    found: dict[re.Pattern[Any], tuple[str, set[str]]] = {}
    for module, tree in trees.items():
        if not any(isinstance(n, ast.Import) and n.names[0].name == "re" for n in ast.walk(tree)):
            continue
        for name, value in list(vars(importlib.import_module(module)).items()):
            if name.startswith("__"):
                continue
            own = isinstance(value, type) and value.__module__ == module
            for pattern in held(list(vars(value).values()) if own else value):
                uses = found.setdefault(pattern, (f"{module}.{name}", set()))[1]
                for other, elsewhere in trees.items():
                    if other == module or imports(elsewhere, module, name):
                        uses |= uses_of(elsewhere, name)
    return found


def imports(tree: ast.Module, module: str, name: str) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == module
        and name in {one.name for one in node.names}
        for node in tree.body
    )


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
            named = [own for own in ast.walk(node) if isinstance(own, ast.Attribute)]
            flags = 0
            for own in named:
                if isinstance(own.value, ast.Name) and own.value.id == "re" and own.attr.isupper():
                    flags |= int(getattr(re, own.attr))
            yield f"{module}, line {node.lineno}", re.compile(str.__str__(written), flags), use


def worst(pattern: "re.Pattern[Any]", uses: set[str]) -> str:
    """What the pattern is too slow for, or ''."""
    made = hostile(pattern)
    within = {other for use in uses for other in WITHIN.get(use, ())}
    for use in (uses - within) or {"finditer"}:
        apply = USES[use](pattern)
        binary = isinstance(pattern.pattern, bytes)

        def call(text: str, apply: Any = apply, binary: bool = binary) -> object:
            return apply(text.encode() if binary else text)

        # What is the slowest of a short text is tried with a long one.
        order = sorted(made, key=lambda one: -seconds_of(call, repeated(*one)(SCREEN)))
        for place, one in enumerate(order[:HARDEST]):
            if found := slow(call, repeated(*one), LONG if place else LONGEST):
                return f"{use} of {found}"
    return ""


def test_no_pattern_is_slower_than_its_text_is_long() -> None:
    every = patterns()
    assert len(every) > 300
    found = {name: worst(pattern, uses) for pattern, (name, uses) in every.items()}
    assert not {name: why for name, why in found.items() if why}


def test_no_pattern_that_a_function_writes_is_slower_than_its_text_is_long() -> None:
    every = list(inline())
    assert len(every) > 40
    found = {place: worst(pattern, {use}) for place, pattern, use in every}
    assert not {place: why for place, why in found.items() if why}


def test_a_slow_pattern_is_found() -> None:
    assert worst(re.compile(r"^\W*(?:so|and|but)?\W*since"), {"match"})
    assert worst(re.compile(r"<!--.*?-->", re.DOTALL), {"finditer"})
    assert not worst(re.compile(r"\w+"), {"finditer"})


def test_what_is_slow_in_a_long_text_only_is_found() -> None:
    assert worst(re.compile(r"(?:[a A-Z1(._-]{0,20}!)?(?<=b{400})b*c"), {"finditer"})

    def late(text: str) -> int:
        return sum(text.count("not", at) for at in range(len(text[1_000:]) // 4))

    assert slowest(late)
    assert not slowest(len)


def slowest(read: Callable[[str], object]) -> str:
    """What a function is too slow for of the texts that take it longest, or ''."""
    made = [repeated("", piece, "") for piece in PIECES]
    order = sorted(made, key=lambda one: -seconds_of(read, one(SCREEN)))
    found = (slow(read, one, LONG if at else LONGEST) for at, one in enumerate(order[:HARDEST]))
    return next(filter(None, found), "")


SPELLER = Speller({"aspirin": 5, "asthma": 9, "since": 3}, lambda word: False)


def against(text: str) -> object:
    """A dose and a stop, held against the text, and the text held against a dose."""
    own = Passage("a#0", "a", 0, len(text), text, "Ibuprofen")
    other = replace(own, id="b#0", record_id="b", text="Take 10 mg of ibuprofen a day.")
    said = "Stop taking ibuprofen.", "Take 900 mg of ibuprofen a day."
    return [*(disagreeing(one, other, [own]) for one in said), disagreeing(text, own, [other])]


def looked_through(text: str) -> None:
    for body in text, json.dumps({"input": {"question": text}}), '{"input": [' + text:
        with suppress(RefusedError):
            look_through(body.encode())


def redacted(text: str) -> object:
    return Redaction().hidden([HumanMessage(text)])


READERS: dict[str, Callable[[str], object]] = {
    "sentences": sentences,
    "tidy": tidy,
    "units": lambda text: units(text),
    "premise_of": premise_of,
    "urgency": urgency,
    "failed_checks": lambda text: failed_checks(text, text),
    "statement_of": statement_of,
    "negated": negated,
    "hypothesis": lambda text: hypothesis(text, "aspirin"),
    "accepted_offer": lambda text: accepted_offer("yes", text),
    "stand_alone": lambda text: stand_alone("and for children?", text, "gout"),
    "above_maximum": lambda text: above_maximum(text),
    "clauses": lambda text: list(clauses(text)),
    "extract": lambda text: extract(text, "what helps?"),
    "redaction": redacted,
    "plain_markdown": plain_markdown,
    "blocks_apart": blocks_apart,
    "unwrap": unwrap,
    "gives_orders": gives_orders,
    "without_orders": without_orders,
    "disagreeing": against,
    "stopped_in": stopped_in,
    "scrubbed": lambda text: scrubbed(text, [text]),
    "differs_in_detail": lambda text: differs_in_detail(text, f"{text} 5"),
    "read_options": lambda text: read_options([f"a{text}", "gout"]),
    "read_text": lambda text: read_text(text, ["a#0"], {"A": "gout", "B": "asthma"}),
    "read_written": lambda text: read_written(
        Written(found=True, statements=[WrittenStatement(text=text, citations=[1])]), ["a#0"], {}
    ),
    "repair": SPELLER.repair,
    "look_through": looked_through,
}
PIECES = (
    *(
        "(",
        ")",
        " ",
        "\n",
        "a",
        "a ",
        "A. ",
        "e.g. ",
        ". ",
        "?",
        "- a ",
        "1. ",
        "[",
        "[1] ",
        ", ",
        ": ",
    ),
    *(
        "why does ",
        "since a ",
        "is it ",
        "not ",
        "500 mg ",
        "I have a ",
        "Mrs A ",
        "<p",
        "<!--",
        "**a",
    ),
)


@pytest.mark.parametrize("name", READERS)
def test_no_reader_of_words_is_slower_than_they_are_long(name: str) -> None:
    assert not slowest(READERS[name])
