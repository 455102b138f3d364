"""Turn the critic's scores and the results of the checks into verdicts on statements.

Pure functions, no model.
"""

from collections.abc import Sequence
from typing import NamedTuple

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import ADJOINING, dangling, only_names, quoted
from anamnesis.models.critic import Support
from nodes.checking.checks import ANTECEDENT, failed_checks
from nodes.fields.codes import FailedCheck
from nodes.state import Evidence, Statement, Verdict

MOST_FRAGMENT_WORDS = 2
"""Maximum words of a statement that says nothing by itself ('Fever.')."""

_CONTRADICTED = 0.5
"""Minimum probability of a contradiction for the verdict *contradicted*.

The probability must also be higher than that of support. Below this minimum the passages are
usually about something else, so the verdict is *unsupported*.
"""


class Judged(NamedTuple):
    """How well the passages support one claim.

    ``passage_position`` is the position of the passage that supports the claim most among those
    with which the claim passes the checks; if it passes with none, of the passage that supports it
    most. ``support`` is the critic's judgement of this passage, and ``failed`` are the checks that
    the claim fails with it (none if it passes with any passage).

    If a passage contradicts the claim with a higher probability than that of ``support``, there are
    two cases. If the claim is supported (the threshold is reached and no check failed) and the
    contradiction is in another passage, ``conflict`` is the position and the judgement of that
    passage, and ``contradicted`` is 0. Otherwise ``contradicted`` is the probability of the
    contradiction, and ``conflict`` is None.
    """

    passage_position: int
    support: Support
    failed: list[FailedCheck]
    contradicted: float
    conflict: tuple[int, Support] | None


def require_antecedent(
    item: Statement, previous: Statement | None, is_quotation: bool
) -> Statement:
    """The statement; it becomes unsupported if the sentence that it refers to is not shown.

    'It is contagious.' has a meaning only after the sentence that names the disease. So the
    statement before it must be supported and cite one of the same passages. If it is a quotation,
    it must also directly follow the statement before it in the passage. Names without a verb that a
    chat model wrote ('Fever, pain.') need such a statement too: the critic finds the words in the
    passage, but cannot know whether they are meant as symptoms, causes or cures.
    """
    text = item["text"]
    is_fragment = len(text.split()) <= MOST_FRAGMENT_WORDS
    says_nothing_alone = is_fragment or (not is_quotation and only_names(text))
    if item["verdict"] != "supported" or not (says_nothing_alone or dangling(text)):
        return item
    previous_supported = previous is not None and previous["verdict"] == "supported"
    if previous_supported and previous and set(previous["citations"]) & set(item["citations"]):
        before, evidence = previous["evidence"], item["evidence"]
        if not is_quotation or (
            before and evidence and 0 <= evidence["start"] - before["end"] <= ADJOINING
        ):
            return item
    return {
        **item,
        "verdict": "unsupported",
        "citations": [],
        "evidence": None,
        "failed": [*item["failed"], {"code": ANTECEDENT, "found": ""}],
    }


def quotation(item: Statement, passages: Sequence[Passage]) -> Statement | None:
    """The statement as supported, with its evidence, if a passage contains it word for word.

    Otherwise None. Passages that the statement cites are tried first.
    """
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
    """How well the passages support a claim; see ``Judged`` for the passage that counts."""
    ranked = sorted(range(len(supports)), key=lambda position: -supports[position].probability)
    checked = []
    for position in ranked:
        passage, support = passages[position], supports[position]
        evidence = passage.text[support.start : support.end]
        failed = failed_checks(claim, evidence, f"{passage.heading} {passage.text}")
        checked.append((position, failed))
    best, failed = next((pair for pair in checked if not pair[1]), checked[0])
    worst = max(ranked, key=lambda position: supports[position].contradiction or 0.0)
    contradiction = supports[worst].contradiction or 0.0
    probability = supports[best].probability
    is_contradicted = contradiction > probability
    # Another passage that contradicts a supported claim is a conflict; any other contradiction
    # counts against the claim.
    if is_contradicted and (worst == best or probability < threshold or failed):
        return Judged(best, supports[best], failed, contradiction, None)
    conflict = (worst, supports[worst]) if is_contradicted else None
    return Judged(best, supports[best], failed, 0.0, conflict)


def with_verdict(
    item: Statement,
    sentence_judgements: Sequence[Judged],
    passages: Sequence[Passage],
    threshold: float,
) -> Statement:
    """The statement with a verdict, from the judgement of each of its sentences.

    The least supported sentence decides; without sentences the statement is unsupported.
    """
    if not sentence_judgements:
        return {**item, "probability": 0.0, "verdict": "unsupported", "citations": []}
    probability = min(entry.support.probability for entry in sentence_judgements)
    failed = [check for entry in sentence_judgements for check in entry.failed]
    contradiction = max(entry.contradicted for entry in sentence_judgements)
    supported = probability >= threshold and not failed and not contradiction
    verdict: Verdict = "supported" if supported else "unsupported"
    if contradiction >= _CONTRADICTED:
        verdict = "contradicted"
    judged: Statement = {
        **item,
        "probability": round(probability, 4),
        "verdict": verdict,
        "citations": [],
        "evidence": None,
        "failed": failed,
    }
    critic_names = (entry.support.by for entry in sentence_judgements if entry.support.by)
    if checked_by := "; ".join(dict.fromkeys(critic_names)):
        judged["checked_by"] = checked_by
    if not supported:
        return judged
    first = sentence_judgements[0].passage_position
    conflict = next((entry.conflict for entry in sentence_judgements if entry.conflict), None)
    return {
        **judged,
        "citations": list(
            dict.fromkeys(passages[entry.passage_position].id for entry in sentence_judgements)
        ),
        "evidence": _evidence(
            passages[first],
            *(entry.support for entry in sentence_judgements if entry.passage_position == first),
        ),
        "conflict": _evidence(passages[conflict[0]], conflict[1]) if conflict else None,
    }


def _evidence(passage: Passage, *supports: Support) -> Evidence:
    """The range of the passage from the first to the last character that the critic names."""
    return {
        "document": passage.id,
        "start": min(item.start for item in supports),
        "end": max(item.end for item in supports),
    }
