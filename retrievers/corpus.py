"""The interface between decisions and search: an engine that stores passages.

Every engine (files, a database, another program's retriever) is accessed by id and never by row. It
returns lists with raw scores. ``retrievers.search`` decides everything else, the same for all
engines: fusion, the record with which a text is shown, and guarantees.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, NamedTuple, Protocol, Self, cast

from anamnesis.attributes import require
from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from anamnesis.models.embedding import Embedder
from retrievers.build import Changes, Progress
from retrievers.dense import Vectors
from retrievers.facts import FactQuery
from retrievers.manifest import Manifest, fitting_embedder, own_embedder
from retrievers.provenance import Approval, Provenance
from retrievers.spelling import Speller


class Found(NamedTuple):
    """A passage in one list.

    Args:
        id: The passage.
        score: The list's own score; higher is better.
        text: Equal for equal texts, whichever engine has them: ``Passage.digest``.
    """

    id: str
    score: float
    text: str


List = Callable[[str, int], list[Found]]
"""An additional search function: maps the unchanged query and a number to the best passages."""


class Writer(Protocol):
    """Changes the contents of an engine. An open ``Corpus`` keeps the old contents."""

    def put(
        self,
        records: Iterable[Record],
        collection: str,
        progress: Progress | None = None,
        *,
        rebuild: bool = False,
        approval: Approval | None = None,
        accept: "Accept | None" = None,
    ) -> Changes:
        """Store exactly ``records`` as the collection; see ``retrievers.build.build``."""

    def remove(self, collection: str) -> Changes:
        """Remove a collection; SettingError if no collection has that name."""

    def content_hashes(self) -> dict[str, str]:
        """The content hashes (``retrievers.build.content_of``) of the stored records, by id."""


class Corpus(Protocol):
    """An engine that stores and finds passages. Safe to use from several threads.

    Lists are best first; the engine always orders equal scores in the same way. A passage with a
    sparse score of zero or less is in no list.
    """

    def __len__(self) -> int:
        """The number of passages including facts; 0 if unknown, as under a filter."""

    @property
    def restricted(self) -> bool:
        """Whether a filter leaves a part of the corpus out."""

    @property
    def manifest(self) -> Manifest:
        """The contents, and the embedder and tokenizer that were used to make them."""

    @property
    def embedder(self) -> Embedder:
        """The embedder of the queries."""

    @property
    def speller(self) -> Speller:
        """The speller, which corrects words that no passage has."""

    @property
    def further(self) -> Mapping[str, List]:
        """Additional search functions by name; their lists are fused with the usual ones."""

    def sparse(self, words: str, k: int) -> list[Found]:
        """The best ``k`` passages for the words, without facts [R1]."""

    def dense(self, vector: Vectors, k: int) -> list[Found]:
        """The best ``k`` passages by the inner product with a vector (dimensions,) [R2]."""

    def facts(self, query: FactQuery, k: int) -> list[Found]:
        """The best ``k`` facts; see ``retrievers.facts.best_facts`` [K2, K3]."""

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages that exist, by id."""

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages in the order of ``ids``; SettingError if one does not exist."""

    def provenance(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        """The origin of records, by id; unknown ones, and those that a filter excludes, are left
        out.
        """

    def idf(self, terms: Sequence[str]) -> list[float]:
        """The idf of each lower-case word in BM25, never below 0."""

    def words(self, beginning: str) -> list[str]:
        """The lower-case words in the passages that start with ``beginning``, sorted."""

    def containing(self, *kinds: Iterable[str], most: int = 20_000) -> Iterator[Passage]:
        """All passages that contain a word from each of the ``kinds``, sets of lower-case words.

        They are not ranked. If there are more than ``most``, an evenly spread sample is returned.
        """

    def writer(self) -> Writer:
        """The writer; SettingError if the corpus cannot be changed from here."""


def all_of(ids: Sequence[str], found: Mapping[str, Passage]) -> list[Passage]:
    """The passages in the order of ``ids``. Raises SettingError if one was not found."""
    missing = [key for key in ids if key not in found]
    if missing:
        raise SettingError(
            f"There is no passage {missing[0]!r}: the index may have been built again since it was "
            "found, or a retriever does not find this document again. Ask the question again, in a "
            "new run."
        )
    return [found[key] for key in ids]


def place_of(corpus: Corpus) -> str:
    """Where the corpus is, whatever its content; for one that does not say it, its class."""
    kind = type(corpus)
    return str(getattr(corpus, "place", f"{kind.__module__}.{kind.__qualname__}"))


def for_run(corpus: Corpus) -> Corpus:
    """The corpus for one run, which reads a retriever's documents as it has found them itself."""
    for_run = getattr(corpus, "for_run", None)
    return corpus if for_run is None else cast(Corpus, for_run())


