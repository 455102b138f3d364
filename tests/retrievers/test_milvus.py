"""What is Milvus' own: addresses, generations that are deleted, and what a killed run leaves."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anamnesis.address import Address
from anamnesis.errors import CorpusError, IndexFolderError, SettingError
from retrievers.filter import Filter, filtered
from retrievers.manifest import Manifest
from retrievers.milvus import MilvusEngine, _arguments
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import record, records
from tests.retrievers.engines import ON_MILVUS


def on_milvus(test: Any) -> Any:
    for mark in ON_MILVUS:
        test = mark(test)
    return test


def files_with(folder: Path, text: str) -> list[Path]:
    return [
        path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()
    ]


@on_milvus
def test_the_bytes_of_what_is_deleted_are_gone(milvus: MilvusEngine, tmp_path: Path) -> None:
    import pyarrow.parquet

    secret = "Xylophonitis is painted blue."
    milvus.writer().put([*records(5), record(9, secret)], "one")
    [written] = [
        path
        for path in tmp_path.rglob("*.parquet")
        if b"Xylophonitis" in repr(pyarrow.parquet.read_table(path).to_pylist()).encode()
    ]
    milvus.writer().put(records(5), "one")
    assert not written.exists()
    for path in tmp_path.rglob("*.parquet"):
        assert "Xylophonitis" not in repr(pyarrow.parquet.read_table(path).to_pylist())
    assert files_with(tmp_path, "Xylophonitis") == []
    assert files_with(tmp_path, "xylophonitis") == []


@on_milvus
def test_a_file_is_opened_again_as_it_was(tmp_path: Path) -> None:
    where = f"milvus://{tmp_path}/own.db"
    milvus = MilvusEngine(where, HashEmbedder())
    with pytest.raises(IndexFolderError, match=r"no index in Milvus at milvus://.* yet"):
        milvus.corpus()
    assert milvus.manifest() is None
    milvus.writer().put(records(20), "one")
    before = search(milvus.corpus(), "gout drug1")
    program = "import sys; from retrievers.milvus import MilvusEngine; MilvusEngine(sys.argv[1])"
    other = subprocess.run(
        [sys.executable, "-c", program, where], capture_output=True, text=True, check=False
    )
    assert "a file is used by one process at a time" in other.stderr
    milvus.close()
    again = MilvusEngine(where, HashEmbedder())
    assert search(again.corpus(), "gout drug1") == before
    assert again.corpus().words("measl") == ["measles"]
    assert len(again.writer().content_hashes()) == 20
    assert again.writer().put(records(21), "one").added == 1
    again.close()
    wrong = MilvusEngine(where, HashEmbedder("other"))
    with pytest.raises(IndexFolderError, match="fake:hash-1"):
        wrong.corpus()
    wrong.close()


@on_milvus
def test_a_run_that_fails_leaves_nothing(milvus: MilvusEngine) -> None:
    milvus.writer().put(records(5), "one")
    held = set(milvus.client.list_collections())
    with pytest.raises(CorpusError, match="different contents"):
        milvus.writer().put([record(1), record(1, "Other.")], "one")
    with pytest.raises(CorpusError, match="already"):
        milvus.writer().put([record(1)], "two")
    assert set(milvus.client.list_collections()) == held
    assert len(milvus.corpus()) == 5


@on_milvus
def test_two_runs_do_not_write_at_a_time(milvus: MilvusEngine) -> None:
    milvus.writer().put(records(5), "one")

    def another(draft: object) -> None:
        with pytest.raises(IndexFolderError, match="Another run is writing"):
            milvus.writer().put(records(2), "two")

    milvus.writer().put(records(7), "one", accept=another)
    assert len(milvus.corpus()) == 7


@on_milvus
def test_a_run_that_another_overtook_changes_nothing(
    milvus: MilvusEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    milvus.writer().put(records(5), "one")
    current = milvus.current

    def overtaken(draft: object) -> None:
        found = current()
        assert found is not None
        other: tuple[str, Manifest] = ("another", found[1])
        monkeypatch.setattr(milvus, "current", lambda: other)

    with pytest.raises(IndexFolderError, match=r"Another run has written .* run it again"):
        milvus.writer().put(records(7), "one", accept=overtaken)
    monkeypatch.undo()
    assert len(milvus.corpus()) == 5


@on_milvus
def test_a_filter_is_asked_of_the_engine(milvus: MilvusEngine) -> None:
    base = record(0).to_json()
    said = {
        "a": {"source": "WHO", "metadata": {"date": "2024-05"}},
        "b": {"source": "o'WHO\" or true", "metadata": {"access": ["ward 1"]}},
        "c": {"kind": "document", "metadata": {"date": "2020"}},
    }
    milvus.writer().put(
        [type(record(0))(**{**base, "id": k, **fields}) for k, fields in said.items()], "one"
    )

    def found(**limits: Any) -> set[str]:
        corpus = filtered(milvus.corpus(), Filter(**limits))
        vector = corpus.embedder.embed_queries(["asthma"])[0]
        lists = [corpus.sparse("asthma treated", 5), corpus.dense(vector, 5)]
        one, other = ({hit.id.partition("#")[0] for hit in each} for each in lists)
        assert one == other == {passage.record_id for passage in corpus.containing(["asthma"])}
        return one

    assert found() == {"a", "c"}
    assert found(access=("ward 1", "x")) == {"a", "b", "c"}
    assert found(sources=("WHO",)) == {"a"}
    assert found(sources=("o'WHO\" or true",), access=("ward 1",)) == {"b"}
    assert found(sources=()) == set()
    assert found(kinds=("document",)) == {"c"}
    assert found(since="2024") == {"a"}


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("milvus:///data/own.db", {"uri": "/data/own.db"}),
        ("milvus://host", {"uri": "http://host:19530"}),
        (
            "milvus://me:p%40ss@host:1/kb?secure=true",
            {"uri": "https://host:1", "token": "me:p@ss", "db_name": "kb"},
        ),
    ],
)
def test_addresses_are_read(address: str, expected: dict[str, str]) -> None:
    assert _arguments(Address(address)) == expected


@pytest.mark.parametrize("address", ["milvus://", "milvus://user:secret@host:port/x"])
def test_an_address_that_cannot_be_read_is_not_repeated(address: str) -> None:
    with pytest.raises(SettingError, match=r"cannot be read; it has the form milvus://") as found:
        _arguments(Address(address))
    assert "secret" not in str(found.value)


@on_milvus
def test_a_server_that_is_not_there_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("retrievers.milvus._PATIENCE", 1.0)
    with pytest.raises(IndexFolderError, match="Milvus at milvus://localhost:9 cannot be") as found:
        MilvusEngine("milvus://me:secret@localhost:9")
    assert "secret" not in str(found.value)


@on_milvus
def test_what_a_killed_run_left_is_deleted_later(
    milvus: MilvusEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    milvus.writer().put(records(5), "one")
    held = set(milvus.client.list_collections())
    with monkeypatch.context() as killed:
        # A killed program deletes nothing.
        killed.setattr("retrievers.milvus_writing.drop", lambda *given: None)
        with pytest.raises(CorpusError, match="different contents"):
            milvus.writer().put([*records(3), record(1, "Other.")], "one")
    assert set(milvus.client.list_collections()) > held
    milvus.sweep()  # it may be another program that writes
    assert set(milvus.client.list_collections()) > held
    monkeypatch.setattr("retrievers.milvus._ABANDONED", 0.0)
    milvus.sweep()
    assert set(milvus.client.list_collections()) == held
    assert len(milvus.corpus()) == 5
