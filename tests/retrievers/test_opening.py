"""What opens an index by its folder or address."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import psycopg
import pytest

from anamnesis.address import Address
from anamnesis.errors import IndexFolderError, SettingError
from anamnesis.models.langchain_embeddings import LangChainEmbedder
from anamnesis.models.once import LoadedObjects
from graph import build_graph
from retrievers import opening
from retrievers.corpus import Generation
from retrievers.filter import Filter, filtered
from retrievers.manifest import SCHEMA, EmbedderId, Manifest
from retrievers.opening import manifest_at, open_corpus, writer_at
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.graph.test_given_parts import Hashed
from tests.retrievers.conftest import records
from tests.retrievers.engines import NOT_HERE, close_engines
from tests.retrievers.postgres_servers import new_database


def test_a_folder_is_written_and_opened(tmp_path: Path) -> None:
    where = tmp_path / "index"
    assert manifest_at(where) is None
    writer_at(where, HashEmbedder).put(records(3), "one")
    manifest = manifest_at(where)
    assert manifest is not None
    assert manifest.records == 3
    assert len(open_corpus(where, HashEmbedder())) == 3
    with pytest.raises(IndexFolderError, match="no index in"):
        open_corpus(tmp_path / "none")


def test_an_unknown_scheme_is_named_with_those_that_are_known() -> None:
    with pytest.raises(SettingError, match=r"scheme oracle://; .* postgresql://") as raised:
        open_corpus(Address("oracle://ann:sesame@db/name"))
    assert "sesame" not in str(raised.value)


def test_an_engine_is_connected_to_once_and_its_extra_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Any] = []

    class OneCorpus(Generation):
        manifest = Manifest(SCHEMA, "", "", "", "", 0, 0, "", EmbedderId.of(HashEmbedder()), {}, {})

        def __init__(self, server: Any) -> None:
            self._server = server

    class OneEngine:
        name = "one"

        def __init__(self, address: Address) -> None:
            made.append(address)
            self._corpus = OneCorpus(self)

        def corpus(self) -> OneCorpus:
            return self._corpus

        def close(self) -> None:
            made.clear()

    module = ModuleType("fake_engine")
    module.OneEngine = OneEngine  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fake_engine", module)
    for scheme, name in (("fake", "fake_engine"), ("gone", "no_such_package")):
        kind = opening.Kind(name, "OneEngine", "faked")
        monkeypatch.setitem(opening.ENGINES, scheme, kind)
    monkeypatch.setattr(opening, "_engines", LoadedObjects())
    where = Address("fake://db")
    assert open_corpus(where) is open_corpus(where)
    for embedder in (HashEmbedder(), HashEmbedder()):
        assert open_corpus(where, embedder).embedder is embedder
    with pytest.raises(IndexFolderError, match="one was made with embedder"):
        open_corpus(where, HashEmbedder("other"))
    assert made == [where]
    with pytest.raises(IndexFolderError, match=r"no_such_package: pip install 'anamnesis\[faked\]"):
        open_corpus(Address("gone://db"))
    close_engines()
    assert made == []


@NOT_HERE
def test_an_address_is_written_and_opened() -> None:
    where = Address(new_database())
    try:
        assert manifest_at(where) is None
        with pytest.raises(IndexFolderError, match="no index in PostgreSQL at"):
            open_corpus(where)
        writer_at(where, HashEmbedder).put(records(3), "one")
        manifest = manifest_at(where)
        assert manifest is not None
        assert manifest.embedder.fingerprint == "hash-1"
        assert open_corpus(where) is open_corpus(where)
        embedder = HashEmbedder()
        corpus = filtered(open_corpus(where, embedder), Filter(sources=("none",)))
        assert corpus.embedder is embedder
        assert search(corpus, "gout drug1", k=10) == []
        assert len(search(open_corpus(where, embedder), "gout drug1", k=10)) == 3
        # Taking a collection out needs no embedder.
        assert writer_at(where, HashEmbedder).remove("one").removed == 3
    finally:
        close_engines()


@NOT_HERE
def test_graphs_share_the_connections_of_an_address() -> None:
    address = new_database()
    writer_at(Address(address), lambda: LangChainEmbedder(Hashed())).put(records(3), "one")

    def opened() -> int:
        with psycopg.connect(address) as connection:
            row = connection.execute(
                "select count(*) from pg_stat_activity where datname = current_database()"
            ).fetchone()
        return int(row[0]) if row else 0

    try:
        embeddings = Hashed()
        build_graph(index=address, embeddings=embeddings)
        before = opened()
        for _ in range(5):
            build_graph(index=address, embeddings=embeddings)
            build_graph(index=address, embeddings=Hashed())
        assert opened() == before
    finally:
        close_engines()
