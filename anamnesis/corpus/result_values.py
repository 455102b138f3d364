"""Whether a text is about a low or a high result of a test: a table that ships with the program.

``result_values.tsv`` has, for each test, its names, the values that are clearly low or high in an
adult in either system of units, and the names of the conditions. Values near the limits, and those
that are low in one unit and normal in the other, are in neither column. The table only serves to
recognise a page about the opposite, and is not advice.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from anamnesis.corpus.shipped import damaged, lines, listed
from anamnesis.language.lexicon import any_of
from anamnesis.language.names import name_key

Direction = Literal["low", "high"]

_LOW = re.compile(rf"\b(?:{any_of('low_result')})\b", re.IGNORECASE)
_HIGH = re.compile(rf"\b(?:{any_of('high_result')})\b", re.IGNORECASE)
# A number that is no age, date, time or dose; of a blood pressure, the upper value.
_NUMBER = re.compile(
    r"(?<![\d./,-])(\d{1,5}(?:[.,]\d{1,3})?)(?:/\d{2,3})?(?![\d/]|[.,]\d)"
    rf"(?![ -]{{0,3}}(?:(?:{any_of('period')})s?|{any_of('no_result')}|m?c?g(?! ?(?:/|per)))\b)",
    re.IGNORECASE,
)
_NEAR = 60
"""Maximum characters between the name of a test and its value or its direction."""
_CLAUSE = re.compile(r"[.?!;:](?=\s|$)|\n")
Interval = tuple[float, float]


class Row(NamedTuple):
    """A test with its names, its low and high values, and the names of the two conditions."""

    name: str
    names: tuple[str, ...]
    values: dict[Direction, list[Interval]]
    conditions: dict[Direction, tuple[str, ...]]


@cache
def rows() -> Sequence[Row]:
    """The tests of the table. Raises CorpusError if it is damaged."""
    found = []
    for number, line in lines("result_values.tsv"):
        try:
            name, names, low, high, low_names, high_names, _ = line.split("\t")
            values: dict[Direction, list[Interval]] = {
                "low": _intervals(low), "high": _intervals(high),
            }  # fmt: skip
        except ValueError as error:
            raise damaged("result_values.tsv", number, error) from error
        conditions: dict[Direction, tuple[str, ...]] = {
            "low": listed(low_names), "high": listed(high_names),
        }  # fmt: skip
        found.append(Row(name, listed(names), values, conditions))
    return found


def _intervals(text: str) -> list[Interval]:
    pairs = (item.split("-") for item in listed(text))
    return [(float(least), float(most)) for least, most in pairs]


def measured(text: str) -> dict[str, Direction]:
    """The tests for which a text has a value that is clearly low or high, by name.

    A value follows the name in its clause. A test with values of both kinds is left out.
    """
    return _certain({test.name: _by_values(text, test) for test in rows()})


def directions(heading: str) -> dict[str, Direction]:
    """The tests of whose low or high result a heading speaks, by name.

    By values, by words such as *raised* near the name, and by the names of conditions. A test of
    which it says both is left out.
    """
    return _certain(
        {test.name: [*_by_values(heading, test), *_by_words(heading, test)] for test in rows()}
    )


def _certain(found: Mapping[str, Iterable[Direction]]) -> dict[str, Direction]:
    sets = ((name, set(each)) for name, each in found.items())
    return {name: each.pop() for name, each in sets if len(each) == 1}


def _by_values(text: str, test: Row) -> Iterator[Direction]:
    for match in _name(test.names).finditer(text):
        value = _NUMBER.search(_clause_after(text, match))
        if value and (direction := _of_value(value[1], test)):
            yield direction


def _by_words(text: str, test: Row) -> Iterator[Direction]:
    key = f" {name_key(text)} "
    for direction, names in test.conditions.items():
        if any(f" {name_key(name)} " in key for name in names):
            yield direction
    for match in _name(test.names).finditer(text):
        before = _CLAUSE.split(text[max(0, match.start() - _NEAR) : match.start()])[-1]
        near = f"{before} {_clause_after(text, match)}"
        if _LOW.search(near):
            yield "low"
        if _HIGH.search(near):
            yield "high"


def _clause_after(text: str, match: re.Match[str]) -> str:
    return _CLAUSE.split(text[match.end() : match.end() + _NEAR])[0]


@cache
def _name(names: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(names, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b", re.IGNORECASE)


def _of_value(written: str, test: Row) -> Direction | None:
    thousands = re.fullmatch(r"\d{1,2},\d{3}", written)
    value = float(written.replace(",", "" if thousands else "."))
    for direction, intervals in test.values.items():
        if any(least <= value <= most for least, most in intervals):
            return direction
    return None


def opposite_result(question: str, heading: str) -> str | None:
    """The result that a heading is about, if a value in the question is the opposite.

    None if they agree on any test, or have no test in common. Raises CorpusError if the table is
    damaged.
    """
    asked = measured(question)
    said = directions(heading) if asked else {}
    both = sorted(asked.keys() & said.keys())
    if not both or any(asked[name] == said[name] for name in both):
        return None
    return f"{said[both[0]]} {both[0]}"
