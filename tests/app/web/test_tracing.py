"""A run as HTML: the times and the steps."""

from pathlib import Path
from typing import Any

import pytest

from app.trace import runs as trace
from app.trace.runs import Step
from app.web.tracing import recorded, starts, trace_html
from tests.app.web.pages import one, read


def step(number: int, node: str, ms: float = 10.0, **more: Any) -> Step:
    record: Any = {
        "step": number, "node": node, "ms": ms, "inputs": {}, "update": {}, "to": None,
        "why": None, "state": {}, **more,
    }  # fmt: skip
    return record


def test_steps_of_one_superstep_begin_together() -> None:
    run = [step(1, "screen", 5), step(2, "recall", 40), step(2, "retrieve", 25),
           step(3, "rerank", 30)]  # fmt: skip
    assert starts(run) == [0, 5, 5, 45]
    assert starts([]) == []
    page = read(trace_html("Q?", {}, run))
    assert "4 steps, 75 ms" in page.get_text()
    bars = [element["style"] for element in page.select(".bar")]
    assert bars[1] == "margin-left:6.67%;width:53.33%"
    assert [element.get_text() for element in page.select(".ms")][1] == "40.0 ms"


def test_a_run_that_took_no_time_is_drawn() -> None:
    assert "0 ms" in read(trace_html("Q?", {}, [step(1, "screen", 0)])).get_text()


def test_a_step_shows_its_input_and_output_as_text() -> None:
    run = [
        step(1, "screen", inputs={"question": "<script>"}, update={"queries": ["<script>"]},
             to="retrieve", why="no words of an emergency")
    ]  # fmt: skip
    page = read(trace_html("<script>", {"user": "<script>"}, run))
    assert not page.select("script")
    text = one(page, "pre").get_text()
    assert "< question: <script>" in text
    assert "→ retrieve: no words of an emergency" in text
    assert one(page, "h2").get_text() == "<script>"
    assert 'user "<script>"' in page.get_text()


def test_recorded_runs_are_listed_the_newest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(tmp_path))
    assert recorded(trace.folder()) == []
    runs = [trace.record("What is gout?", {}, [step(1, "screen")])]
    (trace.folder() / "99999999-000000-aaaaaa.jsonl").write_text("nonsense\n")
    runs.append("99999999-000000-aaaaaa")
    found = recorded(trace.folder())
    assert [path.stem for _, path in found] == runs[::-1]
    assert [text.partition(" – ")[0] for text, _ in found] == ["not readable", "What is gout?"]