class ById:
    """Base of corpora, whose ``find`` returns the passages that exist."""

    restricted: bool = False

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages that exist, by id."""
        raise NotImplementedError

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages in the order of ``ids``; SettingError if one does not exist."""
        return all_of(ids, self.find(ids))

    def existing(self, record_ids: Sequence[str]) -> list[str]:
        """Those of the records whose first passage exists."""
        first = [f"{key}#0" for key in record_ids]
        found = self.find(first)
        return [key for key, passage in zip(record_ids, first, strict=True) if passage in found]


class ServerEngine:
    """Base of engines on a server: which embedder they use."""

    name: str
    _embedder: Embedder | None

    def manifest(self) -> Manifest | None:
        """The manifest of the current generation; None before anything was written."""
        raise NotImplementedError

    def embedder_of(self, manifest: Manifest) -> Embedder:
        """The embedder of a generation's queries; IndexFolderError if its vectors do not fit it."""
        return fitting_embedder(manifest, self._embedder, self.name)

    def next_embedder(self) -> Embedder:
        """The embedder of the next generation, unless its writer is given another one."""
        return self._embedder or own_embedder(self.manifest())


class Generation(ById):
    """Base of a generation on a server, or of the part of it that passes a filter."""

    further: ClassVar[Mapping[str, List]] = {}
    manifest: Manifest
    _server: Any
    _limits: Any = None
    _embedder: Embedder | None = None

    def __len__(self) -> int:
        """The number of passages, including facts; 0 under a filter."""
        return 0 if self.restricted else self.manifest.passages

    def with_embedder(self, embedder: Embedder) -> Self:
        """The same generation, whose queries ``embedder`` embeds.

        Raises IndexFolderError if the vectors do not fit it.
        """
        made = copy(self)
        made._embedder = fitting_embedder(self.manifest, embedder, self._server.name)
        return made

    @property
    def place(self) -> str:
        """The address of the server, without user, password and options."""
        return str(self._server.where)

    @property
    def embedder(self) -> Embedder:
        """The embedder of the queries."""
        if self._embedder is not None:
            return self._embedder
        embedder: Embedder = self._server.embedder_of(self.manifest)
        return embedder

    def writer(self) -> Writer:
        """The writer of the next generation; SettingError if a filter hides a part of this one."""
        if self._limits is not None:
            raise SettingError(FILTERED)
        writer: Writer = self._server.writer(lambda: self.embedder)
        return writer


FILTERED = "a filtered index cannot be written; use the writer of the whole index"

Accept = Callable[[Corpus], None]
"""Called with the next generation before it is used; on an error, the current one is kept."""

METHODS = (
    "manifest", "embedder", "speller", "further", "restricted", "sparse", "dense", "facts", "find",
    "passages", "provenance", "idf", "words", "containing", "writer",
)  # fmt: skip
"""The required attributes of a ``Corpus``."""


def require_corpus(given: object, part: str = "index") -> Corpus:
    """The object, if it is a corpus. Otherwise raises SettingError, naming what it lacks."""
    require(
        part, given, METHODS, "give the result of retrievers.index.open_index, or another Corpus"
    )
    return cast(Corpus, given)
