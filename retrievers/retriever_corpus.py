"""Another program's retriever or vector store as a corpus, alone or together with an index.

Its results are one list, ``retriever``, with its own scores if it has any. Documents are identified
by id and text, so that a changed text is another passage; without ids, by their text and their
access groups.

The last results are kept in the process's memory for the steps after the search: up to ``KEPT``
documents, even if they are deleted in the store in the meantime.
"""

import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, get_args

from langchain_core.documents import Document
from langchain_core.language_models import BaseLanguageModel

from anamnesis.attributes import missing_attributes
from anamnesis.corpus.passage import FROM_RECORD, Passage
from anamnesis.corpus.record import JSON, Kind
from anamnesis.errors import RunError, SettingError
from anamnesis.language.text import digest, well_formed
from anamnesis.models.bounded_cache import BoundedCache
from anamnesis.models.embedding import DEFAULT_EMBEDDER, Embedder, load_embedder
from anamnesis.models.once import LatestObject
from retrievers.corpus import ById, Corpus, Found, List, Writer
from retrievers.dense import Vectors
from retrievers.facts import FactQuery
from retrievers.filter import groups_of
from retrievers.manifest import SCHEMA, EmbedderId, Manifest
from retrievers.provenance import Provenance
from retrievers.retriever_scores import score_of, with_scores
from retrievers.spelling import Speller

RETRIEVER = "retriever"
"""The name of the list."""

KEPT = 10_000
"""Maximum documents kept by id for the steps after the search: those of 100 concurrent runs."""

SURE = 1_000
"""Documents that every store is expected to give at once. If it refuses more, these are used: the
limit of Pinecone, OpenSearch and others is between 1,000 and 16,384."""

_KINDS: tuple[str, ...] = tuple(item for item in get_args(Kind) if item != "fact")
_SEARCHES = ("similarity_search", "similarity_search_with_score")
_log = logging.getLogger(__name__)


