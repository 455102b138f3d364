"""Records that begin in the middle or end in an error, and what a replay leaves alone."""

from pathlib import Path
from typing import Any

import pytest

from anamnesis.memory.opening import open_memories
from app.cli.main import main
from app.trace import runs as trace
from app.trace.diff import diff
from app.trace.forgetting import forget_traces
from app.trace.replay import replay
from app.web.drawing import edge_counts

QUESTION = "I have asthma, what are its symptoms?"


def test_nothing_is_recorded_of_a_run_whose_user_has_deleted_all_since(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = trace.record

    def late(*arguments: Any, **more: Any) -> str | None:
        open_memories().delete("rex")
        return recording(*arguments, **more)

    monkeypatch.setattr(trace, "record", late)
    assert main(["ask", QUESTION, "--trace", "--user", "rex"]) == 0
    printed = capsys.readouterr()
    assert "asthma" in printed.out
    assert "not recorded" in printed.err
    assert not list(trace.folder().iterdir())


def test_a_replay_is_in_the_folder_of_its_run(home: Path) -> None:
    assert main(["ask", QUESTION, "--trace"]) == 0
    folder = trace.make_folder("zoe")
    [whole] = trace.folder().glob("*.jsonl")
    whole.rename(folder / whole.name)
    assert main(["trace", "replay", str(folder / whole.name), "--from", "generate"]) == 0
    assert not list(trace.folder().glob("*.jsonl"))
    assert len(list(folder.glob("*.jsonl"))) == 2
    assert forget_traces("zoe") == 2


def last() -> tuple[dict[str, Any], list[trace.Step]]:
    return trace.read(None)


def test_a_replay_goes_on_in_the_records_supersteps_and_remembers_nothing(home: Path) -> None:
    assert main(["ask", QUESTION, "--trace", "--user", "rex", "--remember"]) == 0
    memories = open_memories()
    assert memories.delete("rex", memories.ids("rex")) > 0
    run = trace.runs(trace.folder())[-1]
    _, steps = trace.read(run)
    for node in ("retrieve", "generate", "remember"):
        assert main(["trace", "replay", run, "--from", node]) == 0
        first, again = last()
        assert sorted((step["step"], step["node"]) for step in again) == sorted(
            (step["step"], step["node"]) for step in steps
        )
        assert edge_counts(again) == edge_counts(steps)
        assert first["settings"]["memory.consent"] is False
    assert memories.all("rex") == []
    for node in ("recall", "retrieve", "rerank", "generate", "verify", "remember"):
        place = next(place for place, step in enumerate(steps) if step["node"] == node)
        answers = [
            {**recorded[-1]["update"]["answer"], "timings": 0}
            for recorded in (steps, replay(steps[place:], node, {"user": "rex"}))
        ]
        assert answers[0] == answers[1]


def test_an_emergency_is_taken_up_from_its_fallback(home: Path) -> None:
    assert main(["ask", "My father has crushing chest pain", "--trace"]) == 0
    _, steps = last()
    assert [step["node"] for step in replay(steps[1:], "fallback", {})] == ["fallback", "remember"]
    [step] = replay(steps[2:], "remember", {})
    assert step["update"]["answer"]["outcome"] == "urgent"


def test_a_run_that_failed_in_verification_is_compared() -> None:
    step = trace.step_of(5, "verify", {}, {"error": "RuntimeError: no room"})
    head = {"question": "Q", "context": {}}
    assert diff((head, [step]), (head, [step])) == {}


def test_bytes_that_are_no_text_are_reported_and_recorded_as_such(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "What are the symptoms \udcff of asthma?"
    assert main(["trace", "ask", asked]) == 0
    assert main(["ask", asked, "--trace"]) == 0
    assert main(["trace", "show"]) == 0
    assert "\udcff" not in capsys.readouterr().out
    assert last()[0]["question"] == asked.replace("\udcff", "\ufffd")
