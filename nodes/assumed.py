"""Check what a question takes for granted against the passages that were found."""

import heapq
from collections.abc import Sequence

from anamnesis.text import sentences
from anamnesis.words import content_terms, stem
from corpus.passage import Passage
from models.critic import Critic
from nodes.draft import statement
from nodes.judge import judge
from nodes.state import Evidence, Premise
from nodes.units import tells_myths

_COVERED = 2 / 3
"""Least share of a claim's meaning words in a sentence that denies it: a critic finds
contradictions between any two topics, and a reader is told of this one as a fact."""

_DENIED = 0.5
"""Least probability that the sentence, by itself, contradicts the claim."""

_NEAR = 4
"""Sentences that are asked, those that share most words with the claim."""


def checked(
    premise: Premise | None, passages: Sequence[Passage], critic: Critic | None, threshold: float
) -> Premise | None:
    """The premise, judged as a statement; what was borne out, or denied, stays so.

    It is contradicted only where a sentence of a passage is there to be shown for it, also where
    another one seems to bear it out; what no passage bears out is unsupported.
    """
    if premise is None or critic is None or premise["verdict"] in ("supported", "contradicted"):
        return premise
    [found] = judge([statement(premise["text"], [])], passages, critic, threshold)
    against = found["conflict"]
    if found["verdict"] != "supported":
        against = _denial(premise["text"], passages, critic)
    if against:
        return {**premise, "verdict": "contradicted", "evidence": against}
    if not premise["plain"]:
        return premise
    supported = found["verdict"] == "supported"
    return {**premise, "verdict": "supported" if supported else "unsupported"}


def _denial(claim: str, passages: Sequence[Passage], critic: Critic) -> Evidence | None:
    """The sentence that says the opposite of a claim about the very same things, if one does."""
    words = _words(claim)
    told = [own for own in passages if not tells_myths(own.heading, own.text)]
    alike = [
        (len(words & _words(own.text[span.start : span.end])), own, span)
        for own in told
        for span in sentences(own.text)
    ]
    enough = [item for item in alike if item[0] and item[0] >= _COVERED * len(words)]
    near = heapq.nlargest(_NEAR, enough, key=lambda item: item[0])
    found = critic.judge(
        [claim] * len(near), [[own.text[span.start : span.end]] for _, own, span in near]
    )
    best, denial = 0.0, None
    for (_, own, span), [support] in zip(near, found, strict=True):
        against = support.contradiction or 0.0
        if against > best and against >= max(_DENIED, support.probability):
            best = against
            denial = Evidence(document=own.id, start=span.start, end=span.end)
    return denial


def _words(text: str) -> set[str]:
    return {stem(word) for word in content_terms(text)}