class RetrieverCorpus(ById):
    """A LangChain retriever or vector store as a ``Corpus``; see the module."""

    def __init__(
        self, given: Any, corpus: Corpus | None = None, embedder: Embedder | None = None
    ) -> None:
        """``corpus`` is the corpus whose lists are fused with the retriever's, if any.

        Raises SettingError if ``given`` is neither a retriever nor a vector store.
        """
        self._searches = _searches(given)
        self._given, self._index, self._embedder = given, corpus, embedder
        self._kept = BoundedCache[Passage](KEPT)
        self._joined = LatestObject[RetrieverCorpus]()

    def with_index(self, corpus: Corpus) -> "RetrieverCorpus":
        """The same retriever together with ``corpus``; one object for each corpus."""

        def join() -> RetrieverCorpus:
            made = copy(self)
            made._index, made._joined = corpus, LatestObject()
            return made

        # Only the latest is kept: an earlier one would keep a corpus that was replaced.
        return self._joined.get_or_load(lambda own: own._index is corpus, join)

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
        what = type(self._given).__name__
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

    def facts(self, query: FactQuery, k: int) -> list[Found]:
        """The list of the corpus that it is fused with."""
        return self._index.facts(query, k) if self._index is not None else []

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages that exist in the other corpus, in the cache, or in a store, by id."""
        found = self._index.find(ids) if self._index is not None else {}
        found |= self._kept.get(ids)
        missing = [key for key in ids if key not in found]
        if missing and self._searches:
            found |= {item.id: item for item in self._by_ids(missing) if item.id in missing}
        return found

    def provenance(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        """The origin of records of the other corpus."""
        return self._index.provenance(record_ids) if self._index is not None else {}

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
        raise SettingError(
            f"retriever: {type(self._given).__name__} is not written from here; add its documents "
            "with its own methods, such as add_documents"
        )

    def _ask(self, query: str, k: int) -> list[Found]:
        """The list, at most the best ``k``; documents without text are left out."""
        scored = self._scored(query, k)
        rows = [(passage_of(item), score) for item, score in scored if item.page_content.strip()]
        self._kept.put({item.id: item for item, _ in rows})
        # A store may contain a document twice.
        first = {item.id: Found(item.id, score, item.digest) for item, score in reversed(rows)}
        order = dict.fromkeys(item.id for item, _ in rows)
        return [first[key] for key in order][:k]

    def _scored(self, query: str, k: int) -> list[tuple[Document, float]]:
        """The documents and their scores; of a store that refuses so many, the nearest ``SURE``."""
        if not self._searches or k <= SURE:
            return self._found(query, k)
        try:
            return self._found(query, k)
        except RunError:
            # Many stores refuse a longer list.
            _log.warning("%s: only the nearest %d documents are considered", RETRIEVER, SURE)
            return self._found(query, SURE)

    def _found(self, query: str, k: int) -> list[tuple[Document, float]]:
        what = type(self._given).__name__
        try:
            if not self._searches:
                found = self._given.invoke(query)
                if not isinstance(found, Iterable):
                    raise RunError(
                        f"retriever: {what} gave an object of {type(found).__name__}; give a "
                        "retriever whose invoke returns a list of LangChain's Documents"
                    )
                return with_scores([(item, score_of(item)) for item in found], what)
            try:
                return with_scores([*self._given.similarity_search_with_score(query, k=k)], what)
            except NotImplementedError:
                found = [*self._given.similarity_search(query, k=k)]
                return with_scores([(item, None) for item in found], what)
        except (RunError, SettingError):
            raise
        except NotImplementedError as error:
            raise RunError(
                f"retriever: {what} cannot be called without await; implement its synchronous "
                "method too (_get_relevant_documents, or similarity_search of a store)"
            ) from error
        except Exception as error:
            # A provider's message may contain an address or a key.
            _log.warning("%s: %s failed", RETRIEVER, what, exc_info=True)
            raise RunError(
                f"retriever: {what} failed with {type(error).__name__}; details are in the log. "
                f"Make sure that the service it uses can be reached, and ask again"
            ) from error

    def _by_ids(self, ids: Sequence[str]) -> list[Passage]:
        records = list(dict.fromkeys(key.rpartition("#")[0] for key in ids))
        try:
            found = self._given.get_by_ids(records)
        except (NotImplementedError, AttributeError):  # not every store supports it
            return []
        return [passage_of(item) for item in found]


def passage_of(document: Document) -> Passage:
    """A document of another retriever as a passage; its id is ``id#`` and the beginning of the
    digest of its text.

    Title, question, source, url, focus and kind are those of its metadata, of which all stays.
    """
    text = well_formed(document.page_content)
    text_digest = digest(text)
    groups = sorted(groups_of({"access": _json(document.metadata.get("access"))}) or [])
    record = well_formed(document.id or "").strip() or digest(" ".join([text, *groups]))[:16]
    known: dict[str, Any] = {
        name: well_formed(value).strip()
        for name in FROM_RECORD
        if isinstance(value := document.metadata.get(name), str)
    }
    if known.get("kind") not in _KINDS:
        known["kind"] = "document"
    return Passage(
        id=f"{record}#{text_digest[:8]}",
        record_id=record,
        start=0,
        end=len(text),
        text=text,
        metadata={str(name): _json(value) for name, value in document.metadata.items()},
        **known,
    )


def _json(value: Any) -> JSON:
    """A value of metadata as JSON; for other types (a date, an array) its text."""
    if isinstance(value, Mapping):
        return {str(name): _json(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float):
        return value
    return well_formed(str(value))


def _searches(given: Any) -> bool:
    """Whether it is a vector store rather than a retriever; SettingError if it is neither."""
    if not isinstance(given, type):
        if not missing_attributes(given, _SEARCHES):
            return True
        if not missing_attributes(given, ["invoke"]) and not isinstance(given, BaseLanguageModel):
            return False
    what = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
    raise SettingError(
        f"retriever: {what} has neither invoke, as a LangChain BaseRetriever that finds documents "
        f"has, nor {' and '.join(_SEARCHES)}, as a VectorStore has; give one of the two"
    )
