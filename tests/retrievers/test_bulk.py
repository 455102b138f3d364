"""Indexing in bulk makes the index that plain indexing makes, whatever ends on the way."""

import json
import math
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest
from filelock import FileLock

from anamnesis.address import Address
from anamnesis.corpus.starter import read_starter
from anamnesis.errors import CorpusError, IndexFolderError, ModelError, SettingError
from app.cli.main import main
from retrievers import bulk_spool
from retrievers.build import build
from retrievers.bulk import put_in_bulk, run_folder
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.retrievers.bulk_embedders import IN_A_SHARD, RECORDS, loading
from tests.retrievers.conftest import QUERIES, answers, record, records
from tests.retrievers.engines import RAY

ENGINES = ["processes", pytest.param("ray", marks=RAY)]


def state(folder: Path) -> object:
    """All that an index says: what it holds, its vectors, and what it finds."""
    with_all = Index.open(folder, HashEmbedder())
    ids = with_all.ids(range(len(with_all)))
    return ids, with_all.passages(ids), answers(with_all, QUERIES), with_all.manifest.corpus


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """The state of an index made without workers; what is made with them has several shards."""
    monkeypatch.setattr(bulk_spool, "_RECORDS", IN_A_SHARD)
    build(records(RECORDS), tmp_path / "plain", HashEmbedder(), "one")
    return state(tmp_path / "plain")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_worker_that_is_killed_is_replaced(engine: str, tmp_path: Path, plain: object) -> None:
    seen, work = tmp_path / "seen", tmp_path / "work"
    done = put_in_bulk(
        records(RECORDS), tmp_path / "index", "one", loading("dies once", seen), work, engine
    )
    assert len(list(seen.iterdir())) >= 2
    assert (done.changes.added, done.changes.embedded, done.kept) == (RECORDS, RECORDS, 0)
    assert state(tmp_path / "index") == plain
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_a_driver_that_is_killed_is_started_again(
    engine: str, tmp_path: Path, plain: object
) -> None:
    command = [sys.executable, "-m", "tests.retrievers.bulk_embedders", str(tmp_path), engine]
    driver = subprocess.Popen(command, start_new_session=True)
    try:
        until = time.monotonic() + 120
        while not list((tmp_path / "work").glob("*/shards/*/*.parquet")):
            assert driver.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
    finally:
        driver.kill()
        driver.wait()
    assert not (tmp_path / "index" / "manifest.json").exists()
    if engine == "processes":
        for worker in (tmp_path / "seen").iterdir():
            while Path(f"/proc/{worker.name}").exists() and time.monotonic() < until:
                time.sleep(0.02)  # a worker ends with its driver
            assert not Path(f"/proc/{worker.name}").exists()
    finished = len(list((tmp_path / "work").glob("*/shards/*/*.parquet")))
    load = loading("works", tmp_path / "then")
    done = put_in_bulk(records(RECORDS), tmp_path / "index", "one", load, tmp_path / "work", engine)
    # Ray's actors may end a little later than the driver.
    assert done.kept == finished if engine == "processes" else done.kept >= finished
    assert state(tmp_path / "index") == plain


def test_an_update_embeds_what_changed(tmp_path: Path) -> None:
    folder, work = tmp_path / "index", tmp_path / "work"
    build(records(400), folder, HashEmbedder(), "one")
    build([record(900)], folder, HashEmbedder(), "two")
    new = [record(0, "It has changed."), *records(420)[1:390], *records(420)[400:]]
    done = put_in_bulk(iter(new), folder, "one", HashEmbedder, work)
    changes = done.changes
    assert (changes.added, changes.changed, changes.removed) == (20, 1, 10)
    assert (changes.unchanged, changes.embedded) == (389, 21)
    assert done.found is not None
    assert (done.found.questions, done.found.before) == (
        100,
        pytest.approx(done.found.now, abs=0.05),
    )
    build(new, tmp_path / "plain", HashEmbedder(), "one")
    build([record(900)], tmp_path / "plain", HashEmbedder(), "two")
    assert state(folder) == state(tmp_path / "plain")
    again = put_in_bulk(iter(new), folder, "one", HashEmbedder, work)
    assert (again.embedded, again.found, again.changes.unchanged) == (0, None, 410)


def test_a_generation_that_finds_worse_is_not_given_to_readers(tmp_path: Path) -> None:
    folder, work = tmp_path / "index", tmp_path / "work"
    build(records(40), folder, HashEmbedder(), "one")
    before = state(folder)
    crowd = [record(n + 1000 * k, "Asked often.") for n in range(40) for k in range(1, 40)]
    new = [*records(40), *crowd]
    with pytest.raises(IndexFolderError, match=r"gives worse results: nDCG@10 .*--max-loss 0\.\d+"):
        put_in_bulk(new, folder, "one", HashEmbedder, work, max_loss=-1.0)
    assert state(folder) == before
    done = put_in_bulk(new, folder, "one", HashEmbedder, work, max_loss=1.0)
    assert (done.embedded, done.kept > 0, done.changes.added) == (0, True, len(crowd))


