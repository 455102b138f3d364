"""What a caller of the running server cannot write, and how much of an answer stays on the disk."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest

from app.users.tokens import Role, add_token
from tests.app.accounts import QUESTION, client, ok
from tests.app.server_process import Server

pytestmark = pytest.mark.server

RUN = {"assistant_id": "anamnesis"}
MOST = 150_000  # bytes of an answer with the checkpoints of its steps (more with their writes)


def asking(server: Server, name: str, role: Role) -> httpx.Client:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAMNESIS_HOME", str(server.home))
        return client(server, add_token(name, role=role))


@pytest.fixture(scope="module")
def asker(users_server: Server) -> Iterator[httpx.Client]:
    with asking(users_server, "una", "asker") as http:
        yield http


@pytest.fixture(scope="module")
def operator(users_server: Server) -> Iterator[httpx.Client]:
    with asking(users_server, "olga", "operator") as http:
        yield http


def test_no_caller_commands_the_graph(asker: httpx.Client, operator: httpx.Client) -> None:
    for http in (asker, operator):
        thread = f"/threads/{ok(http.post('/threads', json={}))['thread_id']}"
        goto = {"goto": [{"node": "screen", "input": {"question": "x"}}] * 1000}
        for command in (goto, {"update": {"question": "x", "started": 1e15}, "goto": "screen"}):
            run = {**RUN, "command": command}
            reply = {"interrupt_id": "x", "response": "y", **command}
            for path, sent in (
                ("/runs/wait", run),
                ("/runs/batch", [run]),
                (f"{thread}/runs/wait", run),
                ("/runs/crons", {**run, "schedule": "0 0 1 1 *"}),
                (f"{thread}/commands", {"id": 1, "method": "run.start", "params": run}),
                (f"{thread}/commands", {"id": 1, "method": "input.respond", "params": reply}),
            ):
                answered = http.post(path, json=sent)
                assert answered.status_code == 422, (path, answered.text)
                assert "is not accepted" in answered.json()["detail"]
        assert ok(http.get(f"{thread}/runs")) == []


def test_operators_alone_write_what_the_graph_keeps(
    asker: httpx.Client, operator: httpx.Client
) -> None:
    inner = {"values": {"topic": "asthma"}, "as_node": "remember"}
    for http, status in ((asker, 403), (operator, 200)):
        made = ok(http.post("/threads", json={"metadata": {"graph_id": "anamnesis"}}))
        thread = f"/threads/{made['thread_id']}"
        answered = http.post(f"{thread}/state", json=inner)
        assert answered.status_code == status, answered.text
        assert "topic" in answered.text or status == 200
        # What a run is asked with is everybody's.
        said = {"messages": [{"role": "user", "content": "What is asthma?"}]}
        ok(http.post(f"{thread}/state", json={"values": said, "as_node": "remember"}))
        steps = [{"updates": [inner]}]
        of_states = {"metadata": {"graph_id": "anamnesis"}, "supersteps": steps}
        assert http.post("/threads", json=of_states).status_code == status
        long = {"values": {"queries": ["a" * 900_000]}, "as_node": "screen"}
        assert http.post(f"{thread}/state", json=long).status_code == 422


def test_an_answer_takes_no_more_of_the_disk_than_its_checkpoints(
    users_server: Server, asker: httpx.Client
) -> None:
    def size() -> int:
        with closing(sqlite3.connect(users_server.home / "threads.sqlite", timeout=30)) as base:
            pages, free, bytes_ = (
                base.execute(f"pragma {name}").fetchone()[0]
                for name in ("page_count", "freelist_count", "page_size")
            )
        return int((pages - free) * bytes_)

    thread = ok(asker.post("/threads", json={}))["thread_id"]
    run = {**RUN, "input": {"question": QUESTION}}
    sizes = []
    for _ in range(5):
        ok(asker.post(f"/threads/{thread}/runs/wait", json=run))
        sizes.append(size())
    assert (sizes[-1] - sizes[0]) / 4 < MOST, sizes
    ok(asker.delete(f"/threads/{thread}"))
    assert size() < sizes[0]
