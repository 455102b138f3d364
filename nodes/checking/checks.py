"""Deterministic checks in addition to the critic: numbers, units, negations, opposites and names.

A language model confuses '5 mg' with '50 mg', 'an effect' with 'no effect' and one drug with
another too easily. These checks can only turn a supported statement down, never an unsupported one
up. ``benchmarks/checks.py`` measures each check separately.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from anamnesis.language.names import is_drug, unknown_names
from anamnesis.language.negations import negated, unlike_negations, without_negations
from anamnesis.language.quantities import Quantity, quantities, same_amount
from nodes.checking.opposing import opposing

__all__ = [
    "CHECKS", "code_of", "failed_checks", "is_drug", "measures", "negated", "without_negations",
]  # fmt: skip

# Citations or links that the writer added.
_REFERENCE = re.compile(r"\[[^\[\]]+\]|【[^【】]+】|https?:\S+|www\.\S+", re.IGNORECASE)
_DOSED = ("mass", "volume")
"""Kinds of amounts that must occur in the evidence itself: elsewhere they may be another drug's."""
_MOST = 20
"""Maximum number of amounts of one statement that are reported."""


def failed_checks(statement: str, evidence: str, passage: str = "") -> list[str]:
    """The parts of the statement that its evidence does not say, as 'code: what'.

    Empty if every check passes. The codes are those of ``CHECKS``. ``passage`` is the text that
    contains the evidence, with its heading: what it says counts as known.

    - ``number``: every amount must occur in the passage, in any unit; a dose in the evidence.
    - ``name``: a name (a drug's, a disease's, or a capitalised word within a sentence) must
      occur in the passage. A drug's name must occur in the evidence if that names another drug.
    - ``reference``: a bracketed reference or a link must occur in the evidence.
    - ``negation``: what the passage says without a negation the statement must not negate, and
      what it only negates the statement must not affirm.
    - ``opposite``: the statement must not have the opposite of what the passage has (raise and
      lower, safe and unsafe).
    """
    whole = passage if evidence in passage else f"{evidence}\n\n{passage}"
    return [
        f"{code}: {found}"
        for code, check in CHECKS.items()
        for found in check(statement, evidence, whole)
    ]


def code_of(failed: str) -> str:
    """The code of an entry of ``failed_checks``."""
    return failed.partition(":")[0]


def measures(text: str) -> dict[str, set[float]]:
    """The numbers with a unit, by quantity, each in the smallest unit of that quantity."""
    found: dict[str, set[float]] = {}
    for own in quantities(text):
        if own.kind and own.asked:
            found.setdefault(own.kind, set()).add(round(own.value, 6))
    return found


def _numbers(statement: str, evidence: str, passage: str) -> list[str]:
    """The amounts of the statement that its source does not have, as written."""
    unknown: list[str] = []
    for own in dict.fromkeys(quantities(statement)):
        dosed = own.kind in _DOSED or "/" in own.kind
        if own.asked and not _among(own, evidence if dosed else passage):
            unknown.append(own.written)
            if len(unknown) == _MOST:
                break
    return unknown


class _Amounts(NamedTuple):
    there: tuple[Quantity, ...]
    numbers: frozenset[float]
    bare: frozenset[float]


def _among(own: Quantity, text: str) -> bool:
    found = _amounts(text)
    # If one of the two has no unit, only the numbers are compared.
    if own.number in (found.bare if own.kind else found.numbers):
        return True
    return any(same_amount(own, other) for other in found.there)


@lru_cache(maxsize=64)
def _amounts(text: str) -> _Amounts:
    there = tuple(dict.fromkeys(quantities(text)))
    return _Amounts(
        there,
        frozenset(own.number for own in there),
        frozenset(own.number for own in there if not own.kind),
    )


def _references(statement: str, evidence: str, passage: str) -> list[str]:
    there = evidence.lower()
    return [own for own in _REFERENCE.findall(statement) if own.lower() not in there]


CHECKS: dict[str, Callable[[str, str, str], list[str]]] = {
    "number": _numbers,
    "name": unknown_names,
    "reference": _references,
    "negation": lambda statement, _, passage: unlike_negations(statement, passage),
    "opposite": lambda statement, _, passage: opposing(statement, passage),
}
"""The checks by code. Each maps (statement, evidence, passage) to the list of its findings; one
entry adds one.
"""
