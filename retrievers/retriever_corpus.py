"""Another program's retriever or vector store as a corpus, alone or together with an index.

Its results are one list, ``retriever``, with its own scores if it has any; see
``retrievers.given_documents``. With an index, the ids of its documents begin with
``DOCUMENT_PREFIX``, so that no document is taken for the record of the index that has the same id.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from anamnesis.corpus.passage import Passage
from anamnesis.errors import SettingError
from anamnesis.models.embedding import DEFAULT_EMBEDDER, Embedder, load_embedder
from anamnesis.models.once import LatestObject
from retrievers.corpus import FILTERED, ById, Corpus, Found, List, Writer, place_of
from retrievers.dense import Vectors
from retrievers.facts import FactQuery
from retrievers.filter import Filter, filtered
from retrievers.given_documents import RETRIEVER, GivenDocuments
from retrievers.manifest import SCHEMA, EmbedderId, Manifest
from retrievers.provenance import Provenance
from retrievers.spelling import Speller

DOCUMENT_PREFIX = f"{RETRIEVER}:"
"""The beginning of the ids of documents that are searched with an index."""


class RetrieverCorpus(ById):
    """A LangChain retriever or vector store as a ``Corpus``; see the module."""

    def __init__(
        self, given: Any, corpus: Corpus | None = None, embedder: Embedder | None = None
    ) -> None:
        """``corpus`` is the corpus whose lists are fused with the retriever's, if any.

        ``given`` may be ``NativelyFiltered``. Raises SettingError if it is neither a retriever nor
        a vector store.
        """
        self._documents = GivenDocuments(given)
        self._index, self._embedder = corpus, embedder
        self._limits: Filter | None = None
        self.restricted = corpus is not None and corpus.restricted
        self._joined = LatestObject[RetrieverCorpus]()
        # The documents that a run has found, by their own ids; None: this is not for one run.
        self._run_documents: dict[str, Passage] | None = None

    def for_run(self) -> "RetrieverCorpus":
        """The same for one run, which reads documents as it has found them itself."""
        made = copy(self)
        made._run_documents, made._joined = {}, LatestObject()
        return made

    @property
    def place(self) -> str:
        """That of the other corpus; alone, the class of the retriever."""
        return self._documents.name if self._index is None else place_of(self._index)

    def with_index(self, corpus: Corpus) -> "RetrieverCorpus":
        """The same retriever together with ``corpus``; one object for each corpus."""

        def join() -> RetrieverCorpus:
            made = copy(self)
            made._index, made._joined = corpus, LatestObject()
            made.restricted = corpus.restricted
            return made

        # Only the latest is kept: an earlier one would keep a corpus that was replaced.
        return self._joined.get_or_load(lambda kept: kept._index is corpus, join)

    def limited(self, limits: Filter) -> "RetrieverCorpus":
        """The part that passes a filter; see ``retrievers.filter.filtered``."""
        made = copy(self)
        made._limits, made._joined, made.restricted = limits, LatestObject(), True
        made._index = None if self._index is None else filtered(self._index, limits)
        return made

    @property
    def further(self) -> Mapping[str, List]:
        """The lists of the other corpus, and the retriever's."""
        theirs = self._index.further if self._index is not None else {}
        return {**theirs, RETRIEVER: self._ask}

    def __len__(self) -> int:
        """The number of passages of the other corpus; the retriever's number is unknown."""
        return len(self._index) if self._index is not None else 0

    @property
    def manifest(self) -> Manifest:
        """The manifest of the other corpus; alone, one that only names the retriever."""
        if self._index is not None:
            return self._index.manifest
        what = self._documents.name
        made = EmbedderId("", "", 0, 0)
        return Manifest(SCHEMA, "", "", "", what, 0, 0, "", made, {}, {})

    @property
    def embedder(self) -> Embedder:
        """The one passed in, otherwise that of the other corpus, otherwise the default one."""
        if self._embedder is not None:
            return self._embedder
        if self._index is not None:
            return self._index.embedder
        return load_embedder(DEFAULT_EMBEDDER)

    @property
    def speller(self) -> Speller:
        """The speller of the other corpus; alone it corrects nothing, because no word is known."""
        return self._index.speller if self._index is not None else Speller({})

    def sparse(self, words: str, k: int) -> list[Found]:
        """The list of the corpus that it is fused with."""
        return self._index.sparse(words, k) if self._index is not None else []

    def dense(self, vector: Vectors, k: int) -> list[Found]:
        """The list of the corpus that it is fused with."""
        return self._index.dense(vector, k) if self._index is not None else []

    @property
    def both(self) -> Any:
        """The sparse and the dense list in one request, if the other corpus has that method."""
        return getattr(self._index, "both", None)

    @property
    def sparse_by_library(self) -> Any:
        """The sparse list by rank_bm25, if the other corpus has that method."""
        return getattr(self._index, "sparse_by_library", None)

    def facts(self, query: FactQuery, k: int) -> list[Found]:
        """The list of the corpus that it is fused with."""
        return self._index.facts(query, k) if self._index is not None else []

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages that exist in the other corpus or among the documents, by id."""
        found = self._index.find(ids) if self._index is not None else {}
        start = self._start
        others = [key[len(start) :] for key in ids if key not in found and key.startswith(start)]
        passes = self._limits.passes if self._limits is not None else None
        for passage in self._documents.find(others, self._run_documents or {}).values():
            if passes is None or passes(passage):
                found[start + passage.id] = replace(
                    passage, id=start + passage.id, record_id=start + passage.record_id
                )
        return found

    def provenance(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        """The origin of records of the other corpus."""
        if self._index is None:
            return {}
        return self._index.provenance(
            [key for key in record_ids if not key.startswith(DOCUMENT_PREFIX)]
        )

    def idf(self, terms: Sequence[str]) -> list[float]:
        """The idf of the other corpus; alone 0."""
        return self._index.idf(terms) if self._index is not None else [0.0] * len(terms)

    def words(self, beginning: str) -> list[str]:
        """The words of the other corpus."""
        return self._index.words(beginning) if self._index is not None else []

    def containing(self, *kinds: Iterable[str], most: int = 20_000) -> Iterator[Passage]:
        """The passages of the other corpus; a retriever cannot list its documents."""
        return self._index.containing(*kinds, most=most) if self._index is not None else iter(())

    def writer(self) -> Writer:
        """Raises SettingError: another program's store is changed by its own methods."""
        if self._limits is not None:
            raise SettingError(FILTERED)
        raise SettingError(
            f"retriever: {self._documents.name} is not written from here; add its documents "
            "with its own methods, such as add_documents"
        )

    def _ask(self, query: str, k: int) -> list[Found]:
        """The list: at most the best ``k`` documents that pass the filter."""
        found = self._documents.search(query, k, self._limits)
        if self._run_documents is not None:
            self._run_documents |= {item.id: item for item, _ in found}
        return [Found(self._start + item.id, score, item.digest) for item, score in found]

    @property
    def _start(self) -> str:
        """How the ids of the documents begin here."""
        return "" if self._index is None else DOCUMENT_PREFIX
