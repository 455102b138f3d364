"""A run that ends the server each time is given up."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from anamnesis import DataFileError, RunError
from app.server import starts
from app.server.starts import forgive, note_start, runs_file

KILLED = """
import os, signal
from types import SimpleNamespace
from app.server.starts import note_start
info = SimpleNamespace(run_id="run-1")
note_start(SimpleNamespace(server_info=object(), execution_info=info))
os.kill(os.getpid(), signal.SIGKILL)
"""


def begun(run: str | None, server: Any = True) -> Any:
    return SimpleNamespace(server_info=server, execution_info=SimpleNamespace(run_id=run))


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    monkeypatch.setattr(starts, "_here", set())


def test_after_two_kills_a_run_is_given_up_and_others_are_not() -> None:
    for _ in range(2):
        ended = subprocess.run([sys.executable, "-c", KILLED], check=False)
        assert ended.returncode == -9
    with pytest.raises(
        RunError, match="started 2 times, and each time the server stopped during it"
    ):
        note_start(begun("run-1"))
    note_start(begun("run-2"))
    assert runs_file().stat().st_mode & 0o777 == 0o600


def test_the_steps_of_one_run_are_one_start() -> None:
    for _ in range(9):
        note_start(begun("run-1"))


def test_a_damaged_file_costs_the_counts_and_no_run(caplog: pytest.LogCaptureFixture) -> None:
    note_start(begun("run-1"))
    runs_file().write_bytes(b"no database " * 200)
    note_start(begun("run-2"))
    note_start(begun("run-3"))
    assert "runs.sqlite is damaged" in caplog.text


def test_a_stop_by_the_operator_is_held_against_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        note_start(begun("run-1"))
        forgive()


def test_runs_elsewhere_than_on_the_server_leave_nothing() -> None:
    note_start(begun("run-1", None))
    note_start(begun(None))
    assert not runs_file().exists()


def test_a_file_that_cannot_be_written_is_named_with_what_to_do() -> None:
    runs_file().mkdir()
    with pytest.raises(
        DataFileError, match=r"runs\.sqlite cannot be written .* make sure that the disk"
    ):
        note_start(begun("run-1"))
