"""The base of readers that read question and passage in one pass [R4]."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

from anamnesis.models.bounded_cache import BoundedCache, key_of
from anamnesis.models.reading import Reading

_CAPACITY = 4_000  # readings


class CachingReader(ABC):
    """A reader that is also a reranker, and caches its readings of a passage for a question."""

    method: Literal["cross-encoder"] = "cross-encoder"

    def __init__(self) -> None:
        self._kept = BoundedCache[Reading](_CAPACITY)

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """A reading of each passage, given as (heading, text).

        A passage that does not fit the window with the question is read in windows of whole
        sentences: the best one's relevance counts.
        """
        return self._kept.get_or_make(
            [key_of(question, *item) for item in passages],
            lambda places: self._read(question, [passages[place] for place in places]),
        )

    def score(self, query: str, passages: Sequence[tuple[str, str]]) -> list[float]:
        """The relevance of each passage, given as (heading, text)."""
        return [item.relevance for item in self.read(query, passages)]

    @abstractmethod
    def _read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """The readings of passages that are not in the cache."""
