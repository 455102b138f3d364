"""Memories of one user that contradict each other [M8]: decisions over the critic's scores."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import has_negation, without_negations
from anamnesis.language.text import sentences
from anamnesis.language.words import content_stems
from anamnesis.memory.content import Exchange, Inferred, Meaning, Said
from anamnesis.memory.record import Memory
from nodes.checking.checks import values_by_kind

CONTRADICTION = 0.8
"""Minimum probability of a contradiction, in the more probable of both directions. A critic finds
contradictions between any two topics, so it is used only for pairs that ``opposed`` accepts.
"""

# Statements about several things: denying one of them contradicts only that one.
_JOINED = re.compile(rf",|\b({any_of('joining', 'within_time')})\b", re.IGNORECASE)
# The rest of "I'm" and "I've".
_CONTRACTED = {"m", "ve"}

Pair = tuple[Memory, Memory]


def pairs_to_compare(new: Sequence[Memory], others: Sequence[Memory]) -> list[Pair]:
    """Each new memory, in the order in which they were said, with the memories to compare it with.

    These are the other active memories of its owner. An exchange is compared with exchanges on the
    same question, and what the user did not say in person with experts' notes.
    """
    pairs = []
    for place, one in enumerate(new):
        # Of two new memories of the same second, the later one in the list counts.
        later = {item.id for item in new[place + 1 :]}
        pairs += [(one, item) for item in others if item.id not in later and _comparable(one, item)]
    return pairs


def opposed_sentences(pairs: Sequence[Pair]) -> list[tuple[Pair, tuple[str, str]]]:
    """The sentences of the pairs that could contradict each other, with their pairs."""
    claims: dict[str, list[Claim]] = {}
    found = []
    for pair in pairs:
        for item in pair:
            if item.id not in claims:
                claims[item.id] = [claim_of(text) for text in _statement_sentences(item)]
        stated = product(*(claims[item.id] for item in pair))
        found += [(pair, (one.text, other.text)) for one, other in stated if opposed(one, other)]
    return found


def superseded(pairs: Sequence[Pair], compared: Iterable[tuple[Pair, float]]) -> list[Pair]:
    """The memories to deactivate, each with the memory that replaces it; see ``prevailing``.

    ``compared`` has the probability that two sentences of a pair contradict each other. Of two
    definitions of the same, the later one replaces the other without any comparison.
    """
    certain = [pair for pair in pairs if _redefines(*pair)]
    certain += [pair for pair, probability in compared if probability >= CONTRADICTION]
    out: dict[str, Pair] = {}
    for pair in certain:
        winner = prevailing(*pair)
        [loser] = [item for item in pair if item.id != winner.id]
        # An inactive memory deactivates no other.
        if winner.id not in out:
            out.setdefault(loser.id, (loser, winner))
    return list(out.values())


def prevailing(one: Memory, other: Memory) -> Memory:
    """The one of two contradicting memories that counts.

    Of a user's and an expert's memory, the expert's counts: no user's rating of their own memory
    outweighs it. Of statements that users make about themselves, the later one counts: the earlier
    one may no longer be true. Otherwise it is the more trusted one [M5] or, if trust is equal, the
    later one.
    """
    if one.scope != other.scope:
        return one if one.scope == "expert" else other
    if one.kind == "exchange" or one.scope == "expert":
        return max(one, other, key=lambda item: (item.trust, item.created, item.id == one.id))
    return max(one, other, key=lambda item: (item.created, item.id == one.id))


class Claim(NamedTuple):
    """A statement: whether it has a negation, its other words, and its amounts."""

    text: str
    negated: bool
    terms: set[str]
    amounts: dict[str, set[float]]


def claim_of(text: str) -> Claim:
    """The claim that a text makes."""
    return Claim(text, has_negation(text), _terms(without_negations(text)), values_by_kind(text))


def opposed(one: Claim, other: Claim) -> bool:
    """Whether two statements could contradict each other.

    Either one negates a claim whose words the other has completely, and the other is about one
    thing only; or they differ only in the value of a measurement ('5 mg' and '10 mg').
    """
    if one.negated != other.negated:
        no, yes = (one, other) if one.negated else (other, one)
        if no.terms < yes.terms and _JOINED.search(yes.text):
            return False
        return bool(no.terms) and no.terms <= yes.terms
    if not any(
        one.amounts[kind].isdisjoint(other.amounts[kind])
        for kind in one.amounts.keys() & other.amounts.keys()
    ):
        return False
    mine, theirs = ({word for word in item.terms if not word.isdigit()} for item in (one, other))
    return mine == theirs


def _comparable(one: Memory, other: Memory) -> bool:
    if one.id == other.id or other.superseded_by or one.scope == other.scope == "expert":
        return False
    if one.scope != other.scope:
        users = other if one.scope == "expert" else one
        # An expert's note corrects neither what users say about themselves nor what they mean.
        if isinstance(users.content, Said | Meaning):
            return False
    if isinstance(one.content, Exchange) and isinstance(other.content, Exchange):
        # Their claims depend on the question: 'It is not contagious.'
        return _terms(one.content.question) == _terms(other.content.question)
    return one.scope != other.scope or "exchange" not in (one.kind, other.kind)


def _redefines(one: Memory, other: Memory) -> bool:
    """Whether they define the same: the later definition replaces the first."""
    mine, theirs = one.content, other.content
    if not (isinstance(mine, Meaning) and isinstance(theirs, Meaning)):
        return False
    return mine.type == theirs.type and mine.of.casefold() == theirs.of.casefold()


def _statement_sentences(memory: Memory) -> Iterator[str]:
    """The sentences of what a memory states."""
    match memory.content:
        case Exchange(statements=shown):
            texts = [item.text for item in shown]
        case Said(words=text) | Inferred(note=text):
            texts = [text]
        case _:
            texts = [memory.text]
    for text in texts:
        for start, end in sentences(text):
            yield text[start:end]


def _terms(text: str) -> set[str]:
    return content_stems(text) - _CONTRACTED
