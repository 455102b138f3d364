"""Claims of a draft that are not stated, each with the nearest sentence of the evidence."""

from collections.abc import Sequence

from anamnesis.corpus.passage import Passage
from anamnesis.language.quotable import is_about_myths
from anamnesis.language.text import sentences
from anamnesis.language.words import content_stems
from nodes.checking.other_sources import Disputed
from nodes.evidence.safety import safe, unsafe
from nodes.fields.codes import failed_check_text
from nodes.fields.passages import Near, near_of
from nodes.state import Statement, Withheld

LEAST = 0.5
"""Minimum share of a claim's content words in a near sentence, including its heading."""


def withheld(
    statements: Sequence[Statement], passages: Sequence[Passage], disputed: Disputed
) -> list[Withheld]:
    """The unconfirmed statements, each with its nearest sentence; nothing unsafe is quoted.

    ``passages`` are those of all rounds. A sentence that other sources disagree with (``disputed``)
    or that is about myths is not quoted. A claim that gives orders, or a dose above the maximum,
    gets no nearest sentence, because that would make it look credible.
    """
    quotable = [safe(entry) for entry in passages if not is_about_myths(entry.heading, entry.text)]
    return [
        {
            "text": item["text"],
            "verdict": item["verdict"],
            "failed": item["failed"],
            "failed_checks": [failed_check_text(failed) for failed in item["failed"]],
            "near": None
            if unsafe(item["text"])
            else nearest_sentence(item["text"], quotable, disputed),
        }
        for item in statements
    ]


def nearest_sentence(claim: str, passages: Sequence[Passage], disputed: Disputed) -> Near | None:
    """The sentence that contains most of the claim's words; None if none is near.

    If several contain equally many, the shortest is taken. The words of a passage's heading count
    as words of each of its sentences.
    """
    asked = content_stems(claim)
    best: tuple[float, int] = (0.0, 0)
    found: Near | None = None
    for item in passages:
        heading = content_stems(item.heading)
        for span in sentences(item.text):
            text = " ".join(item.text[span.start : span.end].split())
            said = content_stems(text)
            if not asked & said - heading:
                continue
            share = len(asked & (said | heading)) / len(asked)
            nearer = share >= LEAST and (share, -len(said)) > best
            if nearer and not disputed(item.text[span.start : span.end], item):
                best = share, -len(said)
                found = near_of(item, text)
    return found


def listed(item: Withheld) -> bool:
    """Whether a claim is listed in the answer's text, and not only counted.

    It must be near the evidence, not contradicted, and have failed no check.
    """
    return item["verdict"] == "unsupported" and not item["failed"] and bool(item["near"])
