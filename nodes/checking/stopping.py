"""Find the treatment that a sentence says to stop, and sentences that say to continue it."""

import re
from collections.abc import Collection

from anamnesis.corpus.doses import in_table
from anamnesis.language.lexicon import any_of, listed
from anamnesis.language.names import is_drug
from anamnesis.language.negations import has_negation, negating
from anamnesis.language.text import tokenize
from anamnesis.language.words import content_terms

_PREFIX = 5
"""Number of initial letters that words for the same thing share: inhaler, inhaled."""

_STOP = re.compile(
    rf"\b(?:{any_of('stop')})(?: (?:{any_of('stopped_thing')})){{0,4}}"
    r"(?P<what> (?!\w{1,20}ing\b)[\w'-]{1,30}(?: [\w'-]{1,30})?)",
    re.IGNORECASE,
)
# Beginnings of words that name treatments, in addition to names of medicines.
_TREATMENTS = listed("treatment")
_NOT_STOP = re.compile(
    rf"\b(?:{negating()})\b(?: \w{{1,20}}){{0,3}} (?:stop|discontinu|quit)"
    r"|\bwithout (?:us|tak)|\b(?:keep|continue)\b",
    re.IGNORECASE,
)
# Stopping under a condition, or stopping a habit, is not advice to stop a treatment.
_DEPENDS = re.compile(rf"\b(?:{any_of('stop_depends')}|(?<!at )once)\b", re.IGNORECASE)
_STOPPED = re.compile(
    r"(?P<what>[\w'-]{1,30}) (?:should|must|has to|have to|needs? to|ought to) (?:all )?be"
    r" (?:\w{1,20}ly )?(?:stopped|discontinued|abandoned|thrown away|given up)\b",
    re.IGNORECASE,
)
_TAKING = re.compile(r"\b(?:taking|using)\b", re.IGNORECASE)
_USES = re.compile(rf"\b(?:{any_of('use_of_treatment')})\b", re.IGNORECASE)


def named_medicine(word: str) -> str | None:
    """The medicine that a lower-case word names, or None if it names no known medicine."""
    return in_table(word) or (word if is_drug(word) else None)


def stopped_in(statement: str) -> set[str]:
    """The beginnings of the words that name what a statement says to stop unconditionally."""
    found = _STOPPED.search(statement) or _STOP.search(statement)
    if not found or has_negation(statement):
        return set()
    if _NOT_STOP.search(statement) or _DEPENDS.search(statement):
        return set()
    # Anything that is 'taken' or 'used' is a treatment.
    taken = set(content_terms(found["what"])) if _TAKING.search(found[0]) else set()
    return {
        word[:_PREFIX]
        for word in tokenize(found["what"])
        if word.startswith(_TREATMENTS) or named_medicine(word) or word in taken
    }


def goes_on(sentence: str, stopped: Collection[str]) -> bool:
    """Whether a sentence says to use a treatment that another sentence says to stop."""
    if not any(word[:_PREFIX] in stopped for word in tokenize(sentence)):
        return False
    if _NOT_STOP.search(sentence):
        return True
    return bool(_USES.search(sentence)) and not (
        has_negation(sentence) or _STOP.search(sentence) or sentence.endswith("?")
    )
