"""What the critic and the checks find of statements: pure decisions over their scores [S4]."""

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.text import Span, sentences
from corpus.passage import Passage
from models.cascade import first_of
from models.critic import Critic, Support
from nodes.checks import failed_checks
from nodes.differing import differs_in_detail
from nodes.disagreeing import disagreeing
from nodes.safety import quotable, safe, turned_down
from nodes.state import Evidence, Statement, Verdict
from nodes.units import ADJOINING, dangling, only_names, quoted, tells_myths
from nodes.words import overlap

_FRAGMENT = 2
"""Words of a statement that says nothing by itself ('Fever.')."""

_ALIKE = 0.6
"""Least share of words that a statement and a sentence of another source have in common, for the
one to be about what the other is about: a critic finds contradictions between any two topics."""

_NEAR = 3
"""Sentences of the other sources that are asked whether they contradict a statement."""

_CONTRADICTED = 0.5
"""Least probability of a contradiction for a statement to be told as denied, and no less than its
support; below it the passages are on something else."""

_CONFLICT = 0.9
"""Least probability of a contradiction between sources. Said wrongly it costs trust in a source."""


class Judged(NamedTuple):
    """How the passages bear out one claim.

    The place of the best-supporting passage, its support, the checks that fail there, with what
    probability the passages speak against the claim where they do so rather than for it (else 0),
    and what another passage that contradicts what this one supports has to say: its place, and its
    support.
    """

    place: int
    support: Support
    failed: list[str]
    contradicted: float
    conflict: tuple[int, Support] | None


def judge(
    statements: Sequence[Statement],
    passages: Sequence[Passage],
    critic: Critic,
    threshold: float,
    beside: Sequence[Passage] = (),
) -> list[Statement]:
    """The statements with probability, verdict, evidence, checked citations and conflicts [S4].

    What a passage says word for word in whole sentences is supported by it, with probability 1.
    For the rest every passage is a premise, and the best one that also passes the checks of
    numbers, negations and names counts; a statement of several sentences is as well supported as
    the least supported of them. Citations that do not support the statement are dropped, the
    supporting passage is cited. A statement that leans on the one before it needs that one. What
    one passage supports and another contradicts is supported, and has a ``conflict``. Passages
    ``beside`` these support nothing, but a sentence of theirs that is the statement's but for a
    detail is a conflict, too, and so is another dose, or what goes on with what is to be stopped.
    What of a passage is not safe to quote supports nothing, and no such statement is supported.
    A statement that already has a verdict is left unchanged.
    """
    fresh = [item["verdict"] == "unchecked" for item in statements]
    passages, beside = (
        [own for own in some if own.text.strip() and not tells_myths(own.heading, own.text)]
        for some in ([safe(own) for own in passages], beside)
    )
    if not passages:
        return [
            turned_down(_verdict(item, [], passages, threshold)) if new else item
            for item, new in zip(statements, fresh, strict=True)
        ]
    texts = [passage.text for passage in passages]
    quotations = [_quotation(item, passages) for item in statements]
    claims = [
        (place, item["text"][span.start : span.end])
        for place, item in enumerate(statements)
        if fresh[place] and quotations[place] is None
        for span in sentences(item["text"])
    ]
    supports = critic.judge([claim for _, claim in claims], [texts] * len(claims))
    judged: list[Statement] = []
    for place, (item, quotation) in enumerate(zip(statements, quotations, strict=True)):
        if not fresh[place]:
            judged.append(item)
            continue
        own = [
            _best(claim, support, passages, threshold)
            for (owner, claim), support in zip(claims, supports, strict=True)
            if owner == place
        ]
        told = quotation or _verdict(item, own, passages, threshold)
        told = turned_down(
            told, [page.heading for page in passages if page.id in item["citations"]]
        )
        before = judged[-1] if judged and judged[-1].get("part") == item.get("part") else None
        judged.append(_leaning(told, before, quotation is not None))
    return _with_conflicts(judged, fresh, passages, critic, beside)


def _with_conflicts(
    judged: list[Statement],
    fresh: Sequence[bool],
    passages: Sequence[Passage],
    critic: Critic,
    beside: Sequence[Passage],
) -> list[Statement]:
    """The statements; ``fresh`` ones with the place in another passage that contradicts them.

    Only the sentences that are about what the statement is about are asked, those that share most
    words with it; and of passages on another topic none. What is the same sentence but for a
    number, a negation or an opposite needs no critic, where both passages are known to be on one
    topic.
    """
    by_id = {own.id: own for own in passages}
    asked: list[tuple[int, Passage, Span]] = []
    for place, item in enumerate(judged):
        if fresh[place] and item["verdict"] == "supported" and not item["conflict"]:
            citing = by_id[item["citations"][0]]
            others = [
                own
                for own in passages
                if own.id not in item["citations"] and _same_topic(own, citing)
            ]
            near = [*others, *(own for own in beside if _same_topic(own, citing))]
            denied = _denied(item["text"], citing, near)
            if denied := denied or disagreeing(item["text"], citing, near):
                judged[place] = {**item, "conflict": denied}
            else:
                asked += [(place, own, span) for own, span in _alike(item["text"], others)]
    # The first critic judges alone: a contradiction counts only if it is sure.
    found = first_of(critic).judge(
        [judged[place]["text"] for place, *_ in asked],
        [[own.text[span.start : span.end]] for _, own, span in asked],
    )
    least = dict.fromkeys(range(len(judged)), _CONFLICT)
    for (place, own, span), [support] in zip(asked, found, strict=True):
        against = support.contradiction or 0.0
        if against >= least[place]:
            least[place] = against
            conflict: Evidence = {"document": own.id, "start": span.start, "end": span.end}
            judged[place] = {**judged[place], "conflict": conflict}
    return judged


