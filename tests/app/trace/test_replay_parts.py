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

    def late(*told: Any, **more: Any) -> str | None:
        open_memories().delete("rex")
        return recording(*told, **more)

    monkeypatch.setattr(trace, "record", late)
    assert main(["ask", QUESTION, "--trace", "--user", "rex"]) == 0
    told = capsys.readouterr()
    assert "asthma" in told.out
    assert "not recorded" in told.err
    assert not list(trace.folder().iterdir())


def test_a_replay_lies_beside_the_run_that_it_is_of(home: Path) -> None:
    assert main(["ask", QUESTION, "--trace"]) == 0
    own = trace.make_folder("zoe")
    [whole] = trace.folder().glob("*.jsonl")
    whole.rename(own / whole.name)
    assert main(["trace", "replay", str(own / whole.name), "--from", "generate"]) == 0
    assert not list(trace.folder().glob("*.jsonl"))
    assert len(list(own.glob("*.jsonl"))) == 2
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
        assert sorted((own["step"], own["node"]) for own in again) == sorted(
            (own["step"], own["node"]) for own in steps
        )
        assert edge_counts(again) == edge_counts(steps)
        assert first["settings"]["memory.consent"] is False
    assert memories.all("rex") == []
    for node in ("recall", "retrieve", "rerank", "generate", "verify", "remember"):
        place = next(place for place, own in enumerate(steps) if own["node"] == node)
        answers = [
            {**own[-1]["update"]["answer"], "timings": 0}
            for own in (steps, replay(steps[place:], node, {"user": "rex"}))
        ]
        assert answers[0] == answers[1]


def test_an_emergency_is_taken_up_from_its_fallback(home: Path) -> None:
    assert main(["ask", "My father has crushing chest pain", "--trace"]) == 0
    _, steps = last()
    assert [own["node"] for own in replay(steps[1:], "fallback", {})] == ["fallback", "remember"]
    [own] = replay(steps[2:], "remember", {})
    assert own["update"]["answer"]["outcome"] == "urgent"


def test_a_run_that_failed_in_verification_is_compared() -> None:
    step = trace.step_of(5, "verify", {}, {"error": "RuntimeError: no room"})
    head = {"question": "Q", "context": {}}
    assert diff((head, [step]), (head, [step])) == {}


def test_bytes_that_are_no_text_are_told_and_recorded_as_such(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "What are the symptoms \udcff of asthma?"
    assert main(["trace", "ask", asked]) == 0
    assert main(["ask", asked, "--trace"]) == 0
    assert main(["trace", "show"]) == 0
    assert "\udcff" not in capsys.readouterr().out
    assert last()[0]["question"] == asked.replace("\udcff", "\ufffd")
