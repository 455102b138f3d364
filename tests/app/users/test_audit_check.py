"""No change of the audit log goes unseen."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from anamnesis import SettingError
from app.cli.main import main
from app.users import audit, audit_head
from app.users.audit import Actor, object_name, record
from app.users.audit_check import Anchor, anchor_of, verify
from tests.app.users.conftest import ANN
from tests.app.users.test_audit import lines_of

pytestmark = pytest.mark.usefixtures("new_home")


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
