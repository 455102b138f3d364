"""Verdicts on statements from the critic's scores and the checks: pure functions, no model."""

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import ADJOINING, dangling, only_names, quoted
from anamnesis.models.critic import Support
from nodes.checking.checks import ANTECEDENT, failed_checks
from nodes.fields.codes import FailedCheck
from nodes.state import Evidence, Statement, Verdict

FRAGMENT = 2
"""Maximum words of a statement that says nothing by itself ('Fever.')."""

_CONTRADICTED = 0.5
"""Minimum probability of a contradiction for the verdict *contradicted*. It must also be higher
than the support. Below this threshold the passages are about something else."""


class Judged(NamedTuple):
    """How well the passages support one claim.

    ``place`` is the position of the best-supporting passage, ``support`` its support, and
    ``failed`` are the checks that fail there. ``contradicted`` is the probability that the passages
    contradict the claim if this exceeds the support, otherwise 0. ``conflict`` is the position and
    the support of another passage that contradicts the claim, if any.
    """

    place: int
    support: Support
    failed: list[FailedCheck]
    contradicted: float
    conflict: tuple[int, Support] | None


def require_antecedent(item: Statement, before: Statement | None, quotation: bool) -> Statement:
    """The statement; it becomes unsupported if the sentence that it refers to is not shown.

    'It is contagious.' has a meaning only after the sentence before it, from the same passage; a
    quotation also has to follow directly on the quotation before it. A model's list of names
    without a verb needs an antecedent too: a critic finds 'Fever, pain.' in the passage, but cannot
    know that the question was about causes.
    """
    text = item["text"]
    short = len(text.split()) <= FRAGMENT or (not quotation and only_names(text))
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
        "failed": [*item["failed"], {"code": ANTECEDENT, "found": ""}],
    }


def quotation(item: Statement, passages: Sequence[Passage]) -> Statement | None:
    """The statement with its evidence if a passage has it verbatim; cited ones are tried first."""
    for passage in sorted(passages, key=lambda entry: entry.id not in item["citations"]):
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


def best_judgement(
    claim: str, supports: Sequence[Support], passages: Sequence[Passage], threshold: float
) -> Judged:
    """How the passages support a claim: the best support by a passage that passes the checks."""
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


def with_verdict(
    item: Statement, parts: Sequence[Judged], passages: Sequence[Passage], threshold: float
) -> Statement:
    """The statement with the verdict of the critic and the checks on its sentences."""
    if not parts:
        return {**item, "probability": 0.0, "verdict": "unsupported", "citations": []}
    probability = min(entry.support.probability for entry in parts)
    failed = [check for entry in parts for check in entry.failed]
    against = max(entry.contradicted for entry in parts)
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
        "failed": failed,
    }
    if by := "; ".join(dict.fromkeys(entry.support.by for entry in parts if entry.support.by)):
        judged["checked_by"] = by
    if not supported:
        return judged
    first = parts[0].place
    conflict = next((entry.conflict for entry in parts if entry.conflict), None)
    return {
        **judged,
        "citations": list(dict.fromkeys(passages[entry.place].id for entry in parts)),
        "evidence": _evidence(
            passages[first], *(entry.support for entry in parts if entry.place == first)
        ),
        "conflict": _evidence(passages[conflict[0]], conflict[1]) if conflict else None,
    }


def _evidence(passage: Passage, *supports: Support) -> Evidence:
    """The part of a passage from the first to the last of the supports."""
    return {
        "document": passage.id,
        "start": min(item.start for item in supports),
        "end": max(item.end for item in supports),
    }
