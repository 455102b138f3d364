"""The development server's lists are on the disk when a deletion is answered."""

import json
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from anamnesis import DataFileError
from app.server import durable
from app.server.private import Private


class Kept(dict[str, Any]):
    """A dictionary of the server's: it names its file, and ``sync`` writes it."""

    def __init__(self, path: Path, **settings: Any) -> None:
        super().__init__(settings)
        self.filename = str(path)
        self.sync: Any = None

    def dump(self, out: Any) -> None:
        """What it holds, as the server writes it."""
        out.write(json.dumps(self).encode())


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    (tmp_path / "lists").mkdir()
    runs = Kept(tmp_path / "lists" / "runs", runs=["zebrafish"])
    counter = SimpleNamespace(_counters=Kept(tmp_path / "lists" / "attempts"))
    runtime = SimpleNamespace(GLOBAL_STORE=runs, GLOBAL_RETRY_COUNTER=counter)
    monkeypatch.setitem(sys.modules, durable._RUNTIME, runtime)  # type: ignore[arg-type]
    return runs


def written(kept: Kept) -> Any:
    return json.loads(Path(kept.filename).read_bytes())


def serving(kept: Kept) -> TestClient:
    async def change(request: Request) -> Response:
        if request.method != "POST" or request.url.path.endswith("cancel"):
            kept["runs"] = []
        return JSONResponse({}, int(request.query_params.get("status", "200")))

    methods = ["GET", "POST", "PATCH", "DELETE"]
    app = Starlette(
        routes=[Route("/{path:path}", change, methods=methods)], middleware=[Middleware(Private)]
    )
    return TestClient(app)


@pytest.mark.parametrize(
    ("method", "path"),
    [("DELETE", "/threads/1"), ("PATCH", "/memories/1"), ("POST", "/threads/1/runs/2/cancel")],
)
def test_a_deletion_is_answered_once_it_is_on_the_disk(kept: Kept, method: str, path: str) -> None:
    with serving(kept) as http:
        durable.flush()
        assert written(kept) == {"runs": ["zebrafish"]}
        assert http.request(method, path).status_code == 200
        assert written(kept) == {"runs": []}


def test_what_deletes_nothing_waits_for_no_disk(kept: Kept) -> None:
    with serving(kept) as http:
        for method, path in (("GET", "/threads/1"), ("POST", "/threads/1/runs")):
            assert http.request(method, path).status_code == 200
        assert http.delete("/threads/1?status=404").status_code == 404
        assert not Path(kept.filename).exists()


def test_a_deletion_that_the_disk_does_not_hold_is_said_to_have_failed(kept: Kept) -> None:
    with serving(kept) as http:
        Path(kept.filename).mkdir()
        answered = http.delete("/threads/1")
        assert answered.status_code == 503
        assert "comes back" in answered.json()["detail"]
        assert answered.headers["cache-control"] == "no-store"


def test_an_older_list_never_takes_the_place_of_a_newer_one(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server's own writer has read the list, and is slow to write it.
    durable.install()
    read, go = threading.Event(), threading.Event()
    dump = kept.dump

    def slow(out: Any) -> None:
        dump(out)
        if threading.current_thread() is writer:
            read.set()
            go.wait(10)

    monkeypatch.setattr(kept, "dump", slow)
    writer = threading.Thread(target=kept.sync)
    writer.start()
    assert read.wait(10)
    kept["runs"] = []
    deletion = threading.Thread(target=durable.flush)
    deletion.start()
    go.set()
    writer.join(10)
    deletion.join(10)
    assert written(kept) == {"runs": []}
    assert sorted(path.name for path in Path(kept.filename).parent.iterdir()) == [
        "attempts",
        "runs",
    ]


def test_a_list_that_is_changed_while_it_is_read_is_read_again(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def dump(out: Any) -> None:
        tried.append(out)
        out.write(b"half" if len(tried) < 3 else b"whole")
        if len(tried) < 3:
            raise RuntimeError("dictionary changed size during iteration")

    monkeypatch.setattr(kept, "dump", dump)
    durable.write(kept)
    assert Path(kept.filename).read_bytes() == b"whole"


def test_a_list_that_changes_all_the_time_is_not_taken_for_written(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dump(out: Any) -> None:
        raise RuntimeError("dictionary changed size during iteration")

    monkeypatch.setattr(kept, "dump", dump)
    with pytest.raises(DataFileError, match="changes all the time"):
        durable.flush()


def test_before_the_server_has_a_folder_nothing_is_written(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.filename = str(tmp_path / "none" / "runs")
    durable.write(kept)
    assert not (tmp_path / "none").exists()
    monkeypatch.delitem(sys.modules, durable._RUNTIME)
    durable.flush()