def test_workers_that_always_die_end_the_run(tmp_path: Path) -> None:
    load = loading("always dies", tmp_path / "seen")
    with pytest.raises(ModelError, match="ended 3 times without finishing one of 1 shards"):
        put_in_bulk(records(20), tmp_path / "index", "one", load, tmp_path / "work")
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_worker_cannot_do_is_said(engine: str, tmp_path: Path) -> None:
    load = loading("fails", tmp_path / "seen")
    with pytest.raises(ModelError, match="the weights are damaged"):
        put_in_bulk(records(20), tmp_path / "index", "one", load, tmp_path / "work", engine)
    assert not (tmp_path / "index").exists()


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    def put(*more: object, collection: str = "one", max_loss: float = 1.0) -> None:
        folder, work = tmp_path / "index", tmp_path / "work"
        put_in_bulk(
            records(3), folder, collection, HashEmbedder, work, *more, max_loss=max_loss  # type: ignore[arg-type]
        )  # fmt: skip

    with pytest.raises(SettingError, match="no engine 'spark'; use one of processes, ray"):
        put("spark")
    with pytest.raises(SettingError, match="0 workers cannot do anything"):
        put("processes", 0)
    with pytest.raises(SettingError, match="max_loss must be a number"):
        put_in_bulk([], tmp_path, "one", HashEmbedder, tmp_path, max_loss=float("nan"))
    with pytest.raises(SettingError, match="name is blank"):
        put(collection=" ")
    with (
        FileLock(f"{run_folder(tmp_path / 'work', tmp_path / 'index', 'one')}.lock"),
        pytest.raises(SettingError, match=r"another bulk run is using .*work/anam.*; .*--work"),
    ):
        put()
    with pytest.raises(SettingError, match="max_loss must be a number, not nan"):
        put("processes", 1, None, max_loss=math.nan)
    build(records(3), tmp_path / "index", HashEmbedder("other"), "one")
    with pytest.raises(IndexFolderError, match="fake:hash-1"):
        put()


def test_other_files_in_the_work_folder_stay(tmp_path: Path) -> None:
    work = tmp_path / "work"
    theirs = ["notes.txt", "records.sqlite", "vectors.npy", "shards/a/b.parquet", "resume/c.txt"]
    for name in theirs:
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("precious")
    work.with_name("work.lock").write_text("precious")
    done = put_in_bulk(records(20), tmp_path / "index", "one", HashEmbedder, work)
    assert done.changes.added == 20
    left = {str(path.relative_to(work)) for path in work.rglob("*") if path.is_file()}
    assert left == {*theirs}
    assert all((work / name).read_text() == "precious" for name in theirs)
    assert work.with_name("work.lock").read_text() == "precious"


def test_runs_for_different_indexes_share_a_work_folder(tmp_path: Path) -> None:
    work = tmp_path / "work"
    folders = {
        run_folder(work, place, name)
        for place in (tmp_path / "a", tmp_path / "b", Address("postgresql://host/a"))
        for name in ("one", "two")
    }
    assert len(folders) == 6
    assert {path.parent for path in folders} == {work}
    failing = loading("fails", tmp_path / "seen")
    with pytest.raises(ModelError, match="the weights are damaged"):
        put_in_bulk(records(20), tmp_path / "a", "one", failing, work)
    put_in_bulk(records(20), tmp_path / "b", "one", HashEmbedder, work)
    left = run_folder(work, tmp_path / "a", "one")
    assert list(work.glob("*[!k]")) == [left]  # all but the lock
    assert (left / "records.sqlite").exists()


def test_one_id_with_two_contents_is_an_error(tmp_path: Path) -> None:
    both = [*records(3), record(1, "Something else.")]
    with pytest.raises(CorpusError, match="Two records with different contents have the id 'r1'"):
        put_in_bulk(both, tmp_path / "index", "one", HashEmbedder, tmp_path / "work")
    assert not (tmp_path / "index" / "manifest.json").exists()


def test_no_records_remove_the_collection(tmp_path: Path) -> None:
    build(records(3), tmp_path / "index", HashEmbedder(), "one")
    done = put_in_bulk([], tmp_path / "index", "one", HashEmbedder, tmp_path / "work")
    assert (done.changes.removed, done.embedded) == (3, 0)


def test_the_command_indexes_in_bulk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    few = tmp_path / "few.jsonl"
    rows = [json.dumps(record.to_json()) + "\n" for record in islice(read_starter(), 30)]
    few.write_text("".join(rows), "utf-8")
    plain = ["index", "jsonl", str(few), "--engine", "processes"]
    command = [*plain, "--workers", "1", "--json"]
    assert main(command) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["added"] == said["embedded"] == 30
    assert said["sample"]["now"] > 0.8
    assert list((tmp_path / "bulk").glob("*")) == []
    assert main(plain) == 0
    assert main([*command, "--review"]) == 2
    assert "--engine and --review cannot be combined" in capsys.readouterr().err
