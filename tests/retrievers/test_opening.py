"""What opens an index by its folder or address."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from anamnesis.address import Address
from anamnesis.errors import IndexFolderError, SettingError
from anamnesis.models.once import LoadedObjects
from retrievers import opening
from retrievers.opening import manifest_at, open_corpus, writer_at
from retrievers.search import search
from tests.fakes import HashEmbedder
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

    class OneEngine:
        def __init__(self, address: Address, embedder: object = None) -> None:
            made.append(address)

        def corpus(self) -> str:
            return "corpus"

        def close(self) -> None:
            made.clear()

    module = ModuleType("fake_engine")
    module.OneEngine = OneEngine  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fake_engine", module)
    for scheme, where in (("fake", "fake_engine"), ("gone", "no_such_package")):
        kind = opening.Kind(where, "OneEngine", "faked")
        monkeypatch.setitem(opening.ENGINES, scheme, kind)
    monkeypatch.setattr(opening, "_engines", LoadedObjects())
    assert open_corpus(Address("fake://db")) == open_corpus(Address("fake://db")) == "corpus"
    assert made == [Address("fake://db")]
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
        corpus = open_corpus(where, HashEmbedder())
        assert corpus is open_corpus(where, corpus.embedder)
        assert len(search(corpus, "gout drug1", k=10)) == 3
        # Taking a collection out needs no embedder.
        assert writer_at(where, HashEmbedder).remove("one").removed == 3
    finally:
        close_engines()
