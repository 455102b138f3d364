"""Records on disk: private, whole, and read back as they were."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from anamnesis import DataFileError
from app.cli.main import main
from app.trace import runs as trace

HEAD = {"run": "r", "question": "Q", "context": {}}
STEP = {"step": 1, "node": "screen", "ms": 1, "inputs": {}, "update": {}, "to": None, "why": None}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path / "data" / "home"))
    return tmp_path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_no_other_account_can_read_a_record() -> None:
    before = os.umask(0o022)
    try:
        run = trace.record("Q", {}, [])
        folder = trace.make_folder("ann")
    finally:
        os.umask(before)
    assert mode(trace.folder() / f"{run}.jsonl") == 0o600
    assert mode(trace.folder()) == mode(folder) == 0o700


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x1e", "\r", "\n"])
def test_a_question_with_any_line_break_is_read_back(sign: str) -> None:
    question = f"What is{sign}gout?"
    assert trace.read(trace.record(question, {}, []))[0]["question"] == question


def test_half_a_character_is_recorded_as_replaced() -> None:
    assert trace.read(trace.record("What \udcff is \ud83d?", {}, []))[0]["question"] == (
        "What \ufffd is \ufffd?"
    )


def test_a_record_that_fails_leaves_nothing() -> None:
    broken: Any = {**STEP, "update": {"what": object()}}
    with pytest.raises(TypeError):
        trace.record("Q", {}, [broken])
    assert not list(trace.folder().iterdir())


def test_a_run_that_has_not_ended_is_listed_read_and_deleted() -> None:
    lines = [json.dumps(HEAD), json.dumps(STEP), '{"step": 2, "no']
    folder = trace.make_folder()
    (folder / "cut.partial").write_text("\n".join(lines), "utf-8")
    whole = trace.record("Q", {}, [])
    assert trace.runs(folder) == [whole, "cut"]
    assert trace.read("cut") == trace.read(None) == (HEAD, [STEP])
    assert trace.delete(folder, "cut") == 1
    assert trace.runs(folder) == [whole]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], "it is empty"),
        ([[1]], "line 1"),
        ([{"question": "Q", "context": {}}], "line 1.* run"),
        ([{**HEAD, "context": "ann"}], "line 1.* context"),
        ([HEAD, STEP, {**STEP, "node": "cure"}], "line 3.* node"),
        ([HEAD, {**STEP, "node": ["screen"]}], "line 2.* node"),
        (
            [HEAD, {name: value for name, value in STEP.items() if name != "update"}],
            "line 2.* update",
        ),
        (
            [HEAD, {**STEP, "update": {"draft": {"statements": [{"failed_checks": ["kind: x"]}]}}}],
            "line 2.* update",
        ),
        (
            [HEAD, {**STEP, "state": {"rounds": [{"problem": "It is old."}]}}],
            "line 2.* state",
        ),
        ([HEAD, {name: value for name, value in STEP.items() if name != "why"}], "line 2.* why"),
    ],
)
def test_what_no_run_has_written_is_named_by_file_and_line(
    home: Path, capsys: pytest.CaptureFixture[str], lines: list[Any], expected: str
) -> None:
    file = home / "other.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    with pytest.raises(DataFileError, match=f"other.jsonl.*{expected}"):
        trace.read(str(file))
    for command in (["show"], ["replay", "--from", "verify"], ["diff", str(file)]):
        assert main(["trace", command[0], str(file), *command[1:]]) == 2
    assert capsys.readouterr().err.count("other.jsonl") == 3


@pytest.mark.parametrize("raw", [b"no json\n", b'{"run": "\xff"}\n', b"[" * 100_000 + b"\n"])
def test_what_is_no_json_is_named(home: Path, raw: bytes) -> None:
    file = home / "other.jsonl"
    file.write_bytes(raw)
    with pytest.raises(DataFileError, match=r"other\.jsonl"):
        trace.read(str(file))
