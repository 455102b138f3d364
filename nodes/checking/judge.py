"""Have the critic judge statements against passages, and find contradictions [S4].

``nodes.checking.verdicts`` turns its scores and the checks into verdicts.
"""

from collections.abc import Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import is_about_myths
from anamnesis.language.text import Span, sentences
from anamnesis.language.topic import overlap
from anamnesis.models.cascade import first_of
from anamnesis.models.critic import Critic
from nodes.checking.differing import differs_in_detail
from nodes.checking.disagreeing import disagreeing_evidence
from nodes.checking.verdicts import FRAGMENT, best_judgement, quotation, require_antecedent, verdict
from nodes.evidence.safety import quotable, safe, turned_down
from nodes.state import Evidence, Statement

_ALIKE = 0.6
"""Minimum share of common words for a statement and a sentence of another source to be about the
same thing: a critic finds contradictions between any two topics."""

_NEAR = 3
"""Maximum number of sentences of other sources that are compared with a statement."""

_CONFLICT = 0.9
"""Minimum probability of a contradiction between sources. A false one would discredit a source."""


def judge(
    statements: Sequence[Statement],
    passages: Sequence[Passage],
    critic: Critic,
    threshold: float,
    not_chosen: Sequence[Passage] = (),
) -> list[Statement]:
    """The statements with probability, verdict, evidence, checked citations and conflicts [S4].

    A statement of whole sentences copied from a passage has probability 1. Other statements are
    compared with every passage; the one with the highest support that also passes the checks of
    numbers, negations and names counts. If a statement has several sentences, its least supported
    sentence counts. Citations that do not support the statement are removed, and the supporting
    passage is cited. A statement that refers to the one before it is supported only if that one is.
    A statement that one passage supports and another contradicts is supported and has a
    ``conflict``.

    Passages in ``not_chosen`` cannot support a statement. They cause a conflict if one of their
    sentences differs from the statement only in a detail, gives another dose, or says to continue a
    treatment that the statement says to stop. Text that is not safe to quote supports nothing. A
    statement that already has a verdict is left unchanged.
    """
    fresh = [item["verdict"] == "unchecked" for item in statements]
    passages, not_chosen = (
        [
            entry
            for entry in some
            if entry.text.strip() and not is_about_myths(entry.heading, entry.text)
        ]
        for some in ([safe(entry) for entry in passages], not_chosen)
    )
    if not passages:
        return [
            turned_down(verdict(item, [], passages, threshold)) if new else item
            for item, new in zip(statements, fresh, strict=True)
        ]
    texts = [passage.text for passage in passages]
    quotations = [quotation(item, passages) for item in statements]
    claims = [
        (place, item["text"][span.start : span.end])
        for place, item in enumerate(statements)
        if fresh[place] and quotations[place] is None
        for span in sentences(item["text"])
    ]
    supports = critic.judge([claim for _, claim in claims], [texts] * len(claims))
    judged: list[Statement] = []
    for place, (item, quoted) in enumerate(zip(statements, quotations, strict=True)):
        if not fresh[place]:
            judged.append(item)
            continue
        own = [
            best_judgement(claim, support, passages, threshold)
            for (owner, claim), support in zip(claims, supports, strict=True)
            if owner == place
        ]
        judgement = quoted or verdict(item, own, passages, threshold)
        judgement = turned_down(
            judgement, [page.heading for page in passages if page.id in item["citations"]]
        )
        before = judged[-1] if judged and judged[-1].get("part") == item.get("part") else None
        judged.append(require_antecedent(judgement, before, quoted is not None))
    return _with_conflicts(judged, fresh, passages, critic, not_chosen)


def _with_conflicts(
    judged: list[Statement],
    fresh: Sequence[bool],
    passages: Sequence[Passage],
    critic: Critic,
    not_chosen: Sequence[Passage],
) -> list[Statement]:
    """The statements, each ``fresh`` one with the place in another passage that contradicts it.

    The critic is asked only about sentences on the subject of the statement: those that share the
    most words with it, in passages on the same topic. Two kinds of contradiction need no critic: a
    sentence that differs only in a number, a negation or an opposite, in a passage on the same
    known topic, and one that gives another dose or says to continue a treatment.
    """
    by_id = {entry.id: entry for entry in passages}
    asked: list[tuple[int, Passage, Span]] = []
    for place, item in enumerate(judged):
        if fresh[place] and item["verdict"] == "supported" and not item["conflict"]:
            citing = by_id[item["citations"][0]]
            others = [
                entry
                for entry in passages
                if entry.id not in item["citations"] and _same_topic(entry, citing)
            ]
            near = [*others, *(entry for entry in not_chosen if _same_topic(entry, citing))]
            denied = _denied(item["text"], citing, near)
            if denied := denied or disagreeing_evidence(item["text"], citing, near):
                judged[place] = {**item, "conflict": denied}
            else:
                asked += [
                    (place, entry, span) for entry, span in _similar_sentences(item["text"], others)
                ]
    # Only the first critic judges here: a contradiction counts only if that critic is sure.
    found = first_of(critic).judge(
        [judged[place]["text"] for place, *_ in asked],
        [[entry.text[span.start : span.end]] for _, entry, span in asked],
    )
    least = dict.fromkeys(range(len(judged)), _CONFLICT)
    for (place, entry, span), [support] in zip(asked, found, strict=True):
        against = support.contradiction or 0.0
        if against >= least[place]:
            least[place] = against
            conflict: Evidence = {"document": entry.id, "start": span.start, "end": span.end}
            judged[place] = {**judged[place], "conflict": conflict}
    return judged


def _denied(statement: str, citing: Passage, others: Sequence[Passage]) -> Evidence | None:
    """The place where another record on the same topic denies the same sentence."""
    for item in others:
        known = item.focus and citing.focus and _same_topic(item, citing)
        for span in sentences(item.text) if known and item.record_id != citing.record_id else []:
            text = item.text[span.start : span.end]
            if differs_in_detail(statement, text) and quotable(item, span):
                return {"document": item.id, "start": span.start, "end": span.end}
    return None


def _same_topic(one: Passage, other: Passage) -> bool:
    """Whether two passages may be about the same thing; False if their topics differ."""
    return not (one.focus and other.focus) or one.focus.casefold() == other.focus.casefold()


def _similar_sentences(statement: str, passages: Sequence[Passage]) -> list[tuple[Passage, Span]]:
    """The sentences that share the most words with the statement but are not equal to it."""
    found = [
        (overlap(statement, text), entry, span)
        for entry in passages
        for span in sentences(entry.text)
        if (text := entry.text[span.start : span.end]) != statement and len(text.split()) > FRAGMENT
    ]
    near = sorted((item for item in found if item[0] >= _ALIKE), key=lambda item: -item[0])
    return [(entry, span) for _, entry, span in near[:_NEAR]]
