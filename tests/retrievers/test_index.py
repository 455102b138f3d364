import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis.errors import IndexFolderError, SettingError
from retrievers import index as module
from retrievers.index import Index, open_index
from retrievers.manifest import check_files, generation_folder, read_manifest
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import QUERIES, Put, answers, record, records


def change_manifest(folder: Path, **entries: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


def test_passages_come_in_the_order_they_are_asked_for(
    put: Put, opened: Callable[[], Index]
) -> None:
    put(records(600))
    ids = [f"r{number}#0" for number in reversed(range(600))]
    assert [passage.id for passage in opened().passages(ids)] == ids


def test_a_passage_that_is_not_there_is_named(put: Put, opened: Callable[[], Index]) -> None:
    put(records(3))
    index = opened()
    with pytest.raises(SettingError, match="'r9#0'"):
        index.passages(["r1#0", "r9#0"])
    assert list(index.find(["r1#0", "r9#0"])) == ["r1#0"]


def test_a_missing_index_says_how_to_make_one(folder: Path) -> None:
    with pytest.raises(IndexFolderError) as caught:
        Index.open(folder)
    assert str(folder) in str(caught.value)
    assert f"anamnesis index FORMAT PATH --index {folder}`" in str(caught.value)
    assert f"anamnesis index starter --index {folder}`" in str(caught.value)


@pytest.mark.parametrize("name", ["vectors.npy", "rows.npy", "terms.npy", "passages.sqlite"])
@pytest.mark.parametrize("harm", ["missing", "truncated"])
def test_a_file_that_is_missing_or_truncated_is_named(
    put: Put, folder: Path, name: str, harm: str
) -> None:
    put(records(3))
    path = generation_folder(folder, read_manifest(folder)) / name
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(IndexFolderError) as caught:
        Index.open(folder, HashEmbedder())
    assert str(folder) in str(caught.value)
    assert name in str(caught.value)
    assert f"--index {folder} --rebuild`" in str(caught.value)


def test_a_changed_byte_is_found_by_its_checksum(put: Put, folder: Path) -> None:
    put(records(3))
    manifest = read_manifest(folder)
    path = generation_folder(folder, manifest) / "vectors.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    check_files(folder, manifest)
    with pytest.raises(IndexFolderError, match=r"vectors\.npy"):
        check_files(folder, manifest, checksums=True)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 1}', "\xff", '{"schema": "x"}'])
def test_a_manifest_that_is_none_is_an_error_with_the_remedy(
    put: Put, folder: Path, text: str
) -> None:
    put(records(3))
    (folder / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(IndexFolderError, match="--rebuild"):
        Index.open(folder)
    assert put(records(3), rebuild=True).added == 3


def test_another_schema_version_is_refused_with_the_remedy(put: Put, folder: Path) -> None:
    put(records(3))
    change_manifest(folder, schema=0)
    with pytest.raises(IndexFolderError, match=r"schema version 0.*older.*--rebuild"):
        Index.open(folder)
    with pytest.raises(IndexFolderError, match="--rebuild"):
        put(records(3))


def test_another_tokenizer_is_refused_with_the_remedy(put: Put, folder: Path) -> None:
    put(records(3))
    change_manifest(folder, tokenizer="by letters")
    with pytest.raises(IndexFolderError, match=r"by letters.*--rebuild"):
        Index.open(folder)


def test_another_embedder_is_refused_with_both_named(put: Put, folder: Path) -> None:
    put(records(3))
    with pytest.raises(IndexFolderError, match=r"fake:hash-1.*fake:hash-2.*--rebuild"):
        Index.open(folder, HashEmbedder("hash-2"))


def test_the_embedder_of_the_manifest_is_loaded_when_it_is_wanted_and_checked(
    put: Put, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(records(3))
    loaded: list[str] = []

    def load(reference: str) -> HashEmbedder:
        loaded.append(reference)
        return HashEmbedder("hash-2" if len(loaded) == 1 else "hash-1")

    monkeypatch.setattr("retrievers.manifest.load_embedder", load)
    index = Index.open(folder)
    assert loaded == []
    with pytest.raises(IndexFolderError, match="hash-2"):
        _ = index.embedder
    assert index.embedder is index.embedder
    assert loaded == ["fake:hash-1", "fake:hash-1"]


def test_an_open_index_goes_on_as_it_was_when_the_folder_changes(
    put: Put, opened: Callable[[], Index]
) -> None:
    put(records(20))
    index, used = opened(), opened()
    expected = answers(used, QUERIES)
    put([record(100)])
    assert answers(index, QUERIES) == expected
    assert answers(used, QUERIES) == expected
    assert len(opened()) == 1


def test_a_generation_that_goes_while_it_is_opened_gives_way_to_the_next(
    put: Put, opened: Callable[[], Index], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(records(20))
    check = module.check_files

    def rebuilt_meanwhile(*args: object, checksums: bool) -> None:
        monkeypatch.setattr(module, "check_files", check)
        put(records(5))
        check(*args, checksums=checksums)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "check_files", rebuilt_meanwhile)
    assert len(opened()) == 5


def test_an_index_is_opened_once_for_each_generation(put: Put, folder: Path) -> None:
    put(records(3))
    embedder = HashEmbedder()
    first = open_index(folder, embedder)
    assert open_index(folder, embedder) is first
    assert open_index(folder) is not first
    put(records(4))
    second = open_index(folder, embedder)
    assert (len(first), len(second)) == (3, 4)
    assert open_index(folder, embedder) is second


def test_the_files_hold_no_pickles(put: Put, folder: Path) -> None:
    put(records(3))
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {".npy", ".json", ".sqlite", ".faiss", ""}


def test_the_bytes_of_what_is_deleted_are_gone(put: Put, folder: Path) -> None:
    def files() -> list[str]:
        every = [path for path in folder.rglob("*") if path.is_file()]
        return [path.name for path in every if b"xylophonitis" in path.read_bytes().lower()]

    put([record(50)], "two")
    put([*records(5), record(9, "Xylophonitis is painted blue.")])
    assert len(files()) > 1  # the texts, and the words
    put(records(5))
    assert files() == []


def test_opening_imports_neither_faiss_nor_torch_nor_langchain(put: Put, folder: Path) -> None:
    put(records(20))
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from retrievers.index import open_index\nfrom retrievers.search import search\n"
        f"assert search(open_index(Path({str(folder)!r})), 'gout drug1', ['sparse'])\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'faiss', 'langchain_core'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    path = [str(Path(__file__).parents[2]), *sys.path]
    code = f"import sys\nsys.path[:] = {path!r}\n{code}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
