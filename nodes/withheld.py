"""What of a draft is not stated: each claim with what of the evidence comes nearest."""

from collections.abc import Callable, Sequence

from anamnesis.text import sentences
from anamnesis.words import content_terms, stem
from corpus.passage import Passage
from nodes.evidence import Near
from nodes.safety import safe, unsafe
from nodes.state import Statement, Withheld
from nodes.units import tells_myths

LEAST = 0.5
"""Least share of a claim's meaning words that a sentence has, with its heading, to be near it."""


def withheld(
    statements: Sequence[Statement],
    passages: Sequence[Passage],
    alone: Callable[[str, Passage], bool] = lambda sentence, passage: False,
) -> list[Withheld]:
    """The statements as not confirmed, each with what comes nearest; nothing unsafe is quoted.

    ``passages`` are those of all rounds; of them no sentence is quoted that stands ``alone``
    against other sources, and nothing that tells of myths. What gives orders, or a dose beyond the
    maximum, has nothing beside it that would make it look like a claim.
    """
    quotable = [safe(own) for own in passages if not tells_myths(own.heading, own.text)]
    return [
        {
            "text": item["text"],
            "verdict": item["verdict"],
            "failed_checks": item["failed_checks"],
            "near": None if unsafe(item["text"]) else nearest(item["text"], quotable, alone),
        }
        for item in statements
    ]


def nearest(
    claim: str,
    passages: Sequence[Passage],
    alone: Callable[[str, Passage], bool] = lambda sentence, passage: False,
) -> Near | None:
    """The sentence that has most of the claim's words; None if none is near.

    Of equals the shortest counts. The words of a passage's heading count as said in each of its
    sentences.
    """
    asked = _stems(claim)
    best: tuple[float, int] = (0.0, 0)
    found: Near | None = None
    for own in passages:
        heading = _stems(own.heading)
        for span in sentences(own.text):
            text = " ".join(own.text[span.start : span.end].split())
            said = _stems(text)
            if not asked & said - heading:
                continue
            share = len(asked & (said | heading)) / len(asked)
            nearer = share >= LEAST and (share, -len(said)) > best
            if nearer and not alone(own.text[span.start : span.end], own):
                best = share, -len(said)
                found = {
                    "id": own.record_id,
                    "title": own.question or own.title,
                    "url": own.url,
                    "source": own.source,
                    "sentence": text,
                }
    return found


def listed(item: Withheld) -> bool:
    """Whether a claim is named in an answer's text: one that is near the evidence and clashes with
    nothing in it. What is denied, or failed a check, is only counted there."""
    return item["verdict"] == "unsupported" and not item["failed_checks"] and bool(item["near"])


def _stems(text: str) -> set[str]:
    return {stem(word) for word in content_terms(text)}
