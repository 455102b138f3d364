"""The audit log: what an entry is, and many that add to it at once."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from anamnesis import AuditError
from app.cli.main import main
from app.users import audit, audit_head
from app.users.audit import object_name, record, recorded
from app.users.audit_check import verify
from tests.app.users.conftest import ANN

pytestmark = pytest.mark.usefixtures("new_home")
ROOT = Path(__file__).parents[3]


def entries_in(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_an_entry_says_who_did_what_and_when_and_is_its_accounts_alone(log: Path) -> None:
    first = entries_in(log)[0]
    time, digest = first.pop("time"), first.pop("hash")
    assert first == {
        "n": 1, "actor": "ann", "kind": "user", "action": "read", "object": f"thread:{0:032x}",
        "outcome": "done",
    }  # fmt: skip
    assert str(time).endswith("Z")
    assert len(str(digest)) == 64
    for path in (log, audit_head.head_file()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(audit_head.folder().stat().st_mode) == 0o700
    report = verify()
    assert (report.entries, report.problem) == (9, None)
    assert report.last
    assert report.last.n == 9


def test_what_is_no_id_of_the_program_is_hashed() -> None:
    assert object_name("memory", "zebrafish").startswith("memory:sha256-")
    assert object_name("evidence", "asthma#3").startswith("evidence:sha256-")
    assert object_name("thread", "0b7cbe0c-8a0e-4bde-a8bd-2b0c26ab2d3b").endswith("2d3b")
    assert (
        object_name("memory", "face")
        == object_name("memory", "face")
        != object_name("memory", "fade")
    )
    assert "face" not in object_name("memory", "face")
    assert object_name("memories") == "memories"


def test_the_head_file_may_lie_elsewhere(
    new_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(audit_head.HEAD, str(tmp_path / "disk"))
    record("read", "memories", actor=ANN)
    record("read", "memories", actor=ANN)
    assert verify().problem is None
    for path in audit.files():
        path.unlink()
    assert "missing: entries from 1 on" in str(verify().problem)
    record("read", "memories", actor=ANN)
    assert "missing: entry 1 to 2, before" in str(verify().problem)


def test_what_a_crash_left_is_gone_on_from(log: Path) -> None:
    heads = [audit_head.head_file().read_bytes()]
    for _ in range(3):
        record("ask", "run", actor=ANN)
        heads.append(audit_head.head_file().read_bytes())
    # The head file is behind, and one more entry was cut short: its deed was not done.
    audit_head.head_file().write_bytes(heads[0])
    with log.open("ab") as out:
        out.write(lines_of(log)[-1][:40])
    record("ask", "run", actor=ANN)
    report = verify()
    assert (report.entries, report.problem) == (13, None)
    assert [entry["n"] for entry in entries_in(log)] == [*range(1, 14)]


def test_a_full_file_is_followed_by_the_next_and_may_be_moved(
    new_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "_BYTES", 700)
    heads = []
    for number in range(20):
        record("read", object_name("thread", f"{number:032x}"), actor=ANN)
        heads.append(audit_head.head_file().read_bytes())
    found = audit.files()
    assert len(found) > 3
    assert (verify().entries, verify().problem) == (20, None)
    # A crash right behind the first entry of a new file.
    begun = [int(path.stem) for path in found]
    for n in begun[1:]:
        if n == begun[-1]:
            audit_head.head_file().write_bytes(heads[n - 2])
    record("read", "memories", actor=ANN)
    assert (verify().entries, verify().problem) == (21, None)
    archive = tmp_path / "archive"
    archive.mkdir()
    for path in found[:2]:
        path.rename(archive / path.name)
    assert f"missing: entry 1 to {begun[2] - 1}, before" in str(verify().problem)
    assert verify([archive]).problem is None
    assert main(["audit", "verify", "--archive", str(archive)]) == 0
    (archive / found[1].name).unlink()
    assert f"missing: entry {begun[1]}" in str(verify([archive]).problem)


def test_what_cannot_be_recorded_is_refused(new_home: Path) -> None:
    new_home.mkdir()
    (new_home / "audit").write_text("no folder")
    done = []
    with pytest.raises(AuditError, match="cannot be written"), recorded("delete", "memories"):
        done.append(1)
    assert not done


def test_a_full_disk_is_reported_and_leaves_the_log_whole(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(AuditError, match=r"No space left.*make room"):
            record("read", "memories", actor=ANN)
    record("read", "memories", actor=ANN)
    assert verify().problem is None


def test_what_changes_something_is_recorded_before_and_after(new_home: Path) -> None:
    with recorded("delete", "memories", actor=ANN):
        assert [entry["outcome"] for entry in entries_in(audit.files()[0])] == ["begun"]
    with pytest.raises(ZeroDivisionError), recorded("delete", "memories", actor=ANN):
        _ = 1 / 0
    outcomes = [entry["outcome"] for entry in entries_in(audit.files()[0])]
    assert outcomes == ["begun", "done", "begun", "failed"]


def test_processes_and_threads_add_to_one_chain(new_home: Path) -> None:
    code = (
        "from threading import Thread\nfrom app.users.audit import record\n"
        "def add():\n    for _ in range(10): record('read', 'memories')\n"
        "both = [Thread(target=add) for _ in range(2)]\n"
        "[own.start() for own in both]; [own.join() for own in both]\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ANAMNESIS_HOME": str(new_home)}
    running = [subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert (verify().entries, verify().problem) == (60, None)