def _denied(statement: str, citing: Passage, others: Sequence[Passage]) -> Evidence | None:
    """Where another record that is known to be on the topic has the same sentence denied."""
    for own in others:
        known = own.focus and citing.focus and _same_topic(own, citing)
        for span in sentences(own.text) if known and own.record_id != citing.record_id else []:
            text = own.text[span.start : span.end]
            if differs_in_detail(statement, text) and quotable(own, span):
                return {"document": own.id, "start": span.start, "end": span.end}
    return None


def _same_topic(one: Passage, other: Passage) -> bool:
    """Whether two passages may speak of the same thing: not where their topics differ."""
    return not (one.focus and other.focus) or one.focus.casefold() == other.focus.casefold()


def _alike(statement: str, passages: Sequence[Passage]) -> list[tuple[Passage, Span]]:
    """The sentences that share most words with the statement, but do not say it."""
    found = [
        (overlap(statement, text), own, span)
        for own in passages
        for span in sentences(own.text)
        if (text := own.text[span.start : span.end]) != statement and len(text.split()) > _FRAGMENT
    ]
    near = sorted((item for item in found if item[0] >= _ALIKE), key=lambda item: -item[0])
    return [(own, span) for _, own, span in near[:_NEAR]]


def _leaning(item: Statement, before: Statement | None, quotation: bool) -> Statement:
    """The statement, unsupported if it leans on what is not shown, or is about something else.

    'It is contagious.' says something only beside the sentence before it, of the same passage; a
    quotation only right behind the place that the statement before it comes from. So do a model's
    names alone: a critic finds 'Fever, pain.' in the passage and does not see that causes were
    asked for.
    """
    text = item["text"]
    short = len(text.split()) <= _FRAGMENT or (not quotation and only_names(text))
    if item["verdict"] != "supported" or not (short or dangling(text)):
        return item
    shown = before is not None and before["verdict"] == "supported"
    if shown and before and set(before["citations"]) & set(item["citations"]):
        one, other = before["evidence"], item["evidence"]
        if not quotation or (one and other and 0 <= other["start"] - one["end"] <= ADJOINING):
            return item
    return {
        **item,
        "verdict": "unsupported",
        "citations": [],
        "evidence": None,
        "failed_checks": [*item["failed_checks"], "what it refers to"],
    }


def _quotation(item: Statement, passages: Sequence[Passage]) -> Statement | None:
    """The statement with its evidence if a passage, a cited one first, says it word for word."""
    for passage in sorted(passages, key=lambda own: own.id not in item["citations"]):
        span = quoted(item["text"], passage.text)
        if span:
            return {
                **item,
                "probability": 1.0,
                "verdict": "supported",
                "citations": [passage.id],
                "evidence": {"document": passage.id, "start": span.start, "end": span.end},
            }
    return None


def _best(
    claim: str, supports: Sequence[Support], passages: Sequence[Passage], threshold: float
) -> Judged:
    """How the passages bear out a claim: by the best-supporting one that passes the checks."""
    ranked = sorted(range(len(supports)), key=lambda place: -supports[place].probability)
    checked = []
    for place in ranked:
        own, span = passages[place], supports[place]
        evidence = own.text[span.start : span.end]
        checked.append((place, failed_checks(claim, evidence, f"{own.heading} {own.text}")))
    place, failed = next((pair for pair in checked if not pair[1]), checked[0])
    best = supports[place]
    worst = max(ranked, key=lambda other: supports[other].contradiction or 0.0)
    against = supports[worst].contradiction or 0.0
    denied = against > best.probability
    if denied and (worst == place or best.probability < threshold or failed):
        return Judged(place, best, failed, against, None)
    return Judged(place, best, failed, 0.0, (worst, supports[worst]) if denied else None)


def _verdict(
    item: Statement, parts: Sequence[Judged], passages: Sequence[Passage], threshold: float
) -> Statement:
    """The statement with what the critic and the checks found of its sentences."""
    if not parts:
        return {**item, "probability": 0.0, "verdict": "unsupported", "citations": []}
    probability = min(own.support.probability for own in parts)
    failed = [name for own in parts for name in own.failed]
    against = max(own.contradicted for own in parts)
    supported = probability >= threshold and not failed and not against
    verdict: Verdict = "supported" if supported else "unsupported"
    if against >= _CONTRADICTED:
        verdict = "contradicted"
    judged: Statement = {
        **item,
        "probability": round(probability, 4),
        "verdict": verdict,
        "citations": [],
        "evidence": None,
        "failed_checks": failed,
    }
    if by := "; ".join(dict.fromkeys(own.support.by for own in parts if own.support.by)):
        judged["checked_by"] = by
    if not supported:
        return judged
    first = parts[0].place
    conflict = next((own.conflict for own in parts if own.conflict), None)
    return {
        **judged,
        "citations": list(dict.fromkeys(passages[own.place].id for own in parts)),
        "evidence": _evidence(
            passages[first], *(own.support for own in parts if own.place == first)
        ),
        "conflict": _evidence(passages[conflict[0]], conflict[1]) if conflict else None,
    }


def _evidence(passage: Passage, *supports: Support) -> Evidence:
    """The stretch of a passage that the supports span."""
    return {
        "document": passage.id,
        "start": min(own.start for own in supports),
        "end": max(own.end for own in supports),
    }
