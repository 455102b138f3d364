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
from nodes.checking.subject import DOSE, KIND, MEDICINE, RESULT
from nodes.evidence.safety import ABOVE_MAXIMUM, INSTRUCTION
from nodes.fields.codes import FailedCheck

ANTECEDENT = "antecedent"
"""The code of the check that a statement fails if it refers to one that is not shown."""

# Citations or links that the writer added.
_REFERENCE = re.compile(r"\[[^\[\]]+\]|【[^【】]+】|https?:\S+|www\.\S+", re.IGNORECASE)
_DOSE_KINDS = ("mass", "volume")
"""Kinds of amounts that must occur in the evidence itself: in the rest of the passage they may be
the dose of another drug."""
_MOST_REPORTED = 20
"""Maximum number of amounts of one statement that are reported."""


def failed_checks(statement: str, evidence: str, passage: str = "") -> list[FailedCheck]:
    """The checks that the statement fails, each with what failed.

    Empty if every check passes. ``CHECKS`` lists the codes and says when each check fails.
    ``evidence`` is the part of the passage that best supports the statement; ``passage`` is the
    whole passage, with its heading.
    """
    whole = passage if evidence in passage else f"{evidence}\n\n{passage}"
    return [
        {"code": code, "found": found}
        for code, check in CHECKS.items()
        if check.find is not None
        for found in check.find(statement, evidence, whole)
    ]


def describe_check(failed: FailedCheck) -> str:
    """A failed check as shown to a user: the check's message, and what failed."""
    code, found = failed["code"], failed["found"]
    message = CHECKS[code].message if code in CHECKS else code
    return f"{message}: {found}" if found else message


def values_by_kind(text: str) -> dict[str, set[float]]:
    """The values of the amounts with a unit, by kind of quantity, in that kind's smallest unit."""
    found: dict[str, set[float]] = {}
    for item in quantities(text):
        if item.kind and item.asked:
            found.setdefault(item.kind, set()).add(round(item.value, 6))
    return found


def _missing_amounts(statement: str, evidence: str, passage: str) -> list[str]:
    """The amounts in the statement, as written, that neither evidence nor passage contains.

    A dose must occur in the evidence, any other amount in the passage.
    """
    missing: list[str] = []
    for item in dict.fromkeys(quantities(statement)):
        is_dose = item.kind in _DOSE_KINDS or "/" in item.kind
        if item.asked and not _occurs_in(item, evidence if is_dose else passage):
            missing.append(item.written)
            if len(missing) == _MOST_REPORTED:
                break
    return missing


class _Amounts(NamedTuple):
    """The amounts in a text, their numbers, and the ``bare`` numbers: those without a unit."""

    all: tuple[Quantity, ...]
    numbers: frozenset[float]
    bare: frozenset[float]


def _occurs_in(quantity: Quantity, text: str) -> bool:
    """Whether the text has the same amount, in any unit."""
    found = _amounts(text)
    # If one of the two has no unit, only the numbers are compared.
    if quantity.number in (found.bare if quantity.kind else found.numbers):
        return True
    return any(same_amount(quantity, other) for other in found.all)


@lru_cache(maxsize=64)
def _amounts(text: str) -> _Amounts:
    found = tuple(dict.fromkeys(quantities(text)))
    return _Amounts(
        found,
        frozenset(item.number for item in found),
        frozenset(item.number for item in found if not item.kind),
    )


def _missing_references(statement: str, evidence: str, passage: str) -> list[str]:
    """The bracketed references and links in the statement that are not in the evidence."""
    lower = evidence.lower()
    return [item for item in _REFERENCE.findall(statement) if item.lower() not in lower]


class Check(NamedTuple):
    """A check of statements.

    ``message`` says when the check fails. ``find`` maps (statement, evidence, passage) to a list of
    what fails, empty if the statement passes. It is None if the check needs more than these texts;
    then the code that has them makes the check and adds it to the statement's ``failed``.
    """

    message: str
    find: Callable[[str, str, str], list[str]] | None = None


CHECKS: dict[str, Check] = {
    "number": Check(
        "an amount is not in the passage, or a dose not in the evidence", _missing_amounts
    ),
    "name": Check("a drug, a disease or a capitalised word is not in the passage", unknown_names),
    "reference": Check(
        "a bracketed reference or a link is not in the evidence", _missing_references
    ),
    "negation": Check(
        "the statement negates what the passage affirms, or affirms what the passage negates",
        lambda statement, _, passage: unlike_negations(statement, passage),
    ),
    "opposite": Check(
        "the statement uses the opposite of a word in the passage",
        lambda statement, _, passage: opposing(statement, passage),
    ),
    ANTECEDENT: Check("the sentence that the statement refers to is not shown"),
    KIND: Check(
        "the statement, or the heading of its source, is only about a different numbered or "
        "lettered type than the question asks about (type 1 instead of type 2, hepatitis B instead "
        "of A)"
    ),
    MEDICINE: Check("the source is about a different medicine than the question asks about"),
    RESULT: Check(
        "the source is about a low result and the question about a high one, or reversed"
    ),
    DOSE: Check("the source is about a maximum dose, which the question does not ask for"),
    INSTRUCTION: Check("a sentence gives orders to a model or its user"),
    ABOVE_MAXIMUM: Check("a dose is above the maximum daily dose in the table of doses"),
}
"""The checks by code. A new entry adds a check."""
