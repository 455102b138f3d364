"""Deterministic checks in addition to the critic: numbers, units, negations, opposites and names.

A language model confuses '5 mg' with '50 mg', 'an effect' with 'no effect' and one drug with
another too easily. These checks can only reject a supported statement, never accept an unsupported
one. ``benchmarks/checks.py`` measures each check separately.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from anamnesis.language.names import unknown_names
from anamnesis.language.negations import unlike_negations
from anamnesis.language.quantities import Quantity, quantities, same_amount
from nodes.checking.opposing import opposing
from nodes.evidence.safety import ABOVE_MAXIMUM, INSTRUCTION

ANTECEDENT = "antecedent"
"""The failed check of a statement that refers to one that is not shown."""

# Citations or links that the writer added.
_REFERENCE = re.compile(r"\[[^\[\]]+\]|【[^【】]+】|https?:\S+|www\.\S+", re.IGNORECASE)
_DOSED = ("mass", "volume")
"""Kinds of amounts that must occur in the evidence itself: elsewhere they may be another drug's."""
_MOST = 20
"""Maximum number of amounts of one statement that are reported."""


def failed_checks(statement: str, evidence: str, passage: str = "") -> list[str]:
    """The parts of the statement that its evidence does not contain, as 'code: part'.

    Empty if every check passes. ``CHECKS`` lists the codes and says when each check fails.
    ``passage`` is the text that contains the evidence, with its heading.
    """
    whole = passage if evidence in passage else f"{evidence}\n\n{passage}"
    return [
        f"{code}: {found}"
        for code, check in CHECKS.items()
        if check.find is not None
        for found in check.find(statement, evidence, whole)
    ]


def code_of(failed: str) -> str:
    """The code of an entry of ``failed_checks``."""
    return failed.partition(":")[0]


def describe_check(failed: str) -> str:
    """An entry of ``failed_checks`` as shown to a user: the message, and the part that failed."""
    code, _, found = failed.partition(": ")
    message = CHECKS[code].message if code in CHECKS else code
    return f"{message}: {found}" if found else message


def measures(text: str) -> dict[str, set[float]]:
    """The numbers with a unit, by kind of quantity, each in the smallest unit of that kind."""
    found: dict[str, set[float]] = {}
    for item in quantities(text):
        if item.kind and item.asked:
            found.setdefault(item.kind, set()).add(round(item.value, 6))
    return found


def _missing_amounts(statement: str, evidence: str, passage: str) -> list[str]:
    """The amounts in the statement that its source does not contain, as written."""
    unknown: list[str] = []
    for item in dict.fromkeys(quantities(statement)):
        dosed = item.kind in _DOSED or "/" in item.kind
        if item.asked and not _occurs_in(item, evidence if dosed else passage):
            unknown.append(item.written)
            if len(unknown) == _MOST:
                break
    return unknown


class _Amounts(NamedTuple):
    there: tuple[Quantity, ...]
    numbers: frozenset[float]
    bare: frozenset[float]


def _occurs_in(quantity: Quantity, text: str) -> bool:
    found = _amounts(text)
    # If one of the two has no unit, only the numbers are compared.
    if quantity.number in (found.bare if quantity.kind else found.numbers):
        return True
    return any(same_amount(quantity, other) for other in found.there)


@lru_cache(maxsize=64)
def _amounts(text: str) -> _Amounts:
    there = tuple(dict.fromkeys(quantities(text)))
    return _Amounts(
        there,
        frozenset(item.number for item in there),
        frozenset(item.number for item in there if not item.kind),
    )


def _references(statement: str, evidence: str, passage: str) -> list[str]:
    there = evidence.lower()
    return [item for item in _REFERENCE.findall(statement) if item.lower() not in there]


class Check(NamedTuple):
    """A check of statements: what its failure means, and how it is found.

    ``find`` maps (statement, evidence, passage) to the list of its findings. ``find`` is None if
    the check needs more than these texts; the step that has the rest adds the code.
    """

    message: str
    find: Callable[[str, str, str], list[str]] | None = None


CHECKS: dict[str, Check] = {
    "number": Check(
        "an amount is not in the passage, or a dose not in the evidence", _missing_amounts
    ),
    "name": Check("a drug, a disease or a capitalised word is not in the passage", unknown_names),
    "reference": Check("a bracketed reference or a link is not in the evidence", _references),
    "negation": Check(
        "the statement negates what the passage affirms, or affirms what the passage negates",
        lambda statement, _, passage: unlike_negations(statement, passage),
    ),
    "opposite": Check(
        "the statement uses the opposite of a word in the passage",
        lambda statement, _, passage: opposing(statement, passage),
    ),
    ANTECEDENT: Check("the sentence that the statement refers to is not shown"),
    INSTRUCTION: Check("a sentence gives orders to a model or its user"),
    ABOVE_MAXIMUM: Check("a dose is above the maximum daily dose in the table of doses"),
}
"""The checks by the codes in ``failed_checks``, each with its message; a new entry adds a check."""
