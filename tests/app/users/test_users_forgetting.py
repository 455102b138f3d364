"""What lies outside the memories is deleted of one user, and of nobody else."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from anamnesis import SettingError
from app.cli.main import main
from app.trace import runs as trace
from app.trace.forgetting import forget_traces
from app.users.forgetting import forget_threads
from retrievers.index import Index
from tests.graph.conftest import ASK, CHECKED, built, small_index

__all__ = ["small_index"]

SECRET = "What is Zanzibar syndrome?"


@pytest.fixture(params=["memory", "sqlite"])
def checkpointer(request: pytest.FixtureRequest, tmp_path: Path) -> BaseCheckpointSaver[str]:
    if request.param == "memory":
        return InMemorySaver()
    return SqliteSaver(sqlite3.connect(tmp_path / "threads.sqlite", check_same_thread=False))


def test_the_threads_of_a_user_go_and_those_of_others_stay(
    checkpointer: BaseCheckpointSaver[str], small_index: Index, tmp_path: Path
) -> None:
    graph = built(small_index, None, {}).copy({"checkpointer": checkpointer})

    def ask(thread: str, asked: Any, **metadata: str) -> None:
        config: Any = {"configurable": {"thread_id": thread}, "metadata": metadata}
        graph.invoke(asked, config, context=CHECKED)

    ask("1", {"question": SECRET}, user="ann")
    ask("2", ASK, user="bob")
    ask("3", ASK)
    ask("4", ASK, user="ann")
    assert forget_threads(checkpointer, "ann") == ["1", "4"]
    assert forget_threads(checkpointer, "ann") == []
    left = {
        checkpoint.config["configurable"]["thread_id"] for checkpoint in checkpointer.list(None)
    }
    assert left == {"2", "3"}
    if isinstance(checkpointer, SqliteSaver):
        # What is deleted stays in free pages until the file is written anew.
        checkpointer.conn.execute("vacuum")
        checkpointer.conn.execute("pragma wal_checkpoint(truncate)")
        checkpointer.conn.close()
        for path in tmp_path.glob("threads.sqlite*"):
            assert b"Zanzibar" not in path.read_bytes()


def test_recorded_runs_of_a_user_go_with_all_of_their_memories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    for user in ("ann", "ann", "bob", None):
        trace.record(SECRET, {"user": user} if user else {}, [])
    for name, text in {
        "notes": "no trace of ann",
        "list": "[]",
        "odd": '{"context": "ann"}',
    }.items():
        (trace.folder() / f"{name}.jsonl").write_text(text)
    cut_short = json.dumps({"question": SECRET, "context": {"user": "ann"}}) + '\n{"step": '
    (trace.folder() / "cut.partial").write_text(cut_short)
    assert forget_traces("bob") == 1
    assert main(["memory", "delete", "--all", "--yes", "--user", "ann"]) == 0
    assert "3 recorded runs deleted" in capsys.readouterr().out
    assert len(list(trace.folder().iterdir())) == 4
    assert forget_traces("ann") == 0


def test_nobodys_are_not_deleted() -> None:
    for call in (lambda: forget_threads(InMemorySaver(), " "), lambda: forget_traces("")):
        with pytest.raises(SettingError, match="name the user"):
            call()
