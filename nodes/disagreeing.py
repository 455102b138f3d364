"""Where sources disagree on a dose, or on whether a treatment is to be stopped.

A source that is alone with such a thing is never shown by itself: the statement comes with what
another source says. The words and figures decide, for a critic takes 2 g for 4 g too easily.
"""

import re
from collections.abc import Sequence

from anamnesis.text import sentences, tokenize
from anamnesis.words import content_terms, stem
from corpus.doses import Dose, doses, has_amount, in_table
from corpus.passage import Passage
from nodes.checks import is_drug, negated
from nodes.safety import unsafe
from nodes.state import Evidence

_APART = 2.0
"""How many times another source's dose is one that disagrees."""

_PREFIX = 5
"""Letters that words for one thing share: inhaler, inhaled."""

_STOP = re.compile(
    r"\b(?:stop(?:s|ped|ping)?|quit(?:s|ting)?|discontinu(?:e|es|ed|ing)|cease|ceasing"
    r"|abandon(?:ing)?|throw(?:ing)? away|com(?:e|ing) off|giv(?:e|ing) up)"
    r"(?: (?:taking|using|all|any|your|their|his|her|the|these|every|with|of)){0,4}"
    r"(?P<what> (?!\w{1,20}ing\b)[\w'-]{1,30}(?: [\w'-]{1,30})?)",
    re.IGNORECASE,
)
# How words begin that name treatments, beside the names of medicines.
_TREATMENTS = (
    "medic", "drug", "tablet", "pills", "inhal", "insul", "treatm", "therap", "dialys", "antibi",
    "chemoth", "steroid", "inject",
)  # fmt: skip
_NOT_STOP = re.compile(
    r"\b(?:not|never|without|n['’]t|keep|continue)\b(?: \w{1,20}){0,3} (?:stop|discontinu|quit|us"
    r"|tak)|\b(?:keep|continue)\b",
    re.IGNORECASE,
)
# A stop that depends on something, or is of a habit, is no order to stop a treatment.
_DEPENDS = re.compile(
    r"\b(?:if|before|unless|until|when|while|after|because|may|might|can|could|some|sometimes"
    r"|surgery"
    r"|pregnan\w{0,5}|choice|right|deci\w{1,6}|options?|ask|talk|who|(?<!at )once|certain|gradually"
    r"|slowly|smok\w{0,4}|tobacco|cigarettes?|drinking|alcohol|drugs? that"
    r"|medicines? that|caus\w{1,4})\b",
    re.IGNORECASE,
)
_USES = re.compile(
    r"\b(?:treat\w{0,6}|us(?:e|es|ed|ing)|tak(?:e|es|en|ing)|need\w{0,2}|help\w{0,3}|reliev\w{1,3}"
    r"|prevent\w{0,3}|control\w{0,4}|keep|continue\w{0,2}|prescrib\w{1,3}|recommend\w{0,3})\b",
    re.IGNORECASE,
)
_CHILD = re.compile(r"\b(?:child\w{0,4}|infants?|bab(?:y|ies)|newborns?|kids?|years? old)\b", re.I)
_FIRST = re.compile(r"\b(?:start\w{0,4}|initial\w{0,2}|begin\w{0,4}|first|loading)\b", re.I)
_PURPOSE = re.compile(r"\b(?:for|to (?:treat|prevent|relieve|reduce)) ((?:[a-z-]{1,30} ?){1,4})")


def disagreeing(statement: str, citing: Passage, others: Sequence[Passage]) -> Evidence | None:
    """Where another record says something else of a dose, or goes on with what is to be stopped.

    ``others`` are passages that may be on the same topic. What is itself unsafe to quote is never
    what disagrees.
    """
    stopped = _stopped(statement)
    dosed = doses(statement, (citing.heading,), _named) if has_amount(statement) else []
    if not stopped and not dosed:
        return None
    for own in others:
        if own.record_id == citing.record_id:
            continue
        for span in sentences(own.text):
            text = own.text[span.start : span.end]
            apart = dosed and has_amount(text) and _doses_apart(statement, dosed, text, own.heading)
            against = apart or (stopped and _goes_on(text, stopped))
            if against and not unsafe(text, (own.heading,)):
                return {"document": own.id, "start": span.start, "end": span.end}
    return None


def _named(word: str) -> str | None:
    return in_table(word) or (word if is_drug(word) else None)


def _doses_apart(one: str, dosed: Sequence[Dose], other: str, about: str) -> bool:
    """Whether two sentences tell the same people to take very different doses of a medicine."""
    for pattern in (_CHILD, _FIRST):
        if bool(pattern.search(one)) != bool(pattern.search(other)):
            return False
    purposes = [_purposes(text) for text in (one, other)]
    if all(purposes) and purposes[0].isdisjoint(purposes[1]):
        return False
    said = doses(other, (about,), _named)
    return any(
        _apart(mine, theirs)
        for mine in dosed
        for theirs in said
        if mine.medicine == theirs.medicine
    ) and not any(
        _alike(mine, theirs)
        for mine in dosed
        for theirs in said
        if mine.medicine == theirs.medicine
    )


def _purposes(text: str) -> set[str]:
    return {stem(term) for found in _PURPOSE.findall(text.lower()) for term in content_terms(found)}


def _ratio(one: Dose, other: Dose) -> float | None:
    """How many times the other dose one is, by the day or else by the single dose."""
    if one.daily and other.daily:
        return one.daily / other.daily
    if one.daily is None and other.daily is None and one.single and other.single:
        return one.single / other.single
    return None


def _apart(one: Dose, other: Dose) -> bool:
    ratio = _ratio(one, other)
    if ratio is None:
        return False
    # Less than the most that may be taken is no disagreement.
    return (ratio > _APART and not (one.limit and not other.limit)) or (
        ratio < 1 / _APART and not (other.limit and not one.limit)
    )


def _alike(one: Dose, other: Dose) -> bool:
    ratio = _ratio(one, other)
    return ratio is not None and 1 / _APART <= ratio <= _APART


def _stopped(statement: str) -> set[str]:
    """How the words begin that name what a statement tells to stop, whatever happens."""
    found = _STOP.search(statement)
    if not found or negated(statement) or _NOT_STOP.search(statement) or _DEPENDS.search(statement):
        return set()
    words = tokenize(found["what"])
    return {word[:_PREFIX] for word in words if word.startswith(_TREATMENTS) or _named(word)}


def _goes_on(sentence: str, stopped: set[str]) -> bool:
    """Whether a sentence says that something of what was to be stopped is used."""
    if not any(word[:_PREFIX] in stopped for word in tokenize(sentence)):
        return False
    if _NOT_STOP.search(sentence):
        return True
    return bool(_USES.search(sentence)) and not (
        negated(sentence) or _STOP.search(sentence) or sentence.endswith("?")
    )
