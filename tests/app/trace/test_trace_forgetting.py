"""What a user deletes stays deleted, whatever is still running; and it is that user's alone."""

import json
import time
from pathlib import Path
from random import getrandbits
from typing import Any
from uuid import UUID, uuid4

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.applications import Starlette
from starlette.authentication import AuthCredentials, AuthenticationBackend, UnauthenticatedUser
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection
from starlette.routing import Route
from starlette.testclient import TestClient

from anamnesis import SettingError
from anamnesis.memory.store import Memories
from anamnesis.paths import default_memory
from app.server.recording import Recorder, harmless
from app.trace import files as trace_file
from app.trace import runs as trace
from app.trace.forgetting import forget_traces
from app.trace.spans import Spans
from graph import Context, build_graph
from retrievers.index import Index
from tests.fakes import HashEmbedder
from tests.graph.conftest import Always, ScriptedCritic, small_index

pytestmark = pytest.mark.usefixtures("traced_home")

__all__ = ["small_index"]

ASTHMA: Any = {"question": "I have asthma. What is asthma?"}
ANN = Context(user="ann", memory={"consent": True}, retrieval={"min_relevance": 0.0})


@pytest.fixture
def memories() -> Memories:
    return Memories(default_memory(), HashEmbedder())


def watched(index: Index, memories: Memories, *observers: Any) -> Any:
    return build_graph(
        index=index,
        critic=ScriptedCritic({}),
        reranker=Always(),
        memories=memories,
        observe=harmless(*observers),
    )


def new_run() -> Any:
    return {"run_id": uuid4()}


def files() -> list[Path]:
    return [path for path in trace.folder().rglob("*") if path.is_file()]


@pytest.mark.parametrize("at", ["screen", "rerank", "verify", "remember"])
def test_nothing_comes_back_of_a_run_during_which_all_is_deleted(
    small_index: Index, memories: Memories, at: str
) -> None:
    def delete(node: str, *_: Any) -> None:
        if node == at:
            memories.delete("ann")
            forget_traces("ann")

    graph = watched(small_index, memories, delete, Recorder())
    graph.invoke(ASTHMA, new_run(), context=ANN)
    assert memories.all("ann") == []
    assert files() == []
    at = "none"
    graph.invoke(ASTHMA, new_run(), context=ANN)
    assert memories.all("ann")
    assert len(files()) == 1


def at(seconds: float) -> Any:
    """A run with an id of that time (UUID 7)."""
    return {"run_id": UUID(int=int(seconds * 1000) << 80 | 7 << 76 | 2 << 62 | getrandbits(62))}


