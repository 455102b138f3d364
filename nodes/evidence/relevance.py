"""How probable it is that a passage answers, what is kept of one that was read, and its order."""

import math
from collections.abc import Sequence
from typing import NamedTuple, NotRequired

from typing_extensions import TypedDict

from anamnesis.memory.profile import Warned
from anamnesis.models.query_tuning import tunes
from anamnesis.models.reading import Reading
from nodes.context import Context
from retrievers.corpus import Corpus
from retrievers.filter import Filtered
from retrievers.search import Hit

FUSED_WEIGHT = 4.0
"""Log-odds that the best place in the fused list is worth beside a reader that is not the
project's. On NFCorpus' dev queries any weight from 1 to 12 does about as well."""

_LEAST = 1e-6


class Weights(NamedTuple):
    """How the reader and the lists are put together, in log-odds.

    ``reader`` weighs the reader's log-odds, ``fused`` what the lists say (``found_by``), in which a
    cosine of 1 is worth ``near``; ``alone`` are the log-odds that the reader must reach by itself.
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

    Those of different questions can if scores are standardised over long lists of candidates: among
    a few passages even the best score is hardly above the mean. They cannot if another retriever's
    list is fused, whose scores have an unknown scale, or if a filter may leave only a few passages.
    Cosines count where they are those that the weights were chosen with.
    """
    lists = not index.further and not isinstance(index, Filtered)
    whole = lists and len(index) >= context.retrieval.candidates
    if not whole or context.retrieval.fusion != "standardised":
        return None
    near = "dense" in context.retrieval.methods and context.retrieval.tune_query
    return OWN if near and tunes(index.embedder) else WITHOUT_COSINE


def found_by(hits: Sequence[Hit], weights: Weights) -> list[float]:
    """What the lists say of each passage.

    The fused score tells how far it is ahead of the others for this question, the cosine how near
    it is by itself, which can be compared between questions.
    """
    return [
        hit["score"] + weights.near * near for hit, near in zip(hits, cosines(hits), strict=True)
    ]


def cosines(hits: Sequence[Hit]) -> list[float]:
    """The cosine of each passage with the question; for one outside the dense list the least."""
    known = [hit["scores"]["dense"] for hit in hits if "dense" in hit["scores"]]
    return [hit["scores"].get("dense", min(known, default=0.0)) for hit in hits]


def together(reading: Reading, found: float, weights: Weights = OWN) -> float:
    """The log-odds by which passages are ordered: what the reader and both lists say together.

    The reader sees this passage alone; ``found`` is of ``found_by``.
    """
    return weights.reader * log_odds(reading.relevance) + weights.fused * found + weights.shift


def relevance(reading: Reading, found: float | None, weights: Weights = OWN) -> float:
    """How probable it is that a passage answers: the reader alone and both together must say so.

    Where what the lists say cannot be compared with that of other questions (None) the reader
    decides.
    """
    odds = log_odds(reading.relevance)
    if found is None:
        odds -= WITHOUT_COSINE.alone
    else:
        odds = min(odds - weights.alone, together(reading, found, weights))
    return 1 / (1 + math.exp(-odds))


def blended(probability: float, fused: float) -> float:
    """What passages are ordered by where the lists are not fused by standardised scores.

    The reader's log-odds plus the weighed fused score, which is relative to the best candidate's,
    in 0..1. Where the reader is sure, it decides; where it is not, the lists still have a say.
    """
    return log_odds(probability) + FUSED_WEIGHT * fused


def log_odds(probability: float) -> float:
    """The log-odds of a probability, which is kept off 0 and 1."""
    sure = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(sure / (1 - sure))


class Read(TypedDict):
    """A passage that was read, with its relevance and the sentence that comes nearest.

    ``part`` is the question that it was read for, from 1, where a message has several.
    """

    id: str
    relevance: float
    start: int
    end: int
    part: NotRequired[int]


class Cited(TypedDict):
    """What is kept of a selected passage that a supported statement cites (see ``Selected``)."""

    id: str
    relevance: float
    polar: dict[str, float]
    part: NotRequired[int]


class Selected(Hit):
    """A hit that the reader has read.

    ``relevance`` is the probability that the passage answers the question; ``sentences`` are
    [first character, one past the last, probability that a good answer quotes it]; ``polar``
    what the passage says to a yes/no question (``anamnesis.models.reading.POLAR_OUTPUTS``). Where
    pages on several ``topics`` answer alike, the relevance is the probability that one of them
    does.
    """

    relevance: float
    sentences: list[list[float]]
    polar: dict[str, float]
    topics: NotRequired[list[str]]


class Dropped(TypedDict):
    """A sentence that was read and not quoted, and why, with the figure that decided."""

    passage: str
    start: int
    end: int
    why: str


class Near(TypedDict):
    """A page to read, no statement: ``sentence`` is the one that comes nearest the question."""

    id: str
    title: str
    url: str
    source: str
    sentence: str
    warnings: NotRequired[list[Warned]]


class NextQuery(TypedDict):
    """What a further round would search for: the query before with the unconfirmed ``claims``."""

    query: str
    claims: list[str]


class Ask(TypedDict):
    """One of several questions in a message.

    ``question`` are its own words, ``query`` what it is searched for and read as, ``later`` the
    queries of later rounds. One that is ``closed`` is not searched for again.
    """

    question: str
    query: str
    later: NotRequired[list[str]]
    closed: NotRequired[bool]
