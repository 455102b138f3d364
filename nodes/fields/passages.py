"""Passages as the state and the answer have them: read, selected, cited, dropped, or near."""

from typing import NotRequired

from typing_extensions import TypedDict

from anamnesis.corpus.passage import Page, Passage
from anamnesis.memory.profile import Warned
from retrievers.search import Hit


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

    ``why`` has the figure that decided. ``part`` is as in ``ReadPassage``.
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
