"""The audit log: what an entry is, that no change goes unseen, and many that add to it at once."""

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis import AuditError, SettingError
from app.cli.main import main
from app.users import audit, audit_head
from app.users.audit import Actor, object_name, record, recorded
from app.users.audit_check import Anchor, anchor_of, verify

pytestmark = pytest.mark.usefixtures("new_home")

ANN = Actor("ann", "user")
ROOT = Path(__file__).parents[3]


@pytest.fixture
def log(new_home: Path) -> Path:
    """The file of a log with nine entries."""
    for number in range(9):
        record("read", object_name("thread", f"{number:032x}"), actor=ANN)
    [path] = audit.files()
    return path


def told(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_an_entry_says_who_did_what_and_when_and_is_its_accounts_alone(log: Path) -> None:
    first = told(log)[0]
    time, own = first.pop("time"), first.pop("hash")
    assert first == {
        "n": 1, "actor": "ann", "kind": "user", "action": "read", "object": f"thread:{0:032x}",
        "outcome": "done",
    }  # fmt: skip
    assert str(time).endswith("Z")
    assert len(str(own)) == 64
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


def altered(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], lines[4].replace(b'"ann"', b'"eve"'), *lines[5:]]


def respaced(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], lines[4].replace(b'", "', b'","', 1), *lines[5:]]


def taken_out(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], *lines[5:]]


def exchanged(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], lines[5], lines[4], *lines[6:]]


def no_json(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], b"{\n", *lines[5:]]


def twice(lines: list[bytes]) -> list[bytes]:
    return [*lines[:5], lines[3], *lines[5:]]


def hashed_anew(lines: list[bytes]) -> list[bytes]:
    """All hashes from the change on made anew, as one would who knows how."""
    made, last = lines[:4], json.loads(lines[3])["hash"]
    for line in lines[4:]:
        entry, _ = audit.entry_of(line.replace(b'"ann"', b'"eve"'))
        line, last = audit.chained(last, entry)
        made.append(line)
    return made


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (altered, "entry 5 is altered"),
        (respaced, "entry 5 is altered"),
        (taken_out, "missing: entry 5, before"),
        (lambda lines: [*lines[:3], *lines[6:]], "missing: entry 4 to 6, before"),
        (lambda lines: lines[2:], "missing: entry 1 to 2, before"),
        (exchanged, "missing: entry 5, before"),
        (no_json, "entry 5 cannot be read"),
        (twice, "entry 4 is in the place of entry 6"),
        (lambda lines: lines[:-1], "missing: entries from 9 on; the head file"),
        (lambda lines: lines[:-4], "missing: entries from 6 on; the head file"),
        (lambda lines: [], "missing: entries from 1 on; the head file"),
        (hashed_anew, "entry 9 is not the one that the head file"),
    ],
)
def test_the_first_entry_that_is_wrong_is_named(
    log: Path, change: Callable[[list[bytes]], list[bytes]], problem: str
) -> None:
    log.write_bytes(b"".join(change(lines_of(log))))
    assert problem in str(verify().problem)
    # That more is added hides nothing.
    record("read", "memories", actor=ANN)
    [first] = re.findall(r"[0-9]+", problem)[:1]
    again = str(verify().problem)
    assert f"entry {first}" in again or "entry 10 is altered, or the one before it" in again


def test_an_end_cut_off_together_with_the_head_file_is_noticed(log: Path) -> None:
    anchor = verify().last
    assert anchor
    log.write_bytes(b"".join(lines_of(log)[:-2]))
    audit_head.head_file().unlink()
    assert "the head file" in str(verify().problem)
    record("read", "memories", actor=ANN)
    assert "no head file before entry 8" in str(verify().problem)
    for number in range(5):
        record("read", object_name("memory", f"{number:032x}"), actor=ANN)
    assert "entry 9 is not the one that the anchor names" in str(verify(anchor=anchor).problem)


def test_an_anchor_vouches_for_what_was_before_it(log: Path) -> None:
    audit_head.head_file().unlink()
    record("read", "memories", actor=ANN)
    report = verify()
    assert "no head file before entry 10" in str(report.problem)
    assert report.last
    assert verify(anchor=report.last).problem is None
    assert "the anchor" in str(verify(anchor=Anchor(report.last.n + 1, "0" * 64)).problem)
    assert anchor_of(str(report.last)) == report.last
    for wrong in ("", "1", "x:1", f"0:{'0' * 64}", f"1:{'0' * 63}"):
        with pytest.raises(SettingError, match="NUMBER:HASH"):
            anchor_of(wrong)


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
    assert [entry["n"] for entry in told(log)] == [*range(1, 14)]


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


def test_a_full_disk_is_told_and_leaves_the_log_whole(
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
        assert [entry["outcome"] for entry in told(audit.files()[0])] == ["begun"]
    with pytest.raises(ZeroDivisionError), recorded("delete", "memories", actor=ANN):
        _ = 1 / 0
    outcomes = [entry["outcome"] for entry in told(audit.files()[0])]
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


def test_the_command_checks_and_shows(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record("delete", "memories", actor=Actor("root", "account"), owner="ann", count=3)
    record("login", "page", "refused", actor=Actor("", "nobody"), address="10.0.0.7")
    assert main(["audit", "verify"]) == 0
    first = capsys.readouterr().out
    assert first.startswith("11 entries, none altered or missing; 11:")
    anchor = first.split()[-1]
    assert main(["audit", "verify", "--anchor", anchor]) == 0
    capsys.readouterr()
    assert main(["audit", "show", "--user", "ann", "--action", "delete", "--json"]) == 0
    [entry] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (entry["actor"], entry["count"]) == ("root", 3)
    assert main(["audit", "show", "--last", "1"]) == 0
    out = capsys.readouterr().out
    assert "login  page  refused" in out
    assert "address=10.0.0.7" in out
    assert main(["audit", "show", "--since", "2000-01-01", "--until", "2000-01-02"]) == 1
    assert "no such entries" in capsys.readouterr().out
    assert main(["audit", "show", "--since", "yesterday"]) == 2
    assert "is not a time" in capsys.readouterr().err
    log.write_bytes(b"".join(altered(lines_of(log))))
    assert main(["audit", "verify"]) == 1
    assert "not intact: entry 5 is altered" in capsys.readouterr().out