def test_a_run_that_is_taken_up_again_keeps_nothing_of_what_was_deleted_since(
    small_index: Index, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = time.time()
    memories.delete("ann")
    graph = watched(small_index, memories, Recorder())
    wrote: list[Any] = []
    write = trace_file.write
    monkeypatch.setattr(
        trace_file,
        "write",
        lambda path, lines, new: wrote.extend(lines) or write(path, [], new=new),
    )
    graph.invoke(ASTHMA, at(asked), context=ANN)
    assert memories.all("ann") == []
    assert files() == []
    # Not for an instant: the server may be killed in it.
    assert wrote == []
    with pytest.raises(SettingError):
        graph.invoke({"question": " "}, at(asked), context=ANN)
    assert (files(), wrote) == ([], [])
    graph.invoke(ASTHMA, at(time.time() + 1), context=ANN)
    assert memories.all("ann")
    assert wrote


def test_a_later_run_of_the_thread_is_recorded_even_where_it_fails(
    small_index: Index, memories: Memories
) -> None:
    graph = watched(small_index, memories, Recorder()).copy({"checkpointer": InMemorySaver()})
    thread = {"configurable": {"thread_id": "1"}}
    graph.invoke(ASTHMA, {**thread, **new_run()}, context=ANN)
    memories.delete("ann")
    assert forget_traces("ann") == 1
    with pytest.raises(SettingError):
        graph.invoke({"question": " "}, {**thread, **new_run()}, context=ANN)
    assert len(files()) == 1


def test_a_record_that_is_deleted_while_it_grows_is_not_begun_anew(
    small_index: Index, memories: Memories
) -> None:
    def delete(node: str, *_: Any) -> None:
        if node == "rerank":
            [run] = trace.runs(trace.folder("ann"))
            assert trace.delete(trace.folder("ann"), run) == 1

    graph = watched(small_index, memories, delete, Recorder())
    graph.invoke(ASTHMA, new_run(), context=ANN)
    assert files() == []


def test_a_run_that_was_broken_off_can_be_seen_and_deleted(
    small_index: Index, memories: Memories
) -> None:
    graph = watched(small_index, memories, Recorder())
    broken = graph.stream(ASTHMA, new_run(), context=ANN, stream_mode="updates")
    next(broken)
    broken.close()
    folder = trace.folder("ann")
    [run] = trace.runs(folder)
    first, steps = trace.read(str(folder / f"{run}.partial"))
    assert first["question"] == ASTHMA["question"]
    assert steps[0]["node"] == "screen"
    assert trace.delete(folder, run) == 1
    assert files() == []


def test_of_runs_without_an_end_the_oldest_are_let_go(
    small_index: Index, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = InMemorySpanExporter()
    monkeypatch.setattr("app.trace.spans.OTLPSpanExporter", lambda endpoint: sent)
    monkeypatch.setattr("app.trace.spans.MOST_RUNS", 1)
    monkeypatch.setattr("app.server.recording.MOST_RUNS", 1)
    spans = Spans("http://localhost:4318")
    graph = watched(small_index, memories, Recorder(), spans)
    first = graph.stream(ASTHMA, new_run(), context=ANN, stream_mode="updates")
    next(first)
    graph.invoke(ASTHMA, new_run(), context=ANN)
    spans.flush()
    assert [span.name for span in sent.get_finished_spans()].count("run") == 2
    # One that goes on all the same is recorded with a head of its own.
    assert list(first)
    for path in files():
        assert trace.read(str(path))[0]["question"] == ASTHMA["question"]
    assert len(files()) == 3


def test_what_watches_costs_no_answer_and_no_other_its_step(
    small_index: Index, memories: Memories, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: Any) -> None:
        raise TypeError("no step")

    graph = watched(small_index, memories, fails, Recorder())
    assert graph.invoke(ASTHMA, new_run(), context=ANN)["answer"]["outcome"] == "answered"
    assert len(files()) == 1
    assert "could not be recorded" in caplog.text


def recorded(folder: Path, **context: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{trace.new_run()}.jsonl"
    path.write_text(json.dumps({"run": "r", "question": "Q", "context": context}) + "\n")
    return path


def test_in_a_users_folder_the_folder_says_whose_a_run_is() -> None:
    unsigned = recorded(trace.folder("ann"), remember=True)
    other = recorded(trace.folder("ann"), user="anna")
    path = recorded(trace.folder("anna"), user="ann")
    typed = recorded(trace.folder(), user="anna")
    assert forget_traces("anna") == 2
    assert not path.exists()
    assert not typed.exists()
    assert forget_traces("ann") == 2
    assert not unsigned.exists()
    assert not other.exists()


class Nobody(AuthenticationBackend):
    async def authenticate(self, conn: HTTPConnection) -> Any:
        return AuthCredentials(), UnauthenticatedUser()


def test_the_route_deletes_what_the_command_line_recorded(
    traced_home: Path, starter_home: Path
) -> None:
    from app.server.routes import ROUTES

    (traced_home / "models").symlink_to(starter_home / "models")
    path = recorded(trace.folder(), user="ann")
    kept = recorded(trace.folder(), user="bob")
    app = Starlette(
        routes=[Route("/memories", ROUTES["DELETE", "/memories"], methods=["DELETE"])],
        middleware=[Middleware(AuthenticationMiddleware, backend=Nobody())],
    )
    assert TestClient(app).delete("/memories?user=ann").json() == {"memories": 0, "traces": 1}
    assert not path.exists()
    assert kept.exists()
