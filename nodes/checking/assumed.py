"""Check the assumption of a question against the retrieved passages."""

import logging
import re
from collections.abc import Sequence
from itertools import chain

from anamnesis import ModelError
from anamnesis.corpus.passage import Passage
from anamnesis.language.lexicon import any_of
from anamnesis.language.negations import NOT, has_negation
from anamnesis.language.quotable import is_about_myths
from anamnesis.language.text import is_list_item, sentences, tokenize
from anamnesis.language.words import stem
from anamnesis.models.critic import Critic
from nodes.checking.judge import judge
from nodes.checking.statements import unchecked_statement
from nodes.evidence.safety import safe
from nodes.parts import Parts
from nodes.settings.context import Context
from nodes.state import Evidence, Premise, State

_DENIED = 0.5
"""Minimum probability that the sentence contradicts the claim. A critic finds contradictions
between any two topics, so it is given only sentences that say the exact opposite.
"""

_NEAR = 4
"""Maximum number of sentences given to the critic."""

# A sentence that asks, supposes, excepts or says that something is unknown asserts nothing.
_OPEN = re.compile(rf"\?\W*$|\b(?:{any_of('asserts_nothing')})\b|[\"“”«»]", re.IGNORECASE)
# A negation of the verb; 'do' only carries the negation.
_NOT = re.compile(rf"\b(?:(?:do|does)|(is|are|can)){NOT}\b", re.IGNORECASE)
# 'The common cold' is 'a cold'; but 'hepatitis A' is not hepatitis.
_ARTICLE = re.compile(r"^\W*(?:An?|The)\b|\b(?:an?|the|common)\b")
_JOINS = frozenset(("or", "and"))

_log = logging.getLogger(__name__)


def premise_with_verdict(state: State, context: Context, parts: Parts) -> Premise | None:
    """The premise of the question with a verdict based on the passages of all rounds.

    If there was no round, the selected passages are used. If the critic does not answer, ModelError
    is raised, except in the fallback, where the premise is left unchecked.
    """
    premise = state["premise"]
    rounds = [item["passages"] for item in state["rounds"]]
    ids = list(dict.fromkeys(chain(*rounds))) or [item["id"] for item in state["selected"]]
    if premise is None or not ids:
        return premise
    try:
        passages, critic = parts.passages(ids, context), parts.critic(context)
        return check_premise(premise, passages, critic, context.verification.min_probability)
    except ModelError as error:
        # Before the fallback, nothing is said about an assumption that could not be checked.
        if not parts.continues_after(error) or state["route"]["to"] != "fallback":
            raise
        _log.error("the assumption in the question is not checked: %s", error)
        return premise


def check_premise(
    premise: Premise | None, passages: Sequence[Passage], critic: Critic | None, threshold: float
) -> Premise | None:
    """The premise with its verdict; an existing verdict is not changed.

    It is ``contradicted`` only if a sentence of a passage can be shown as evidence; then it does
    not matter whether another sentence seems to support it. If no passage supports it, it is
    ``unsupported``. A premise that is not ``certain`` is ``contradicted`` or left unchanged.
    """
    if premise is None or critic is None or premise["verdict"] in ("supported", "contradicted"):
        return premise
    if against := _denial(premise["text"], passages, critic):
        return {**premise, "verdict": "contradicted", "evidence": against}
    if not premise.get("certain", True):
        return premise
    [found] = judge([unchecked_statement(premise["text"], [])], passages, critic, threshold)
    supported = found["verdict"] == "supported" and not found["conflict"]
    return {**premise, "verdict": "supported" if supported else "unsupported"}


def _denial(claim: str, passages: Sequence[Passage], critic: Critic) -> Evidence | None:
    """The sentence that says the opposite of a claim about the same things, or None."""
    usable = [safe(item) for item in passages if not is_about_myths(item.heading, item.text)]
    found = [
        (text, Evidence(document=item.id, start=span.start, end=span.end))
        for item in usable
        for span in sentences(item.text)
        if denies(text := item.text[span.start : span.end], claim)
    ][:_NEAR]
    supports = critic.judge([claim] * len(found), [[text] for text, _ in found])
    best, denial = 0.0, None
    for (_, place), [support] in zip(found, supports, strict=True):
        against = support.contradiction or 0.0
        if against > best and against >= max(_DENIED, support.probability):
            best, denial = against, place
    return denial


def denies(sentence: str, claim: str) -> bool:
    """Whether a sentence, by its words, could say the opposite of a claim.

    Up to its first comma it must have the words of the claim in their order, and no others except
    words coordinated with them ('colds or flu'). Exactly one of the two must negate its verb, and
    neither may negate anything else. This excludes denials that are partial, concern only some
    cases or another kind, or have the reverse direction. Questions, suppositions, quotations and
    list items do not count.
    """
    if _OPEN.search(sentence) or is_list_item(sentence):
        return False
    clause = re.split(r"[,;:(]", sentence, maxsplit=1)[0]
    if bool(_NOT.search(claim)) == bool(_NOT.search(clause)):
        return False
    bare = [_NOT.sub(r"\1", text, count=1) for text in (claim, clause)]
    if any(has_negation(text) for text in bare):
        return False
    claimed, denied = ([stem(word) for word in tokenize(_ARTICLE.sub(" ", text))] for text in bare)
    return len(claimed) > 1 and claimed in (denied, _unjoined(denied, claimed))


def _unjoined(words: list[str], claimed: list[str]) -> list[str]:
    """The words without coordinated words: 'colds or flu' without 'or flu'."""
    gone: set[int] = set()
    for place in range(1, len(words) - 1):
        if words[place] in _JOINS:
            other = next((at for at in (place + 1, place - 1) if words[at] not in claimed), place)
            gone |= {place, other}
    return [word for place, word in enumerate(words) if place not in gone]
