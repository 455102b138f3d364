"""The Parquet files of a run in bulk: what is in them, and files that cannot be used."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from anamnesis.corpus.passage import Passage, split_all
from anamnesis.corpus.record import Record
from anamnesis.errors import IndexFolderError, ModelError, SettingError
from retrievers import bulk_spool
from retrievers.build import content_of
from retrievers.bulk import put_in_bulk, run_folder
from retrievers.bulk_shards import Shards
from retrievers.bulk_spool import Shard, Spool
from retrievers.bulk_vectors import ReadyVectors, ShardEmbedder
from retrievers.bulk_workers import ENGINES
from retrievers.dense import Vectors
from retrievers.index import Index
from retrievers.manifest import EmbedderId
from retrievers.store import key_of
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import record, records

MADE = EmbedderId.of(HashEmbedder())


def pages(given: list[Record]) -> list[Passage]:
    embedder = HashEmbedder()
    return list(split_all(given, embedder.count_tokens, embedder.window))


def written(work: Path, name: str, given: list[Record]) -> Vectors:
    """A shard of these records, whose vectors are numbers that count."""
    passages = pages(given)
    vectors = np.arange(len(passages) * 64, dtype=np.float32).reshape(-1, 64)
    Shards(work, MADE).write(name, passages, {item.id: content_of(item) for item in given}, vectors)
    return vectors


def file_of(work: Path) -> Path:
    [found] = work.glob("shards/*/*.parquet")
    return found


def test_a_shard_is_a_table_that_other_programs_read(tmp_path: Path) -> None:
    long = record(1, " ".join(f"Sentence {n} is about it." for n in range(60)))
    given = [record(0), long]
    spool = Spool(tmp_path)
    spool.write(given, {})
    [shard] = spool.shards()
    work = ShardEmbedder(tmp_path, MADE, HashEmbedder)
    passages = pages(given)
    assert work(shard) == len(passages) > 2
    table = parquet.read_table(file_of(tmp_path))
    rows = table.to_pylist()
    # In the order of the records in the shard.
    assert sorted((row["record"], row["passage"]) for row in rows) == [
        (item.record_id, item.id) for item in passages
    ]
    contents = {item.id: content_of(item) for item in given}
    embedded = {item.id: item.embedded for item in passages}
    for row in rows:
        text = embedded[row["passage"]]
        assert (row["content"], row["key"]) == (contents[row["record"]], key_of(text))
        assert np.array_equal(row["vector"], HashEmbedder().embed_documents([text])[0])
    assert table.schema.metadata[b"anamnesis.embedder"] == MADE.fingerprint.encode()
    assert work(shard) == 0  # it is there


def test_ids_that_no_file_can_hold_lose_no_vector(tmp_path: Path) -> None:
    record = Record("ü\ud800", "", "糖尿病 \ud800 \0")
    vectors = written(tmp_path, "a", [record])
    ready = ReadyVectors(HashEmbedder(), Shards(tmp_path, MADE), tmp_path)
    assert np.array_equal(ready.embed_documents([pages([record])[0].embedded]), vectors)


def test_vectors_that_are_there_are_not_embedded_again(tmp_path: Path) -> None:
    given = records(30)
    second, first = written(tmp_path, "b", given[:20]), written(tmp_path, "a", given[20:])
    texts = [item.embedded for item in pages(given)]
    made = np.concatenate([second, first])
    embedder = HashEmbedder()
    ready = ReadyVectors(embedder, Shards(tmp_path, MADE), tmp_path)
    reported: list[int] = []
    vectors = ready.embed_documents([texts[25], "another", texts[3], texts[25]], reported.append)
    assert np.array_equal(vectors[[0, 2, 3]], made[[25, 3, 25]])
    assert np.array_equal(vectors[1], embedder.embed_queries(["another"])[0])
    assert (embedder.calls, sum(reported)) == (["another"], 4)
    (tmp_path / "none").mkdir()
    empty = ReadyVectors(embedder, Shards(tmp_path / "none", MADE), tmp_path / "none")
    assert empty.embed_documents(["one", "two"]).shape == (2, 64)
    assert empty.embed_documents([]).shape == (0, 64)


def test_what_is_damaged_is_named_and_never_used(tmp_path: Path) -> None:
    written(tmp_path, "a", records(40))
    shards, path = Shards(tmp_path, MADE), file_of(tmp_path)
    whole, [(keys, vectors)] = path.read_bytes(), shards.read()
    named = 0
    for place in range(0, len(whole), 97):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        try:
            [(found, read)] = shards.read()
        except IndexFolderError:
            named += 1
        else:  # a byte that the vectors do not depend on
            assert np.array_equal(found, keys)
            assert np.array_equal(read, vectors)
    assert named > len(whole) / 97 * 0.7


def in_this_process(
    make: Callable[[], ShardEmbedder], shards: Sequence[Shard], *_: object
) -> Iterator[Shard]:
    """Embeds shards as the engines of ``retrievers.bulk_workers`` do, without waiting for them."""
    work = make()
    for shard in shards:
        work(shard)
        yield shard


def test_records_that_come_before_a_repetition_are_embedded_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_spool, "_RECORDS", 4)
    monkeypatch.setitem(ENGINES, "processes", in_this_process)
    work, reported = tmp_path / "work", list[tuple[int, int | None]]()

    def rows(given: list[Record]) -> int:
        """All rows after a run that fails when all shards are embedded."""
        reported.clear()

        def report(stage: str, done: int, total: int | None) -> None:
            if stage == "embedding":
                reported.append((done, total))

        with (
            mock.patch("retrievers.bulk.compare", side_effect=ModelError("stopped")),
            pytest.raises(ModelError, match="stopped"),
        ):
            put_in_bulk(given, tmp_path / "index", "one", HashEmbedder, work, progress=report)
        return Shards(run_folder(work, tmp_path / "index", "one"), MADE).rows()

    assert rows(records(15)) == 15
    # With this many, the shards are smaller.
    assert rows(records(40)) == 40
    assert {(15, 40), (40, 40)} <= {*reported}
    changed = [*records(40)[5:], record(0, "It has changed.")]
    assert rows(changed) == 41
    done = put_in_bulk(changed, tmp_path / "index", "one", HashEmbedder, work)
    assert (done.embedded, done.kept > 0, done.changes.added) == (0, True, 36)
    whole = Index.open(tmp_path / "index", HashEmbedder())
    expected = HashEmbedder().embed_documents([item.embedded for item in pages(changed)])
    assert np.allclose(np.sort(whole.vectors.vectors, axis=0), np.sort(expected, axis=0))


@pytest.fixture(scope="module")
def after_a_failure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that failed after all shards were embedded."""
    folder = tmp_path_factory.mktemp("run")
    with (
        mock.patch("retrievers.bulk.compare", side_effect=ModelError("stopped")),
        pytest.raises(ModelError, match="stopped"),
    ):
        put_in_bulk(records(20), folder / "index", "one", HashEmbedder, folder / "work")
    return run_folder(folder / "work", folder / "index", "one")


