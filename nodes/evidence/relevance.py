"""The probability that a passage answers, the order of passages, and the data stored of them."""

import math
from collections.abc import Sequence
from typing import NamedTuple, NotRequired

from typing_extensions import TypedDict

from anamnesis.corpus.passage import Passage
from anamnesis.memory.profile import Warned
from anamnesis.models.query_tuning import tunes
from anamnesis.models.reading import Reading
from nodes.context import Context
from retrievers.corpus import Corpus
from retrievers.filter import Filtered
from retrievers.search import Hit

FUSED_WEIGHT = 4.0
"""Log-odds of the best place in the fused list, if the reader is not the project's. On NFCorpus'
dev queries any weight from 1 to 12 does about as well."""

_LEAST = 1e-6


class Weights(NamedTuple):
    """Weights with which the reader and the lists are combined, in log-odds.

    ``reader`` is the weight of the reader's log-odds, ``fused`` the weight of the lists
    (``found_by``), in which a cosine of 1 counts ``near``; ``alone`` are the log-odds that the
    reader must reach by itself.
    """

    reader: float
    fused: float
    shift: float
    alone: float
    near: float = 0.0


OWN = Weights(reader=0.584, fused=0.146, shift=-5.552, alone=-0.628, near=32.0)
"""Chosen by `python -m benchmarks.relevance` on 671 messages and questions on topics that the
reader was not trained on, with the cross-fitted figures in its output; scale and shift make it the
probability that the best passage answers. Its cosines are those of the shipped embedder."""

WITHOUT_COSINE = Weights(reader=0.587, fused=0.147, shift=-2.987, alone=0.346)
"""The same for embedders whose cosines have another scale, chosen in the same way."""


def list_weights(index: Corpus, context: Context) -> Weights | None:
    """How the reader and the lists are put together; None if fused scores cannot be compared.

    Scores of different questions can be compared if they are standardised over long lists of
    candidates: among a few passages even the best score is hardly above the mean. They cannot if
    another retriever's list is fused, whose scores have an unknown scale, or if a filter may leave
    only a few passages. Cosines are used if they are from the embedder with which the weights were
    chosen.
    """
    lists = not index.further and not isinstance(index, Filtered)
    whole = lists and len(index) >= context.retrieval.candidates
    if not whole or context.retrieval.fusion != "standardised":
        return None
    near = "dense" in context.retrieval.methods and context.retrieval.tune_query
    return OWN if near and tunes(index.embedder) else WITHOUT_COSINE


def found_by(hits: Sequence[Hit], weights: Weights) -> list[float]:
    """The combined score of the lists for each passage.

    The fused score says how far it is ahead of the others for this question; the cosine says how
    near it is to the question and can be compared between questions.
    """
    return [
        hit["score"] + weights.near * near for hit, near in zip(hits, cosines(hits), strict=True)
    ]


def cosines(hits: Sequence[Hit]) -> list[float]:
    """The cosine of each passage with the question; the lowest one if not in the dense list."""
    known = [hit["scores"]["dense"] for hit in hits if "dense" in hit["scores"]]
    return [hit["scores"].get("dense", min(known, default=0.0)) for hit in hits]


def together(reading: Reading, found: float, weights: Weights = OWN) -> float:
    """The log-odds by which passages are ordered: the reader's and the lists' scores combined.

    The reader sees only this passage; ``found`` is from ``found_by``.
    """
    return weights.reader * log_odds(reading.relevance) + weights.fused * found + weights.shift


def relevance(reading: Reading, found: float | None, weights: Weights = OWN) -> float:
    """The probability that a passage answers: the lower one of the reader's and the combined one.

    If the lists' scores cannot be compared with those of other questions (None), the reader
    decides.
    """
    odds = log_odds(reading.relevance)
    if found is None:
        odds -= WITHOUT_COSINE.alone
    else:
        odds = min(odds - weights.alone, together(reading, found, weights))
    return 1 / (1 + math.exp(-odds))


def blended(probability: float, fused: float) -> float:
    """The order of passages if the lists are not fused by standardised scores.

    The reader's log-odds plus the weighted fused score, which is relative to the best candidate's,
    in 0..1. If the reader is sure, it decides; otherwise the lists have an effect.
    """
    return log_odds(probability) + FUSED_WEIGHT * fused


def log_odds(probability: float) -> float:
    """The log-odds of a probability, which is first moved away from 0 and 1."""
    sure = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(sure / (1 - sure))


class Read(TypedDict):
    """A passage that was read, with its relevance and its nearest sentence.

    ``part`` is the number, from 1, of the question that it was read for, if there are several.
    """

    id: str
    relevance: float
    start: int
    end: int
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
    """A sentence that was read and not quoted, with the reason and its figure."""

    passage: str
    start: int
    end: int
    why: str


class Near(TypedDict):
    """A page to read, not a statement; ``sentence`` is its sentence nearest to the question."""

    id: str
    title: str
    url: str
    source: str
    sentence: str
    warnings: NotRequired[list[Warned]]


def near_of(passage: Passage, sentence: str) -> Near:
    """The page of a passage, with the sentence that is shown of it."""
    return {
        "id": passage.record_id,
        "title": passage.question or passage.title,
        "url": passage.url,
        "source": passage.source,
        "sentence": sentence,
    }


class NextQuery(TypedDict):
    """The query of a further round: the previous query with the unconfirmed ``claims``."""

    query: str
    claims: list[str]


class Ask(TypedDict):
    """One of several questions in a message.

    ``question`` has its words, ``query`` the text that is searched for and read, ``later`` the
    queries of later rounds. One that is ``closed`` is not searched for again.
    """

    question: str
    query: str
    later: NotRequired[list[str]]
    closed: NotRequired[bool]
