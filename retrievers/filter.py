"""The part of a corpus that a user may read: by source, kind, date and access group.

Every list, every access by id and every look-up by word is filtered, so that no other passage is
found, quoted, cited or compared with a statement. The weights of words are those of the whole
corpus.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.weight import date_of
from anamnesis.errors import SettingError
from anamnesis.models.embedding import Embedder
from retrievers.corpus import FILTERED, ById, Corpus, Found, List, Writer, for_run, place_of
from retrievers.dense import Vectors
from retrievers.facts import FactQuery
from retrievers.manifest import Manifest
from retrievers.methods import sparse_by_library
from retrievers.provenance import Provenance
from retrievers.spelling import Speller

_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


@dataclass(frozen=True)
class Filter:
    """Which passages may be used: those that meet all conditions that are set.

    Args:
        sources: Publishers.
        kinds: Kinds of records; see ``anamnesis.corpus.record.Record``.
        since: First date, in ISO form, to the year, the month or the day.
        until: Last date, likewise. If either is set, a passage without a date does not pass.
        access: The user's access groups. A passage that names groups passes only for these, and one
            that names none passes for everybody. None: groups do not matter.

    Dates and groups are ``date`` and ``access`` (one, or a list) in a record's metadata. Dates are
    compared up to the precision that both have. Raises SettingError for a date in another form, and
    for a condition that is no group of texts.
    """

    sources: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    since: str | None = None
    until: str | None = None
    access: tuple[str, ...] | None = ()

    def __post_init__(self) -> None:
        for name in ("since", "until"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, str) and _DATE.fullmatch(value)):
                raise SettingError(
                    f"filter: {name} is {value!r}; give a date as 2024, 2024-03 or 2024-03-31"
                )
        for name in ("sources", "kinds", "access"):
            value = getattr(self, name)
            texts = isinstance(value, tuple | list | set | frozenset) and all(
                isinstance(item, str) for item in value
            )
            if value is not None and not texts:
                raise SettingError(f"filter: {name} is {value!r}; give a tuple of texts")

    def passes(self, passage: Passage) -> bool:
        """Whether a passage may be used."""
        if self.sources is not None and passage.source not in self.sources:
            return False
        # A document of another program may have a kind that ours have not.
        kinds = (passage.kind, passage.metadata.get("kind"))
        if self.kinds is not None and not any(kind in self.kinds for kind in kinds):
            return False
        groups = groups_of(passage.metadata)
        if groups is not None and self.access is not None and not {*groups} & {*self.access}:
            return False
        return self._dated(date_of(passage.metadata))

    def _dated(self, value: str | None) -> bool:
        if self.since is None and self.until is None:
            return True
        if value is None:
            return False
        later = self.since is None or value[: len(self.since)] >= self.since[: len(value)]
        return later and (
            self.until is None or value[: len(self.until)] <= self.until[: len(value)]
        )


def groups_of(metadata: Mapping[str, object]) -> list[str] | None:
    """The access groups that a passage names; None: everybody."""
    access = metadata.get("access")
    if access is None or access in ("", [], ()):
        return None
    named = access if isinstance(access, list | tuple) else [access]
    return [item for item in named if isinstance(item, str)]


def filtered(corpus: Corpus, limits: Filter) -> Corpus:
    """The part of a corpus that passes: filtered by the engine if it can, otherwise one by one."""
    grouped: Callable[[], bool] = getattr(corpus, "grouped", lambda: True)
    if limits == Filter(access=limits.access) and (limits.access is None or not grouped()):
        return corpus  # everything passes
    # An engine would put the second filter in place of the first.
    limited_to = None if corpus.restricted else getattr(corpus, "limited", None)
    limited: Corpus = Filtered(corpus, limits) if limited_to is None else limited_to(limits)
    return limited


class Filtered(ById):
    """The part of a corpus that passes a filter."""

    restricted = True

    def __init__(self, corpus: Corpus, limits: Filter) -> None:
        self._corpus, self._limits = corpus, limits
        self.further: Mapping[str, List] = {
            name: partial(self._further, item) for name, item in corpus.further.items()
        }

    def for_run(self) -> "Filtered":
        """The same part for one run; see ``retrievers.corpus.for_run``."""
        return Filtered(for_run(self._corpus), self._limits)

    @property
    def place(self) -> str:
        """That of the whole corpus."""
        return place_of(self._corpus)

    def __len__(self) -> int:
        """0: the number of those that pass is unknown."""
        return 0

    @property
    def manifest(self) -> Manifest:
        """That of the whole corpus."""
        return self._corpus.manifest

    @property
    def embedder(self) -> Embedder:
        """What embeds the queries."""
        return self._corpus.embedder

    @property
    def speller(self) -> Speller:
        """The speller, limited to words of the passages that pass."""
        return LimitedSpeller(self._corpus.speller, self)

    def sparse(self, words: str, k: int) -> list[Found]:
        """The best ``k`` that pass [R1]."""
        return self._passing(lambda n: self._corpus.sparse(words, n), k)

    def sparse_by_library(self, words: str, k: int) -> list[Found]:
        """The best ``k`` that pass, by rank_bm25; SettingError if the engine lacks it."""
        return self._passing(lambda n: sparse_by_library(self._corpus, words, n), k)

    def dense(self, vector: Vectors, k: int) -> list[Found]:
        """The best ``k`` that pass [R2]."""
        return self._passing(lambda n: self._corpus.dense(vector, n), k)

    def facts(self, query: FactQuery, k: int) -> list[Found]:
        """The best ``k`` that pass [K2, K3]."""
        return self._passing(lambda n: self._corpus.facts(query, n), k)

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages that exist and pass, by id."""
        found = self._corpus.find(ids)
        return {key: item for key, item in found.items() if self._limits.passes(item)}

    def provenance(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        """The origin of the records that pass."""
        return self._corpus.provenance(self.existing(record_ids))

    def idf(self, terms: Sequence[str]) -> list[float]:
        """That of the whole corpus."""
        return self._corpus.idf(terms)

    def words(self, beginning: str) -> list[str]:
        """The words of the whole corpus; the passages found by them are filtered."""
        return self._corpus.words(beginning)

    def containing(self, *kinds: Iterable[str], most: int = 20_000) -> Iterator[Passage]:
        """The passages that pass and have a word of each kind."""
        return filter(self._limits.passes, self._corpus.containing(*kinds, most=most))

    def writer(self) -> Writer:
        """Raises SettingError: a filtered corpus cannot be written."""
        raise SettingError(FILTERED)

    def _further(self, search: List, query: str, k: int) -> list[Found]:
        return self._passing(partial(search, query), k)

    def _passing(self, search: Callable[[int], list[Found]], k: int) -> list[Found]:
        """The best ``k`` of a list that pass; a longer list is requested if few do."""
        asked = 2 * k
        seen: dict[str, bool] = {}
        while True:
            found = search(asked)
            fresh = [item.id for item in found if item.id not in seen]
            passing = self.find(fresh)
            seen |= {key: key in passing for key in fresh}
            best = [item for item in found if seen[item.id]]
            if len(best) >= k or len(found) < asked:
                return best[:k]
            asked *= 4


class LimitedSpeller(Speller):
    """Corrects words only to words of passages that pass."""

    def __init__(self, speller: Speller, corpus: Corpus) -> None:
        self._whole, self._limited = speller, corpus

    def correction(self, word: str) -> tuple[str | None, bool]:
        """The same as of the whole index, if a passage that passes has the word."""
        better, is_misspelt = self._whole.correction(word)
        if better is None or next(self._limited.containing([better]), None) is None:
            return None, is_misspelt
        return better, is_misspelt
