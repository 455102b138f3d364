"""Runs recorded and sent as spans by what watches the steps of a graph."""

import gzip
import runpy
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from anamnesis import SettingError
from app.server.recording import Recorder, harmless
from app.trace import runs as trace
from app.trace.rendering import render
from app.trace.replay import replay
from app.trace.spans import Spans
from graph import Context, build_graph
from nodes.settings.names import by_name
from tests.http_servers import Quiet, Server, running

ROOT = Path(__file__).parents[3]
QUESTION = "What are the symptoms of asthma?"


pytestmark = pytest.mark.usefixtures("home")


def run_id() -> Any:
    return {"run_id": uuid4()}


def test_a_run_is_recorded_where_the_setting_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = build_graph(observe=Recorder())
    ann = Context(user="ann", generator={"max_statements": 2})
    graph.invoke({"question": QUESTION}, run_id(), context=ann)
    assert not trace.folder().exists()

    monkeypatch.setenv("ANAMNESIS_TRACES", "1")
    answer = graph.invoke({"question": QUESTION}, run_id(), context=ann)["answer"]
    assert trace.runs(trace.folder()) == trace.runs(trace.folder("eve")) == []
    [run] = trace.runs(trace.folder("ann"))
    first, steps = trace.read(str(trace.folder("ann") / f"{run}.jsonl"))
    assert first["question"] == QUESTION
    assert first["context"] == {"user": "ann", "generator.max_statements": 2}
    assert first["settings"] == by_name(ann)
    assert [step["step"] for step in steps] == [1, 2, 2, 3, 4, 5, 6]
    assert steps[-1]["update"]["answer"] == answer
    again = replay(steps, "generate", {**first["context"], "generator.max_statements": 1})
    assert len(again[-1]["update"]["answer"]["statements"]) == 1

    graph.invoke({"question": QUESTION}, run_id(), context=ann)
    newer = trace.runs(trace.folder("ann"))[-1]
    assert trace.delete(trace.folder("ann"), run) == 1
    assert trace.runs(trace.folder("ann")) == [newer]
    (trace.folder("ann") / "cut.partial").touch()
    assert trace.delete(trace.folder("ann")) == 2
    assert not list(trace.folder("ann").iterdir())


def test_a_run_that_fails_is_recorded_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANAMNESIS_TRACES", "1")
    graph = build_graph(observe=Recorder())
    with pytest.raises(SettingError):
        graph.invoke({"question": " "}, run_id())
    [run] = trace.runs(trace.folder())
    _, steps = trace.read(run)
    assert "there is no question" in steps[0]["update"]["error"]
    assert any("there is no question" in line for line in render(steps))


def test_a_folder_that_cannot_be_written_costs_no_answer(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("ANAMNESIS_TRACES", "1")
    (home / "traces").write_text("no folder")
    graph = build_graph(observe=harmless(Recorder()))
    assert graph.invoke({"question": QUESTION}, run_id())["answer"]["outcome"] == "answered"


class Collector(Quiet, BaseHTTPRequestHandler):
    """Takes spans as an OpenTelemetry collector does."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.bodies.append((self.path, body))  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()


@pytest.fixture
def collector() -> Iterator[Server]:
    server = Server(Collector)
    server.bodies = []  # type: ignore[attr-defined]
    with running(server):
        yield server


def test_a_collector_gets_a_span_a_step_and_none_of_the_words(collector: Server) -> None:
    spans = Spans(f"{collector.address}/")
    graph = build_graph(observe=spans)
    answer = graph.invoke({"question": QUESTION}, run_id())["answer"]
    with pytest.raises(SettingError):
        graph.invoke({"question": " "}, run_id())
    spans.flush()
    [(path, body)] = collector.bodies  # type: ignore[attr-defined]
    assert path == "/v1/traces"
    for words in ("symptoms of", answer["statements"][0]["text"], "there is no question"):
        assert words.encode() not in body
    [resource] = ExportTraceServiceRequest.FromString(body).resource_spans
    sent = list(resource.scope_spans[0].spans)
    run = next(span for span in sent if span.name == "run")
    steps = [span for span in sent if span.parent_span_id == run.span_id]
    names = [span.name for span in sorted(steps, key=lambda span: span.end_time_unix_nano)]
    assert names[0] == "screen"
    assert names[3:] == ["rerank", "generate", "verify", "remember"]
    assert {span.trace_id for span in steps} == {run.trace_id}
    assert all(run.start_time_unix_nano <= span.start_time_unix_nano for span in steps)
    verify = next(span for span in steps if span.name == "verify")
    attributes = {attribute.key: attribute.value for attribute in verify.attributes}
    assert attributes["to"].string_value == "remember"
    chances = [item["probability"] for item in answer["statements"]]
    assert [
        value.double_value for value in attributes["probabilities"].array_value.values
    ] == chances
    failed = [span for span in sent if span.status.code == span.status.STATUS_CODE_ERROR]
    assert sorted(span.name for span in failed) == ["run", "screen"]


def test_without_the_packages_for_spans_the_remedy_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANAMNESIS_OTLP_ENDPOINT", "http://localhost:4318")
    monkeypatch.setitem(sys.modules, "app.trace.spans", None)
    with pytest.raises(SettingError, match=r"ANAMNESIS_OTLP_ENDPOINT is set.*anamnesis\[server\]"):
        runpy.run_path(str(ROOT / "app" / "server" / "recording.py"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("ask_python", "says"), ("walk", "setting generator.max_statements: None")],
)
def test_a_program_of_the_examples_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, expected: str
) -> None:
    monkeypatch.setattr("sys.argv", [name])
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
    assert expected in capsys.readouterr().out
