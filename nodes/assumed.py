"""Check what a question takes for granted against the passages that were found."""

import heapq
import re
from collections.abc import Sequence
from itertools import pairwise

from anamnesis.text import sentences, tokenize, without_marker
from anamnesis.words import STOP_WORDS, content_terms, stem
from corpus.passage import Passage
from models.critic import Critic
from nodes.checks import negated, without_negations
from nodes.differing import differs_in_detail
from nodes.draft import statement
from nodes.judge import judge
from nodes.state import Evidence, Premise
from nodes.units import tells_myths
from nodes.words import is_aspect

_DENIED = 0.5
"""Least probability that the sentence contradicts the claim. A critic finds contradictions between
any two topics, so only a sentence that visibly says the opposite is asked."""

_NEAR = 4
"""Sentences that are asked, the shortest ones."""

_MORE = 1
"""Most meaning words of a denial that the claim does not have: 'not against colds or flu'."""

# Behind it stands why, or but: the clause before it says what is so.
_CLAUSE = re.compile(r"[,;:]|\s[–—-]\s|\b(?:because|since|although|though|but|which|as)\b", re.I)
# What is asked, supposed or not known is not said.
_OPEN = re.compile(
    r"\?\W*$|\b(?:if|when|unless|whether|until|known|unknown|unclear|might|may)\b", re.I
)
# What is so of some, or now and then, is denied for them alone.
_PARTLY = re.compile(
    r"\b(?:most|some|many|few|fewer|less|usually|often|always|sometimes|every|each|all|only|just"
    r"|alone|necessarily|entirely|completely|people|patients?|persons?|cases?|those|anyone|everyone"
    r"|by (?:itself|themselves))\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b(?:vitamin|hepatitis|type|influenza|group|stage|grade|class) \w+\b", re.I)


def checked(
    premise: Premise | None, passages: Sequence[Passage], critic: Critic | None, threshold: float
) -> Premise | None:
    """The premise, judged as a statement; what was borne out, or denied, stays so.

    It is contradicted only where a sentence of a passage is there to be shown for it, also where
    another one seems to bear it out; what no passage bears out is unsupported. What is not plainly
    a claim is contradicted or stays as it is.
    """
    if premise is None or critic is None or premise["verdict"] in ("supported", "contradicted"):
        return premise
    if against := _denial(premise["text"], passages, critic):
        return {**premise, "verdict": "contradicted", "evidence": against}
    if not premise.get("plain", True):
        return premise
    [found] = judge([statement(premise["text"], [])], passages, critic, threshold)
    supported = found["verdict"] == "supported" and not found["conflict"]
    return {**premise, "verdict": "supported" if supported else "unsupported"}


def _denial(claim: str, passages: Sequence[Passage], critic: Critic) -> Evidence | None:
    """The sentence that says the opposite of a claim about the very same things, if one does.

    What is the claim but for a number, a negation or an opposite needs no critic.
    """
    found = []
    for own in passages:
        for start, end in [] if tells_myths(own.heading, own.text) else sentences(own.text):
            said, place = own.text[start:end], Evidence(document=own.id, start=start, end=end)
            if _says(said) and differs_in_detail(claim, said):
                return place
            if denies(said, claim):
                found.append((said, place))
    near = heapq.nsmallest(_NEAR, found, key=lambda item: len(item[0]))
    supports = critic.judge([claim] * len(near), [[said] for said, _ in near])
    best, denial = 0.0, None
    for (_, place), [support] in zip(near, supports, strict=True):
        against = support.contradiction or 0.0
        if against > best and against >= max(_DENIED, support.probability):
            best, denial = against, place
    return denial


def denies(sentence: str, claim: str) -> bool:
    """Whether a sentence could say the opposite of a claim: the words tell.

    Its first clause has all the claim's words of meaning and hardly another one, and one of the
    two has a negation. Nothing is denied for some alone, of another kind ('viral pneumonia'), in a
    question, or if something.
    """
    clause = _CLAUSE.split(without_marker(sentence), maxsplit=1)[0]
    partly = {own.casefold() for own in _PARTLY.findall(clause)}
    named = {own.casefold() for own in _NAMED.findall(claim)}
    asked, said = (_words(without_negations(text)) for text in (claim, clause))
    return (
        _says(sentence)
        and negated(claim) != negated(clause)
        and bool(asked)
        and asked <= said
        and len(said - asked) <= _MORE
        and partly <= set(tokenize(claim))
        and all(own in clause.casefold() for own in named)
        and not _narrowed(clause, asked)
    )


def _says(sentence: str) -> bool:
    """Whether a sentence says that something is so, rather than asks or supposes it."""
    return not _OPEN.search(sentence)


def _narrowed(clause: str, asked: set[str]) -> bool:
    """Whether a clause speaks of a kind of what a claim speaks of: 'viral' pneumonia."""
    words = tokenize(clause)
    return any(
        stem(word) in asked
        and not is_aspect(word)
        and stem(before) not in asked
        and before not in STOP_WORDS
        and not is_aspect(before)
        for before, word in pairwise(words)
    )


def _words(text: str) -> set[str]:
    return {stem(word) for word in content_terms(text) if word != "common"}
