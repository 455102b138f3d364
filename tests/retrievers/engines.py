"""The engines that the contract of ``Corpus`` is tested on: how each is filled and opened."""

import os
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol
from unittest import mock
from urllib.parse import urlsplit

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from anamnesis.models.embedding import Embedder
from retrievers import opening
from retrievers import postgres_textsearch as textsearch
from retrievers.corpus import Corpus, Writer
from retrievers.file_writer import FileWriter
from retrievers.index import Index, open_index
from retrievers.milvus_tables import NOW
from retrievers.postgres import PostgresCorpus, PostgresEngine
from retrievers.retriever_corpus import RetrieverCorpus
from tests.fakes import HashEmbedder
from tests.retrievers.postgres_servers import new_database


class Engine(Protocol):
    """One engine, empty at first."""

    address: str
    """What is given to the program to open it; empty where nothing can be given."""

    lists: tuple[str, ...]
    """Which lists of ``search`` it has."""
    floor: bool
    """Whether its idf is that of Okapi with a floor; else ln(1 + (N - n + .5) / (n + .5))."""
    written: bool
    """Whether it is written by our writer; what others hold is not."""
    facts: bool
    """Whether it holds facts."""

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        """Hold exactly these records as the collection."""

    def opened(self) -> Corpus:
        """What it holds now."""

    def close(self) -> None:
        """Let go of everything."""

    def reopen(self) -> None:
        """Take hold of it again."""


class Files:
    """An index folder."""

    lists: tuple[str, ...] = ("sparse", "dense")
    floor = True
    written = True
    facts = True

    def __init__(self, folder: Path, embedder: Embedder | None = None) -> None:
        self._folder = folder / "index"
        self.address = str(self._folder)
        self._embedder = embedder or HashEmbedder()

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        writer: Writer = FileWriter(self._folder, lambda: self._embedder, Index)
        writer.put(records, collection)

    def opened(self) -> Index:
        return open_index(self._folder, self._embedder)

    def close(self) -> None:
        pass

    reopen = close


class Wrapped(Embeddings):
    """An embedder of the tests, as LangChain has embedders; each text is embedded once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        vectors = self._embedder.embed_documents(new)
        self._kept.update(zip(new, vectors.tolist(), strict=True))
        return [self._kept[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(value) for value in self._embedder.embed_queries([text])[0]]


class Store:
    """A vector store of LangChain, filled by its own methods."""

    address = ""

    lists: tuple[str, ...] = ("retriever",)
    floor = True
    written = False
    facts = False

    def __init__(self, folder: Path, embedder: Embedder | None = None) -> None:
        self._embedder = embedder or HashEmbedder()
        self._store = InMemoryVectorStore(Wrapped(self._embedder))
        self._held: dict[str, set[str]] = {}
        # One object for the life of the process, as a graph has it.
        self._corpus = RetrieverCorpus(self._store, embedder=self._embedder)

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        gone = self._held.get(collection, set()) - {record.id for record in records}
        self._store.delete(sorted(gone))
        self._store.add_documents(
            [
                Document(
                    record.text,
                    id=record.id,
                    metadata={**record.to_json()["metadata"], "source": record.source},
                )
                for record in records
            ]
        )
        self._held[collection] = {record.id for record in records}

    def opened(self) -> RetrieverCorpus:
        return self._corpus

    def close(self) -> None:
        pass

    reopen = close


class Postgres:
    """A database of its own on the session's PostgreSQL."""

    lists: tuple[str, ...] = ("sparse", "dense")
    floor = True
    written = True
    facts = True

    def __init__(self, folder: Path, embedder: Embedder | None = None) -> None:
        self.address, self._embedder = new_database(), embedder or HashEmbedder()
        self.reopen()

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        self._engine.writer().put(records, collection)

    def opened(self) -> PostgresCorpus:
        return self._engine.corpus()

    def close(self) -> None:
        self._engine.close()

    def reopen(self) -> None:
        self._engine = PostgresEngine(self.address, self._embedder)