@pytest.fixture
def failed(after_a_failure: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    path = run_folder(tmp_path / "work", tmp_path / "index", "one")
    return Path(shutil.copytree(after_a_failure, path))


def finish(work: Path) -> int:
    """Run again; the number of shards that are embedded."""
    folder = work.parent.parent / "index"
    done = put_in_bulk(records(20), folder, "one", HashEmbedder, work.parent)
    assert len(Index.open(folder, HashEmbedder())) == 20
    return done.embedded


def test_a_damaged_file_is_reported_before_the_work_and_can_be_deleted(failed: Path) -> None:
    path = file_of(failed)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(IndexFolderError, match=f"{path.name} is damaged: .*Delete this file"):
        finish(failed)
    assert not (failed.parent.parent / "index").exists()
    path.unlink()
    assert finish(failed) == 1


def test_a_file_of_another_program_is_named(failed: Path) -> None:
    first = file_of(failed)
    other = first.with_name("other.parquet")
    parquet.write_table(pa.table({"text": ["one"]}), other)
    with pytest.raises(IndexFolderError, match=r"other\.parquet was not written by this run.*Move"):
        finish(failed)
    # Another shard's contents under this name, too.
    other.write_bytes(first.read_bytes())
    with pytest.raises(IndexFolderError, match=r"other\.parquet was not written by this run"):
        finish(failed)
    other.unlink()
    assert finish(failed) == 0


def test_shards_of_another_embedder_are_not_used(failed: Path) -> None:
    made = replace(MADE, fingerprint="another")
    assert not Shards(failed, made).has(file_of(failed).stem)
    assert list(Shards(failed, made).read()) == []


def test_without_pyarrow_the_extra_is_named(tmp_path: Path) -> None:
    with (
        mock.patch("retrievers.bulk_shards.find_spec", return_value=None),
        pytest.raises(SettingError, match=r"pip install 'anamnesis\[bulk\]'"),
    ):
        put_in_bulk(records(2), tmp_path / "index", "one", HashEmbedder, tmp_path / "work")
    assert not (tmp_path / "index").exists()
