"""Deterministic checks beside the critic: numbers, units and negations.

A model of meaning takes '5 mg' for '50 mg' and 'an effect' for 'no effect' too easily. These
checks can only turn a supported statement down, never an unsupported one up.
"""

import re

from anamnesis.text import tokenize
from nodes.words import stem

_NUMBER = re.compile(
    r"(?<![\w.])(\d+(?:,\d{3})+|\d+)(\.\d+)?\s*(?:-\s*)?"
    r"(%|percent|per cent|µg|μg|mcg|micrograms?|mg|milligrams?|kg|kilograms?|g|grams?|ml|millilit(?:re|er)s?"
    r"|l|lit(?:re|er)s?|mmhg|mmol(?:/l)?|mg/dl|iu|units?|°c|°f|degrees?|seconds?|minutes?|hours?|days?"
    r"|weeks?|months?|years?|times?|doses?|tablets?|cm|mm|inch(?:es)?|pounds?|ounces?|cups?|calories)?(?![\w])",
    re.IGNORECASE,
)
_WORD_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "half": "0.5"}
# 'one' and 'half' are too often no number ('one of the', 'no one') to be asked for.
_ASKED_WORDS = set(_WORD_NUMBERS) - {"one", "half", "zero"}
_UNITS = {
    "percent": "%", "per cent": "%", "µg": "mcg", "μg": "mcg", "microgram": "mcg", "milligram": "mg",
    "kilogram": "kg", "gram": "g", "millilitre": "ml", "milliliter": "ml", "litre": "l", "liter": "l",
    "inche": "inch",
}  # fmt: skip
_NEGATION = re.compile(
    r"\b(no|not|never|none|neither|nor|without|cannot|\w+n't|unable|absence|lacks?|lacking|fail(?:s|ed)? to)\b",
    re.IGNORECASE,
)
_SCOPE = 6
_WEAK = frozenset(
    "a an the of to in on at by for and or be been is are was were do does did have has had can could "
    "may might will would should any it its this that these those with as from".split()
)


def _numbers(text: str) -> list[tuple[str, str, str]]:
    """(as written, value, unit or '') of every number in figures."""
    found = []
    for match in _NUMBER.finditer(text):
        whole, fraction, unit = match.groups()
        value = whole.replace(",", "") + (fraction or "")
        value = value.rstrip("0").rstrip(".") if "." in value else value
        unit = (unit or "").lower()
        if len(unit) > 2 and unit.endswith("s"):
            unit = unit[:-1]
        found.append((match.group().strip(), value, _UNITS.get(unit, unit)))
    return found


def _negated(text: str) -> list[set[str]]:
    """The stems in the scope of each negation: the few words that follow it."""
    text = text.replace("’", "'")
    return [
        {
            stem(word)
            for word in [w for w in tokenize(text[match.end() :]) if w not in _WEAK][:_SCOPE]
        }
        for match in _NEGATION.finditer(text)
    ]


def failed_checks(statement: str, evidence: str) -> list[str]:
    """What in the statement its evidence does not bear out; empty if nothing is found.

    Every number in figures must occur in the evidence, with its unit where it has one; number
    words from two on likewise. A negation in the statement needs one in the evidence over a
    word they share, and what the evidence negates the statement must not affirm.
    """
    failed = []
    there = _numbers(evidence)
    values = {value for _, value, _ in there}
    words = set(tokenize(evidence))
    values |= {_WORD_NUMBERS[word] for word in words & set(_WORD_NUMBERS)}
    with_unit = {(value, unit) for _, value, unit in there if unit}
    for written, value, unit in _numbers(statement):
        bare = value in values and not any(value == other for other, _ in with_unit)
        if value not in values or (unit and (value, unit) not in with_unit and not bare):
            failed.append(f"the number {written}")
    for word in tokenize(statement):
        if word in _ASKED_WORDS and _WORD_NUMBERS[word] not in values:
            failed.append(f"the number {word}")
    said, shown = _negated(statement), _negated(evidence)
    stems = {stem(word) for word in tokenize(statement)}
    free = _outside(statement)
    if any(scope and not any(scope & other for other in shown) for scope in said):
        failed.append("a negation that the evidence does not have")
    elif any(
        scope and len(scope & stems) >= max(1, len(scope) // 2) and scope & free and not said
        for scope in shown
    ):
        failed.append("a negation that the evidence has")
    return failed


def _outside(text: str) -> set[str]:
    """The stems of a text that no negation of its own covers."""
    covered = set().union(*_negated(text)) if _negated(text) else set()
    return {stem(word) for word in tokenize(text)} - covered
