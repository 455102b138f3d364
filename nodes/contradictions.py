"""Memories of one user that contradict each other [M8]: decisions over the critic's scores."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from anamnesis.text import sentences
from anamnesis.words import content_terms, stem
from memory.extract import INFERRED
from memory.record import Memory
from models.critic import Critic
from nodes.checks import measures, negated, without_negations

CONTRADICTION = 0.8
"""Least probability of a contradiction, in the likelier of both directions. A critic finds them
between any two topics, so it is asked only where ``opposed`` has found what could be one."""

# What is said of a term, or of an earlier question: said otherwise of the same one, it is changed.
_SAID_OF = re.compile(r"(“[^”]+” stands for|By “[^”]+” the user meant) “[^”]+”\.?")
# What tells of several things: that one of them is not so denies no more than that one.
_JOINED = re.compile(
    r",|\b(and|or|plus|but|except|after|before|during|since|while|when|with|without|from|because)\b",
    re.IGNORECASE,
)
# What is left of "I'm" and "I've".
_CONTRACTED = {"m", "ve"}
_QUOTED = re.compile(r"The user (?:said|prefers): “([^”]+)”")


def contradicted(
    new: Sequence[Memory], others: Sequence[Memory], critic: Critic
) -> list[tuple[Memory, Memory]]:
    """Which memories are to go out of play: each with the one that counts in its place.

    Each new memory, in the order in which they were said, is compared with the others of its owner
    and scope that are in play, an exchange with exchanges on the same question; see ``prevailing``
    for which one counts.
    """
    pairs = []
    for place, one in enumerate(new):
        # Of two new ones the later is compared with the earlier: at the same second it counts.
        later = {own.id for own in new[place + 1 :]}
        pairs += [(one, own) for own in others if own.id not in later and _comparable(one, own)]
    certain = [pair for pair in pairs if _said_otherwise(*pair)]
    claims: dict[str, list[_Claim]] = {}
    asked = []
    for pair in pairs:
        for own in pair:
            if own.id not in claims:
                claims[own.id] = [_claim(text) for text in _stated(own)]
        stated = product(*(claims[own.id] for own in pair))
        asked += [(pair, (one.text, other.text)) for one, other in stated if _oppose(one, other)]
    found = critic.judge(
        [text for _, (one, other) in asked for text in (one, other)],
        [[text] for _, (one, other) in asked for text in (other, one)],
    )
    against = [support.contradiction or 0.0 for [support] in found]
    for (pair, _), both in zip(asked, zip(against[::2], against[1::2], strict=True), strict=True):
        if max(both) >= CONTRADICTION:
            certain.append(pair)
    out: dict[str, tuple[Memory, Memory]] = {}
    for pair in certain:
        winner = prevailing(*pair)
        [loser] = [own for own in pair if own.id != winner.id]
        # What is out of play itself takes nothing else out.
        if winner.id not in out:
            out.setdefault(loser.id, (loser, winner))
    return list(out.values())


def prevailing(one: Memory, other: Memory) -> Memory:
    """The one of two contradicting memories that counts.

    Of what users say of themselves, the later: that the earlier was right says nothing of today.
    Else the more trusted one [M5], and of equals the later.
    """
    if one.kind == "exchange" or one.scope == "expert":
        return max(one, other, key=lambda own: (own.trust, own.created, own.id == one.id))
    return max(one, other, key=lambda own: (own.created, own.id == one.id))


def opposed(one: str, other: str) -> bool:
    """Whether two statements could contradict each other.

    Either one negates what the other has all the words of, and the other tells of one thing alone;
    or they differ in nothing but the value of a measure ('5 mg' and '10 mg').
    """
    return _oppose(_claim(one), _claim(other))


class _Claim(NamedTuple):
    """A statement, whether it has a negation, its words without it, and its measures."""

    text: str
    negated: bool
    terms: set[str]
    measures: dict[str, set[float]]


def _claim(text: str) -> _Claim:
    return _Claim(text, negated(text), _terms(without_negations(text)), measures(text))


def _oppose(one: _Claim, other: _Claim) -> bool:
    if one.negated != other.negated:
        no, yes = (one, other) if one.negated else (other, one)
        if no.terms < yes.terms and _JOINED.search(yes.text):
            return False
        return bool(no.terms) and no.terms <= yes.terms
    if not any(
        one.measures[unit].isdisjoint(other.measures[unit])
        for unit in one.measures.keys() & other.measures.keys()
    ):
        return False
    mine, theirs = ({word for word in own.terms if not word.isdigit()} for own in (one, other))
    return mine == theirs


def _comparable(one: Memory, other: Memory) -> bool:
    if one.id == other.id or one.scope != other.scope or other.superseded_by:
        return False
    if "exchange" in (one.kind, other.kind):
        # Their claims lean on the question: 'It is not contagious.'
        return one.kind == other.kind and _terms(_question(one)) == _terms(_question(other))
    return True


def _said_otherwise(one: Memory, other: Memory) -> bool:
    mine, theirs = _SAID_OF.fullmatch(one.text), _SAID_OF.fullmatch(other.text)
    return bool(mine and theirs and mine[1].casefold() == theirs[1].casefold())


def _question(exchange: Memory) -> str:
    return exchange.text.partition("\n")[0]


def _stated(memory: Memory) -> Iterator[str]:
    """The sentences of what a memory states."""
    quoted = _QUOTED.fullmatch(memory.text)
    text = quoted[1] if quoted else memory.text.removeprefix(INFERRED)
    if memory.kind == "exchange":
        text = memory.text.partition("\n")[2]
    for start, end in sentences(text):
        yield text[start:end]


def _terms(text: str) -> set[str]:
    return {stem(term) for term in content_terms(text)} - _CONTRACTED