class Textsearch(Postgres):
    """The same, where words are searched by pg_textsearch."""

    floor = False

    def __init__(self, folder: Path, embedder: Embedder | None = None) -> None:
        super().__init__(folder, embedder)
        with self._engine.asking() as connection:
            usable = textsearch.usable(connection)
        if not usable:
            # Otherwise the pool ends in its own thread, which fails in the next test.
            self._engine.close()
            pytest.skip("the server does not have pg_textsearch: own_server says how")

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        with mock.patch.object(textsearch, "FROM", 0):
            super().put(records, collection)
        assert self._engine.corpus().held.textsearch


class Milvus:
    """A file of milvus-lite of its own."""

    lists: tuple[str, ...] = ("sparse", "dense")
    floor = False
    written = True
    facts = False

    def __init__(self, folder: Path, embedder: Embedder | None = None) -> None:
        self.address, self._embedder = f"milvus://{folder}/milvus.db", embedder or HashEmbedder()
        self.reopen()

    def reopen(self) -> None:
        from retrievers.milvus import MilvusEngine

        self._engine = MilvusEngine(self.address, self._embedder)

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        self._engine.writer().put(records, collection)

    def opened(self) -> Corpus:
        return self._engine.corpus()

    def close(self) -> None:
        from milvus_lite.server_manager import server_manager_instance

        self._engine.close()
        # It would keep a file, which one process uses at a time, until this process ends.
        server_manager_instance.release_server(self.address.removeprefix("milvus://"))


class MilvusServer(Milvus):
    """The database of a server or a cluster that is named, emptied."""

    def __init__(self, folder: Path, embedder: Embedder | None = None) -> None:
        self.address, self._embedder = os.environ[MILVUS], embedder or HashEmbedder()
        if "test" not in urlsplit(self.address).path:
            raise SettingError(
                f"{MILVUS}: the tests delete the index there, so that the name of the database "
                "must contain 'test', as in milvus://host:19530/test. Make one with that name"
            )
        self.reopen()
        client = self._engine.client
        # Not there yet, it is an error like any other.
        with suppress(Exception):
            client.drop_alias(NOW)
        for name in client.list_collections():
            if name.startswith("anamnesis_"):
                client.drop_collection(name)
        self._engine.close()
        self.reopen()

    def close(self) -> None:
        self._engine.close()


MILVUS = "ANAMNESIS_TEST_MILVUS"
"""Environment variable: the address of a Milvus that is tested as well as milvus-lite."""


def _runs(what: str, package: str | None = None) -> pytest.MarkDecorator:
    """Skips, with the reason, what needs more than the ordinary tests have."""
    if package is not None and find_spec(package) is None:
        return pytest.mark.skip(reason=f"{package} is not installed: make test-engines does")
    asked = os.environ.get("ANAMNESIS_TEST_ENGINES")
    return pytest.mark.skipif(not asked, reason=f"it starts {what}: make test-engines runs it")


RAY = (
    _runs("Ray", "ray"),
    # Ray Data warns of its own settings, and leaves its files to the collector.
    pytest.mark.filterwarnings("ignore"),
)
NOT_HERE = _runs("a PostgreSQL")
ON_MILVUS = (
    _runs("milvus-lite", "milvus_lite"),
    # Its client starts gRPC's threads and warns of its own settings.
    pytest.mark.filterwarnings("ignore"),
)
ON_A_MILVUS_SERVER = (
    *ON_MILVUS,
    pytest.mark.skipif(
        not os.environ.get(MILVUS), reason=f"{MILVUS} names no Milvus server to test on"
    ),
)
ENGINES = (
    pytest.param(Files, id="files"),
    pytest.param(Store, id="langchain store"),
    pytest.param(Postgres, id="postgres", marks=NOT_HERE),
    pytest.param(Textsearch, id="pg_textsearch", marks=NOT_HERE),
    pytest.param(Milvus, id="milvus-lite", marks=ON_MILVUS),
    pytest.param(MilvusServer, id="milvus server", marks=ON_A_MILVUS_SERVER),
)


def close_engines() -> None:
    """Close all connections that this process has opened."""
    while opening._engines:
        opening._engines.popitem()[1].close()
