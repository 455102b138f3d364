"""The engines that the contract of ``Corpus`` is tested on: how each is filled and opened."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from corpus.record import Record
from retrievers.build import FileWriter
from retrievers.corpus import Corpus, Writer
from retrievers.given import GivenCorpus
from retrievers.index import Index, open_index
from tests.fakes import HashEmbedder


class Engine(Protocol):
    """One engine, empty at first."""

    lists: tuple[str, ...]
    """Which lists of ``search`` it has."""
    written: bool
    """Whether it is written by our writer; what others hold is not."""
    many: int
    """Records with one text that it is tested with: a store in Python compares slowly."""

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        """Hold exactly these records as the collection."""

    def opened(self) -> Corpus:
        """What it holds now."""


class Files:
    """An index folder."""

    lists: tuple[str, ...] = ("sparse", "dense")
    written = True
    many = 10_000

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "index"
        self._embedder = HashEmbedder()

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        writer: Writer = FileWriter(self._folder, lambda: self._embedder)
        writer.put(records, collection)

    def opened(self) -> Index:
        return open_index(self._folder, self._embedder)


class Hashed(Embeddings):
    """The tests' embedder, as LangChain has embedders."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [list(_vector(text)) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return list(_vector(text))


@lru_cache(maxsize=4096)
def _vector(text: str) -> tuple[float, ...]:
    return tuple(float(own) for own in HashEmbedder().embed_queries([text])[0])


class Store:
    """A vector store of LangChain, filled by its own methods."""

    lists: tuple[str, ...] = ("retriever",)
    written = False
    many = 1_000

    def __init__(self, folder: Path) -> None:
        self._store = InMemoryVectorStore(Hashed())
        self._held: dict[str, set[str]] = {}

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        gone = self._held.get(collection, set()) - {own.id for own in records}
        self._store.delete(sorted(gone))
        self._store.add_documents(
            [
                Document(
                    own.text,
                    id=own.id,
                    metadata={**own.to_json()["metadata"], "source": own.source},
                )
                for own in records
            ]
        )
        self._held[collection] = {own.id for own in records}

    def opened(self) -> GivenCorpus:
        return GivenCorpus(self._store, embedder=HashEmbedder())


ENGINES = {"files": Files, "langchain store": Store}
