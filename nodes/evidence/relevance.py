"""The probability that a passage answers, the order of passages, and the data stored of them."""

from typing import NamedTuple, NotRequired

from typing_extensions import TypedDict

from anamnesis.corpus.passage import Page, Passage
from anamnesis.memory.profile import Warned
from anamnesis.models.reading import Reading, from_log_odds, log_odds
from nodes.context import Context
from retrievers.corpus import Corpus
from retrievers.filter import Filtered
from retrievers.search import Hit

FUSED_WEIGHT = 4.0
"""Log-odds of the best place in the fused list, if the reader is not the project's. On NFCorpus'
dev queries any weight from 1 to 12 does about as well."""


class Weights(NamedTuple):
    """Weights with which the reader and the lists are combined, in log-odds.

    ``reader`` is the weight of the reader's log-odds, ``fused`` that of the fused score; ``alone``
    are the log-odds that the reader must reach by itself.
    """

    reader: float
    fused: float
    shift: float
    alone: float


OWN = Weights(reader=0.662, fused=0.132, shift=-2.627, alone=-0.194)
"""Chosen by `python -m benchmarks.relevance` on 621 messages and questions on topics that the
reader was not trained on, with the cross-fitted figures in its output; scale and shift make it the
probability that the best passage answers."""


def list_weights(index: Corpus, context: Context) -> Weights | None:
    """How the reader and the lists are put together; None if fused scores cannot be compared.

    Scores of different questions can be compared if they are standardised over long lists of
    candidates: among a few passages even the best score is hardly above the mean. They cannot if
    another retriever's list is fused, whose scores have an unknown scale, or if a filter may leave
    only a few passages.
    """
    lists = not index.further and not isinstance(index, Filtered)
    whole = lists and len(index) >= context.retrieval.candidates
    return OWN if whole and context.retrieval.fusion == "standardised" else None


def combined_log_odds(reading: Reading, fused: float, weights: Weights = OWN) -> float:
    """The log-odds by which passages are ordered: the reader's and the lists' scores combined.

    The reader sees only this passage; the ``fused`` score says how far it is ahead of the others.
    """
    return weights.reader * log_odds(reading.relevance) + weights.fused * fused + weights.shift


def relevance(reading: Reading, fused: float | None, weights: Weights = OWN) -> float:
    """The probability that a passage answers: the lower one of the reader's and the combined one.

    If the fused scores cannot be compared with those of other questions (None), the reader
    decides.
    """
    odds = log_odds(reading.relevance)
    if fused is None:
        odds -= OWN.alone
    else:
        odds = min(odds - weights.alone, combined_log_odds(reading, fused, weights))
    return from_log_odds(odds)


def blended(probability: float, fused: float) -> float:
    """The order of passages if the lists are not fused by standardised scores.

    The reader's log-odds plus the weighted fused score, which is relative to the best candidate's,
    in 0..1. If the reader is sure, it decides; otherwise the lists have an effect.
    """
    return log_odds(probability) + FUSED_WEIGHT * fused


class ReadPassage(TypedDict):
    """A passage that was read, with its relevance and its nearest sentence.

    ``part`` is the number, from 1, of the question that it was read for, if there are several;
    ``polar`` is as in ``Selected``.
    """

    id: str
    relevance: float
    start: int
    end: int
    polar: NotRequired[dict[str, float]]
    part: NotRequired[int]


class Cited(TypedDict):
    """The stored data of a selected passage that a supported statement cites (see ``Selected``)."""

    id: str
    relevance: float
    polar: dict[str, float]
    part: NotRequired[int]


class Selected(Hit):
    """A hit that the reader has read.

    ``relevance`` is the probability that the passage answers the question; ``sentences`` are [first
    character, one past the last, probability that a good answer quotes it]; ``polar`` is the
    passage's answer to a yes/no question (``anamnesis.models.reading.POLAR_OUTPUTS``). If pages on
    several ``topics`` answer equally well, the relevance is the probability that one of them does.
    """

    relevance: float
    sentences: list[list[float]]
    polar: dict[str, float]
    topics: NotRequired[list[str]]


class Dropped(TypedDict):
    """A passage or, with ``start`` and ``end``, a sentence that is not used, and what dropped it.

    ``why`` has the figure that decided. ``part`` is the number of the question, from 1, if there
    are several.
    """

    passage: str
    why: str
    start: NotRequired[int]
    end: NotRequired[int]
    part: NotRequired[int]


def dropped(item: Hit, why: str, start: int | None = None, end: int | None = None) -> Dropped:
    """The record of a passage, or of the sentence from ``start`` to ``end``, that is not used."""
    made: Dropped = {"passage": item["id"], "why": why}
    if start is not None and end is not None:
        made |= {"start": start, "end": end}
    if "part" in item:
        made["part"] = item["part"]
    return made


class Near(Page):
    """A page to read, not a statement.

    ``sentence`` is its sentence nearest to the question, or '' if that may not be shown.
    """

    sentence: str
    warnings: NotRequired[list[Warned]]


def near_of(passage: Passage, sentence: str) -> Near:
    """The page of a passage, with the sentence that is shown of it."""
    # mypy: a page could have further keys.
    return {**passage.page, "sentence": sentence}  # type: ignore[typeddict-item]
