"""Where others ask, no answer names a path of the server, whatever is wrong with its files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from anamnesis.errors import (
    CorpusError,
    DataFileError,
    IndexFolderError,
    MemoryFolderError,
    ModelError,
    SettingError,
)
from app.server import durable
from app.server.private import Private
from app.server.recording import graph, served
from app.trace import runs as trace
from app.web.handlers import Handlers
from nodes.policy import apply_policy, policy_file
from tests.app.own_routes import asked_by
from tests.app.web.pages import Known, asking

ASKED: Any = {"question": "What are the symptoms of asthma?"}
OURS = (IndexFolderError, CorpusError, MemoryFolderError, DataFileError, ModelError)
ANYS = (*OURS, OSError, RuntimeError, ValueError)

every = pytest.mark.parametrize("kind", OURS)


@pytest.fixture
def failing(
    traced_home: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[type[Exception]], None]:
    """Has everything fail that reads the data folder, with its path."""

    def fail_with(kind: type[Exception]) -> None:
        def fail(*_: Any) -> None:
            raise kind(f"{traced_home}/index cannot be read")

        for place in ("nodes.parts", "app.server.routes", "app.web.handlers"):
            monkeypatch.setattr(f"{place}.open_corpus", fail)
        for place in ("app.server.routes", "app.web.handlers"):
            monkeypatch.setattr(f"{place}.open_memories", fail)

    return fail_with


@pytest.fixture
def http() -> TestClient:
    """The routes, asked by an asker; without the header, by the operator."""
    return asked_by("ann")


def whole(folder: Path, ending: str) -> str:
    return "".join(path.read_text() for path in folder.rglob(f"*{ending}"))


@every
def test_a_route_names_none_but_to_the_operator(
    traced_home: Path, http: TestClient, failing: Any, kind: Any, caplog: pytest.LogCaptureFixture
) -> None:
    failing(kind)
    for path in ("/health", "/evidence/x", "/memories", "/memories/export", "/memories/x"):
        answered = http.get(path)
        assert answered.status_code == 503
        assert str(traced_home) not in answered.text
        assert "cannot be used just now; the reason is in the server's log" in answered.text
    assert f"{traced_home}/index cannot be read" in caplog.text
    del http.headers["authorization"]
    assert http.get("/health").json() == {"detail": f"{traced_home}/index cannot be read"}


@pytest.mark.parametrize("kind", ANYS)
def test_a_run_and_its_record_name_none(
    traced_home: Path, failing: Any, kind: Any, caplog: pytest.LogCaptureFixture
) -> None:
    failing(kind)
    with pytest.raises(RuntimeError if kind in (OSError, ValueError) else kind) as caught:
        served.invoke(ASKED, {"run_id": uuid4()})
    assert str(traced_home) not in repr(caught.value)
    assert "the reason is in" in str(caught.value)
    assert f"{traced_home}/index cannot be read" in caplog.text
    assert "the reason is in" in whole(traced_home, ".jsonl")
    assert str(traced_home) not in whole(traced_home / "traces", ".jsonl")
    with pytest.raises(kind, match="index cannot be read"):
        graph.invoke(ASKED, {"run_id": uuid4()})


@every
def test_the_page_names_none_but_to_whose_machine_it_is(
    traced_home: Path, failing: Any, kind: Any
) -> None:
    failing(kind)
    page = Handlers({}, typed_names=False, policy=apply_policy)
    person = asking(Known("ann"))
    *_, (shown, *_) = page.ask(ASKED["question"], None, None, False, None, person)
    for text in (shown, page.compare("asthma", person), page.memories(None, None, person)):
        assert "the reason is in" in text
        assert str(traced_home) not in text
    assert str(traced_home) not in whole(traced_home / "traces", ".jsonl")
    assert str(traced_home) in Handlers({}).compare("asthma", person)


def test_a_record_and_a_policy_that_are_damaged(
    traced_home: Path, http: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    run = str(trace.record("What is asthma?", {"user": "ann"}, []))
    path = trace.folder("ann") / f"{run}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    next(traced_home.rglob(f"{run}.jsonl")).replace(path)
    text = path.read_text()
    path.write_text("{")
    assert str(traced_home) not in http.get(f"/traces/{run}").text
    assert str(path) in caplog.text
    path.write_text(text)
    assert http.get(f"/traces/{run}").status_code == 200
    policy_file().write_text("{")
    for asked in (f"/traces/{run}", "/health"):
        answered = http.get(asked)
        assert answered.status_code == 422
        assert str(traced_home) not in answered.text
    assert str(policy_file()) in caplog.text


def test_a_record_shows_its_user_no_setting_of_the_operators(
    traced_home: Path, http: TestClient
) -> None:
    policy_file().write_text(json.dumps({"settings": {"index": f"{traced_home}/secret"}}))
    with pytest.raises(IndexFolderError):
        served.invoke(ASKED, {"run_id": uuid4()}, context={"user": "ann"})  # type: ignore[arg-type]
    [run] = http.get("/traces").json()
    answered = http.get(f"/traces/{run}")
    assert answered.json()["question"] == ""
    assert str(traced_home) not in answered.text


def test_what_the_disk_does_not_hold(
    traced_home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise DataFileError(f"it comes back ([Errno 28] No space left: '{traced_home}/x')")

    monkeypatch.setattr(durable, "flush", fail)
    route = Route("/memories/x", lambda _: Response(), methods=["DELETE"])
    answered = TestClient(Private(Starlette(routes=[route]))).delete("/memories/x")
    assert answered.status_code == 503
    assert str(traced_home) not in answered.text
    assert "send the request again" in answered.text
    assert f"{traced_home}/x" in caplog.text


def test_a_passage_that_is_gone_names_no_folder(at_starter: Path) -> None:
    from retrievers.index import open_index

    with pytest.raises(SettingError, match="no passage 'gone'") as caught:
        open_index(at_starter / "index").passages(["gone"])
    assert str(at_starter) not in str(caught.value)
