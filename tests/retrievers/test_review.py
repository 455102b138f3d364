"""Records that wait for approval are searched by nobody."""

from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.errors import CorpusError, IndexFolderError, SettingError
from retrievers.index import Index
from retrievers.review import approve, reject, submit, waiting, waits
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import Put, record, records

Opened = Callable[[], Index]
EMBEDDER = "fake:hash-1"


def ids(index: Index) -> set[str]:
    hits = search(index, "gout drug1 measles drug2", methods=("sparse", "dense"), k=20)
    return {hit["id"] for hit in hits}


def test_what_waits_is_in_no_list_until_it_is_approved(
    put: Put, opened: Opened, folder: Path
) -> None:
    put([record(1)])
    submit([record(2)], folder, "new", EMBEDDER)
    assert ids(opened()) == {"r1#0"}
    assert opened().find(["r2#0"]) == {}
    changes = approve(folder, "new", "Dr One", HashEmbedder())
    assert changes.added == 1
    assert ids(opened()) == {"r1#0", "r2#0"}
    known = opened().provenance(["r1", "r2"])
    assert (known["r1"]["approved_by"], known["r2"]["approved_by"]) == ("", "Dr One")
    assert known["r2"]["approved"].startswith("20")
    assert waiting(folder) == []


def test_a_change_waits_and_what_it_changes_is_searched_meanwhile(
    put: Put, opened: Opened, folder: Path
) -> None:
    put([record(1)])
    submit([record(1, "Poison.")], folder, "one", EMBEDDER)
    assert "Poison" not in opened().find(["r1#0"])["r1#0"].text
    approve(folder, "one", "Dr One", HashEmbedder())
    assert "Poison" in opened().find(["r1#0"])["r1#0"].text


def test_a_first_collection_may_wait_before_there_is_an_index(folder: Path) -> None:
    submit(records(3), folder, "a/b c", EMBEDDER, rebuild=True)
    with pytest.raises(IndexFolderError, match="There is no index"):
        Index.open(folder)
    assert waits(folder, "a/b c").records == tuple(records(3))
    assert approve(folder, "a/b c", "Dr One", HashEmbedder()).added == 3


def test_what_is_rejected_is_gone(put: Put, folder: Path) -> None:
    submit(records(3), folder, "new", EMBEDDER)
    assert reject(folder, "new", "Dr One", ["r1"]) == 1
    assert [record.id for record in waits(folder, "new").records] == ["r0", "r2"]
    assert reject(folder, "new", "Dr One") == 2
    assert waiting(folder) == []


def test_a_decision_needs_a_name_and_something_that_waits(folder: Path) -> None:
    submit(records(2), folder, "new", EMBEDDER)
    with pytest.raises(SettingError, match="--by NAME"):
        approve(folder, "new", " ", HashEmbedder())
    with pytest.raises(SettingError, match="--by NAME"):
        reject(folder, "new", "")
    with pytest.raises(SettingError, match="'old' waits for approval; waiting: new"):
        approve(folder, "old", "Dr One", HashEmbedder())
    with pytest.raises(SettingError, match="no record 'r9'"):
        reject(folder, "new", "Dr One", ["r9"])
    with pytest.raises(SettingError, match="blank"):
        submit([], folder, " ", EMBEDDER)
    assert len(waits(folder, "new").records) == 2


def test_a_damaged_file_says_what_to_do(folder: Path) -> None:
    submit(records(2), folder, "new", EMBEDDER)
    (folder / "review" / "new.jsonl").write_text("{")
    with pytest.raises(CorpusError, match="--review"):
        waiting(folder)


def test_a_file_that_cannot_be_read_is_named_with_what_to_do(folder: Path) -> None:
    submit(records(2), folder, "new", EMBEDDER)
    [path] = folder.rglob("new.jsonl")
    path.unlink()
    path.mkdir()
    for read in (lambda: waiting(folder), lambda: waits(folder, "new")):
        with pytest.raises(CorpusError, match=r"new\.jsonl .* cannot be read .* --review"):
            read()
