"""An index on disk, opened for searching."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.errors import IndexFolderError
from anamnesis.models.bounded_cache import BoundedCache
from anamnesis.models.embedding import Embedder
from anamnesis.models.once import LatestObject, LoadedObjects, loaded_once
from retrievers.corpus import ById, Found, List
from retrievers.dense import DenseIndex, Vectors
from retrievers.facts import FactIndex, FactQuery
from retrievers.file_writer import FileWriter
from retrievers.library_bm25 import LibraryBM25
from retrievers.manifest import (
    MANIFEST,
    Manifest,
    check_files,
    damaged,
    fitting_embedder,
    generation_folder,
    read_manifest,
    remedy,
)
from retrievers.provenance import PROVENANCE, Provenance, ProvenanceStore
from retrievers.ranking import Scored
from retrievers.sparse import TOKENIZER, SparseIndex
from retrievers.spelling import Speller
from retrievers.store import STORE, PassageStore

_AT_ONCE = 200
"""Passages that are read together."""

_KNOWN = 50_000
"""Maximum rows whose id and text key are cached, some 15 MB."""


class Index(ById):
    """One generation of an index folder as a ``Corpus``, read only. Safe to use from threads.

    Its results do not change, even if the folder gets a newer generation. Equal scores are ordered
    by row: by collection, record and place in its text.

    Attributes:
        folder: The index folder.
        manifest: The sources of the index, and the models that made it.
        bm25: BM25 over the passages, by row.
        vectors: Inner products over their vectors, by row.
        fact_index: The facts, which the other two do not search; None if there are none.
    """

    further: ClassVar[Mapping[str, List]] = {}

    def __init__(self, folder: Path, manifest: Manifest, embedder: Embedder | None) -> None:
        """See ``Index.open``."""
        files = generation_folder(folder, manifest)
        self.folder = folder
        self.manifest = manifest
        self.bm25 = SparseIndex(files)
        self.vectors = DenseIndex(files, manifest.facts)
        self.fact_index = FactIndex(files, len(self.vectors)) if manifest.facts else None
        self._store = PassageStore(files)
        self._origins = ProvenanceStore(files)
        self._embedder = embedder
        self._known = BoundedCache[tuple[str, str]](_KNOWN)

    @classmethod
    def open(cls, folder: Path, embedder: Embedder | None = None) -> Self:
        """Open the index in ``folder``.

        ``embedder`` embeds the queries; None: the one that the manifest names, loaded at the
        first dense search.

        Raises IndexFolderError if there is no index, it was made with another embedder or schema
        version, or it is damaged.
        """
        folder = Path(folder)
        manifest = read_manifest(folder)
        while True:
            if manifest.tokenizer != TOKENIZER:
                raise IndexFolderError(
                    f"The index in {folder} was made with tokenizer {manifest.tokenizer!r}, not "
                    f"{TOKENIZER!r}. Build it again: {remedy(folder, rebuild=True)}"
                )
            if embedder is not None:
                fitting_embedder(manifest, embedder, folder)
            try:
                check_files(folder, manifest, checksums=True)
                return cls(folder, manifest, embedder)
            except (OSError, ValueError, sqlite3.Error, IndexFolderError) as error:
                # A newer generation may have replaced this one since the manifest was read.
                newer = read_manifest(folder)
                if newer.generation == manifest.generation:
                    if isinstance(error, IndexFolderError):
                        raise
                    raise damaged(folder, str(error)) from error
                manifest = newer

    @property
    def place(self) -> str:
        """The absolute path of the folder."""
        return str(self.folder.absolute())

    def __len__(self) -> int:
        """The number of passages including facts."""
        return self.manifest.passages

    @loaded_once
    def embedder(self) -> Embedder:
        """The embedder of the queries. Raises IndexFolderError if another one made the vectors."""
        return self._embedder or fitting_embedder(self.manifest, None, self.folder)

    @loaded_once
    def speller(self) -> Speller:
        """The speller, which corrects words that no passage has."""
        facts = self.fact_index
        return Speller(self.bm25.counts(), facts.names.has_word if facts else lambda word: False)

    @loaded_once
    def _library(self) -> LibraryBM25:
        return LibraryBM25(item.indexed for item in self._at(range(len(self.bm25))))

    def sparse(self, words: str, k: int) -> list[Found]:
        """The best ``k`` passages for the words [R1]."""
        return self._found(self.bm25.search(words, k))

    def sparse_by_library(self, words: str, k: int) -> list[Found]:
        """The results of ``sparse`` by rank_bm25's own class, which first reads all passages."""
        return self._found(self._library.search(words, k))

    def dense(self, vector: Vectors, k: int) -> list[Found]:
        """The best ``k`` passages by the inner product with a vector (dimensions,) [R2]."""
        return self._found(self.vectors.search(vector, k))

    def facts(self, query: FactQuery, k: int) -> list[Found]:
        """The best ``k`` facts; see ``retrievers.facts.best_facts`` [K2, K3]."""
        if self.fact_index is None:
            return []
        return self._found(self.fact_index.search(query, k, self.embedder.embed_queries))

    def _found(self, scored: Sequence[Scored]) -> list[Found]:
        rows = [row for row, _ in scored]

        def read(missing: list[int]) -> list[tuple[str, str]]:
            with self._reading():
                found = self._store.known([rows[place] for place in missing])
                return [found[rows[place]] for place in missing]

        known = self._known.get_or_make(rows, read)
        return [
            Found(key, score, text) for (key, text), (_, score) in zip(known, scored, strict=True)
        ]

    def idf(self, terms: Sequence[str]) -> list[float]:
        """The idf of each lower-case word in the passages; see ``SparseIndex.idf``."""
        return [self.bm25.idf(term) for term in terms]

    def words(self, beginning: str) -> list[str]:
        """The lower-case words of the passages with this beginning, sorted."""
        return self.bm25.words(beginning)

    def ids(self, rows: Sequence[int]) -> list[str]:
        """The passage ids of ``rows``, in their order."""
        with self._reading():
            return self._store.ids(rows)

    def grouped(self) -> bool:
        """Whether any passage names access groups; see ``retrievers.filter``."""
        with self._reading():
            return self._store.grouped

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages that the index has, by id."""
        with self._reading():
            return self._store.find(ids)

    def containing(self, *kinds: Iterable[str], most: int = 20_000) -> Iterator[Passage]:
        """All passages that have a word of each of the ``kinds`` of lower-case words, by row.

        They are not ranked, so that many similar passages cannot displace the others. If there are
        more than ``most``, a sample spread evenly over the index is returned.
        """
        rows = self.bm25.having(kinds[0]) if kinds else np.empty(0, np.int32)
        for words in kinds[1:]:
            rows = np.intersect1d(rows, self.bm25.having(words), assume_unique=True)
        if len(rows) > most:
            rows = rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)]
        return self._at(rows.tolist())

    def _at(self, rows: Sequence[int]) -> Iterator[Passage]:
        for start in range(0, len(rows), _AT_ONCE):
            with self._reading():
                found = self._store.at(rows[start : start + _AT_ONCE])
            yield from found

    @contextmanager
    def _reading(self, name: str = STORE) -> Iterator[None]:
        """Raise IndexFolderError if a file was damaged after it was opened."""
        try:
            yield
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            raise damaged(self.folder, f"{name} cannot be read ({error})") from error

    def provenance(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        """The origin of records, when they were indexed, and who approved them, by id.

        Records that an earlier version of the program indexed are missing.
        """
        with self._reading(PROVENANCE):
            return self._origins.find(record_ids)

    def writer(self) -> FileWriter:
        """The writer of the folder's next generation, with this one's embedder."""
        return FileWriter(self.folder, lambda: self.embedder, Index)

    def close(self) -> None:
        """Close the file of the passages. The index cannot be used after that."""
        self._store.close()
        self._origins.close()


_State = tuple[int, int, int]
_opened = LoadedObjects[tuple[Path, int | None], LatestObject[tuple[_State, Index]]]()


def open_index(folder: Path, embedder: Embedder | None = None) -> Index:
    """``Index.open``, once per process and generation; a new generation is opened at once."""
    folder = Path(folder).absolute()
    key = folder, None if embedder is None else id(embedder)
    _, index = _opened.get_or_load(key, LatestObject).get_or_load(
        lambda kept_state: kept_state[0] == _state_of(folder),
        lambda: (_state_of(folder), Index.open(folder, embedder)),
    )
    return index


def _state_of(folder: Path) -> _State:
    """Identifies the manifest's file: manifests are replaced, never modified."""
    try:
        found = (folder / MANIFEST).stat()
    except OSError:
        return (0, 0, 0)
    return (found.st_ino, found.st_mtime_ns, found.st_size)
