"""Where records came from, when, and who approved them, from run to run."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from anamnesis.corpus.loading import read
from retrievers.build import remove
from retrievers.index import Index
from retrievers.provenance import PROVENANCE, Approval
from tests.retrievers.conftest import Put, record

Opened = Callable[[], Index]
ROW = '{{"question": "What is {0}?", "answer": "{0} is an illness of kind {0}."}}\n'


def test_a_record_keeps_its_file_its_checksum_and_its_day(
    tmp_path: Path, put: Put, opened: Opened
) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(ROW.format("gout") + ROW.format("mumps"))
    put(read("jsonl", [file]))
    index = opened()
    ids = [passage.record_id for passage in index.find(index.ids([0, 1])).values()]
    found = index.provenance(ids)
    assert len(found) == 2
    for origin in found.values():
        assert origin["origin"] == "own.jsonl"
        assert origin["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
        assert origin["indexed"].startswith("20")
        assert (origin["approved_by"], origin["approved"]) == ("", "")


def test_the_starter_corpus_names_its_files(put: Put, opened: Opened) -> None:
    put(list(read("starter"))[:3])
    [origin, *_] = opened().provenance([next(iter(read("starter"))).id]).values()
    assert origin["origin"].startswith("starter/")
    assert len(origin["sha256"]) == 64


def test_what_has_not_changed_stays_what_it_was_known_to_be(put: Put, opened: Opened) -> None:
    put([record(1), record(2)], approval=Approval("Dr One", "2026-01-01T00:00:00+00:00"))
    put([record(3)], "other")
    put([record(1), record(2, "New."), record(4)])
    found = opened().provenance(["r1", "r2", "r3", "r4", "r5"])
    assert {key: origin["approved_by"] for key, origin in found.items()} == {
        "r1": "Dr One", "r2": "", "r3": "", "r4": "",
    }  # fmt: skip


def test_an_approval_is_kept_of_records_that_have_not_changed(put: Put, opened: Opened) -> None:
    put([record(1)])
    put([record(1)], approval=Approval("Dr Two", "2026-01-02T00:00:00+00:00"))
    assert opened().provenance(["r1"])["r1"]["approved_by"] == "Dr Two"


def test_what_is_taken_out_is_known_no_longer(put: Put, opened: Opened, folder: Path) -> None:
    put([record(1)])
    put([record(2)], "other")
    remove(folder, "one")
    assert list(opened().provenance(["r1", "r2"])) == ["r2"]


def test_an_index_of_an_earlier_version_knows_nothing_and_can_be_brought_up_to_date(
    put: Put, opened: Opened, folder: Path
) -> None:
    put([record(1)])
    manifest = folder / "manifest.json"
    [file] = folder.rglob(PROVENANCE)
    file.unlink()
    text = manifest.read_text().split('    "provenance.sqlite": {')
    manifest.write_text(text[0] + text[1].partition("},\n")[2])
    assert opened().provenance(["r1"]) == {}
    put([record(1), record(2)])
    assert list(opened().provenance(["r1", "r2"])) == ["r1", "r2"]
