"""Two users with tokens and somebody without one, tried against every route of the server."""

import json
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from app.tokens import add_token, revoke
from tests.app.serving import Server, serving

pytestmark = pytest.mark.server

# What the server says of itself, and nothing of anybody.
PUBLIC = {("GET", path) for path in ("/", "/ok", "/info", "/metrics", "/docs", "/openapi.json")}
SECRET = "zebrafish"
QUESTION = "I have asthma, what are its symptoms?"


class User(NamedTuple):
    http: httpx.Client
    ids: dict[str, str]


@pytest.fixture(scope="module")
def server(starter_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("tokens")
    (home / "index").symlink_to(starter_home / "index")
    (home / "models").symlink_to(starter_home / "models")
    with serving(home, tmp_path_factory.mktemp("work"), ANAMNESIS_TRACES="1") as server:
        yield server


def client(server: Server, token: str | None) -> httpx.Client:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    # A connection is not used twice: the server may close it just then.
    once = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(base_url=server.address, headers=headers, timeout=60, limits=once)


@pytest.fixture(scope="module")
def users(server: Server) -> Iterator[dict[str, User]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAMNESIS_HOME", str(server.home))
        tokens = {name: add_token(name) for name in ("ann", "anna")}
    with client(server, tokens["ann"]) as ann, client(server, tokens["anna"]) as anna:
        yield {"ann": User(ann, filled(ann)), "anna": User(anna, {})}


def ok(answered: httpx.Response) -> Any:
    assert answered.is_success, answered.text
    return answered.json() if answered.content else None


def filled(http: httpx.Client) -> dict[str, str]:
    """Everything that a user can have on the server; the ids by the names of path parameters."""
    ids = {"thread_id": ok(http.post("/threads", json={}))["thread_id"]}
    run = {
        "assistant_id": "anamnesis",
        "input": {"question": f"Can my {SECRET} have asthma?"},
        "context": {"remember": True, "user": "anna"},
        "metadata": {"owner": "anna"},
    }
    ok(http.post(f"/threads/{ids['thread_id']}/runs/wait", json=run))
    answered = {**run, "input": {"question": QUESTION}}
    told = ok(http.post(f"/threads/{ids['thread_id']}/runs/wait", json=answered))
    assert told["answer"]["outcome"] == "answered"
    ids["run_id"] = ok(http.get(f"/threads/{ids['thread_id']}/runs"))[0]["run_id"]
    state = ok(http.get(f"/threads/{ids['thread_id']}/state"))
    ids["checkpoint_id"] = state["checkpoint"]["checkpoint_id"]
    assistant = {"graph_id": "anamnesis", "name": SECRET, "metadata": {"created_by": "system"}}
    ids["assistant_id"] = ok(http.post("/assistants", json=assistant))["assistant_id"]
    cron = {**run, "schedule": "0 0 1 1 *"}
    ids["cron_id"] = ok(http.post("/runs/crons", json=cron))["cron_id"]
    item = {"namespace": ["notes"], "key": SECRET, "value": {"text": SECRET}}
    ok(http.put("/store/items", json=item))
    given = {"thread_id": ids["thread_id"], "correct": True, "comment": SECRET}
    ok(http.post("/feedback", json=given))
    ids["id"] = ok(http.get("/memories"))[0]["id"]
    ok(http.patch(f"/memories/{ids['id']}", json={"text": f"The {SECRET} is well."}))
    ids["run"] = ok(http.get("/traces"))[-1]
    return ids


def routes(http: httpx.Client) -> list[tuple[str, str]]:
    """All routes that the server tells of."""
    paths = ok(http.get("/openapi.json"))["paths"]
    return [(method.upper(), path) for path, methods in paths.items() for method in methods]


def body(path: str, ids: dict[str, str]) -> dict[str, Any]:
    """A request that would do something, were it allowed."""
    run = {"assistant_id": "anamnesis", "input": {"question": "What is asthma?"}}
    if path == "/runs/batch":
        return {}
    if path.endswith("/runs/crons") or path == "/runs/crons":
        return {**run, "schedule": "0 0 1 1 *"}
    if "/runs" in path and path.rsplit("/", 1)[-1] in ("runs", "wait", "stream"):
        return run
    return {
        "/threads/{thread_id}/state": {"values": {"topic": "stolen"}},
        "/threads/{thread_id}/state/checkpoint": {"checkpoint": {"checkpoint_ns": ""}},
        "/threads/{thread_id}": {"metadata": {"owner": "anna"}},
        "/threads/prune": {"thread_ids": [ids["thread_id"]], "strategy": "delete"},
        "/threads/{thread_id}/commands": {"id": 1, "method": "run.start", "params": run},
        "/threads/{thread_id}/stream/events": {"channels": ["values"]},
        "/assistants": {"graph_id": "anamnesis", "assistant_id": ids["assistant_id"]},
        "/assistants/{assistant_id}": {"metadata": {"owner": "anna"}},
        "/assistants/{assistant_id}/latest": {"version": 1},
        "/runs/cancel": {"thread_id": ids["thread_id"], "run_ids": [ids["run_id"]]},
        "/runs/crons/{cron_id}": {"enabled": False},
        "/store/items": {"namespace": ["notes"], "key": SECRET, "value": {"text": "stolen"}},
        "/store/items/search": {"namespace_prefix": ["notes"]},
        "/feedback": {"thread_id": ids["thread_id"], "correct": False},
        "/memories/{id}": {"text": "stolen"},
        "/memories/{id}/rating": {"correct": False},
    }.get(path, {})


def ask(http: httpx.Client, method: str, path: str, ids: dict[str, str]) -> tuple[int, str]:
    filled_in = path
    for name, value in ids.items():
        filled_in = filled_in.replace(f"{{{name}}}", value)
    sent = None if method == "GET" else body(path, ids)
    query = (
        {"namespace": "notes", "key": SECRET} if (method, path) == ("GET", "/store/items") else {}
    )
    patience = 5 if path.endswith(("/stream", "/events")) else 60
    with http.stream(method, filled_in, json=sent, params=query, timeout=patience) as answered:
        try:
            return answered.status_code, answered.read().decode()
        except httpx.ReadTimeout:
            return answered.status_code, ""  # a stream of events that there are none of


def told(http: httpx.Client, ids: dict[str, str]) -> str:
    """All that ann has, without what time and readers change."""
    thread = ids["thread_id"]
    return json.dumps(
        [
            ok(http.get(f"/threads/{thread}"))["metadata"],
            ok(http.get(f"/threads/{thread}/history?limit=100")),
            [run["run_id"] for run in ok(http.get(f"/threads/{thread}/runs"))],
            ok(http.get(f"/assistants/{ids['assistant_id']}")),
            ok(http.post("/runs/crons/search", json={})),
            ok(http.post("/store/items/search", json={"namespace_prefix": ["notes"]})),
            ok(http.get("/feedback")),
            ok(http.get("/memories")),
            ok(http.get("/traces")),
        ]
    )


def test_without_a_token_no_route_answers(server: Server, users: dict[str, User]) -> None:
    with client(server, None) as nobody, client(server, "wrong") as wrong:
        every = routes(nobody)
        assert len(every) > 60
        for http in (nobody, wrong):
            for method, path in every:
                if (method, path) in PUBLIC:
                    continue
                status, text = ask(http, method, path, users["ann"].ids)
                shut = path.startswith(("/internal", "/deploy"))
                login = path in ("/app", "/app/", "/app/login", "/app/logout")
                # The page sends a browser to its form, which tells of nobody.
                allowed = {404} if shut else {200, 303, 401} if login else {401}
                assert status in allowed, (method, path, text)
                assert SECRET not in text
        for path in ("/", "/ok", "/info", "/metrics"):
            assert users["ann"].ids["thread_id"] not in nobody.get(path).text


def test_another_user_sees_and_changes_nothing_by_any_route(
    server: Server, users: dict[str, User]
) -> None:
    ann, anna = users["ann"], users["anna"]
    before = told(ann.http, ann.ids)
    for method, path in routes(anna.http):
        if (method, path) in PUBLIC:
            continue
        status, text = ask(anna.http, method, path, ann.ids)
        assert SECRET not in text, (method, path, status, text)
        named = any(f"{{{name}}}" in path for name in ann.ids if name != "id" or "memories" in path)
        if named and status < 400 and "404: Thread" not in text:
            # What is there for nobody: an empty list, or a stream without an event.
            assert json.loads(text or "[]") in ([], {}, None), (method, path, status, text)
    assert told(ann.http, ann.ids) == before


def test_a_socket_opens_to_the_threads_owner_alone(server: Server, users: dict[str, User]) -> None:
    # The one route that OpenAPI has no word for.
    ann = users["ann"]
    address = f"{server.address.replace('http', 'ws')}/threads/{ann.ids['thread_id']}/stream/events"
    for header in ({}, {"authorization": "Bearer wrong"}):
        with pytest.raises(InvalidStatus), connect(address, additional_headers=header):
            pass
    run = {"assistant_id": "anamnesis", "input": {"question": f"Has a {SECRET} asthma?"}}
    commands = [
        {"id": 1, "method": "subscription.subscribe", "params": {"channels": ["values"]}},
        {"id": 2, "method": "run.start", "params": run},
    ]
    told = {}
    # The development server may end a stream before it has told all: its owner tries again.
    for name in ("anna", "ann", "ann", "ann", "ann"):
        if SECRET in told.get(name, ""):
            break
        header = {"authorization": users[name].http.headers["authorization"]}
        with connect(address, additional_headers=header) as socket:
            with suppress(ConnectionClosed):
                for command in commands:
                    socket.send(json.dumps(command))
            ok(ann.http.post(f"/threads/{ann.ids['thread_id']}/runs/wait", json=run))
            told[name] = received(socket)
    assert SECRET not in told["anna"]
    assert "not found" in told["anna"] or not told["anna"]
    assert SECRET in told["ann"]


def received(socket: ClientConnection) -> str:
    """What has come, until nothing more does for a while."""
    told = []
    try:
        while True:
            told.append(str(socket.recv(3)))
    except (TimeoutError, ConnectionClosed):
        return "".join(told)


def test_the_user_is_the_tokens_whatever_the_request_says(users: dict[str, User]) -> None:
    ann = users["ann"].http
    # The run named another user, in its context and in its metadata.
    assert SECRET in json.dumps(ok(ann.get("/memories?user=anna")))
    assert ok(users["anna"].http.get("/memories?user=ann")) == []
    thread = ok(ann.get(f"/threads/{users['ann'].ids['thread_id']}"))
    assert thread["metadata"]["owner"] == "ann"
    # Nor do the headers of LangGraph Studio make anybody of a stranger.
    answered = httpx.post(
        ann.base_url.join("/threads/search"), json={}, headers={"x-auth-scheme": "langsmith"}
    )
    assert answered.status_code == 401


def test_the_assistants_of_the_presets_are_everybodys_to_run_and_nobodys_to_change(
    users: dict[str, User],
) -> None:
    http = users["anna"].http
    found = {own["name"]: own for own in ok(http.post("/assistants/search", json={}))}
    assert found["sparse-dense"]["context"] == {"preset": "sparse-dense"}
    assert SECRET not in found
    preset = found["sparse-dense"]["assistant_id"]
    run = {"assistant_id": preset, "input": {"question": "What are the symptoms of asthma?"}}
    assert ok(http.post("/runs/wait", json=run))["answer"]["critic"] is None
    changed = http.patch(f"/assistants/{preset}", json={"context": {"preset": "mkrag"}})
    assert changed.status_code == 404
    assert http.delete(f"/assistants/{preset}").status_code == 404


def test_a_recorded_run_is_its_users_and_shows_every_step(users: dict[str, User]) -> None:
    ann = users["ann"]
    recorded = ok(ann.http.get(f"/traces/{ann.ids['run']}"))
    assert recorded["question"] == QUESTION
    assert recorded["thread"] == ann.ids["thread_id"]
    nodes = [step["node"] for step in recorded["steps"]]
    assert sorted(nodes[1:3]) == ["recall", "retrieve"]
    assert nodes[0] == "screen"
    assert nodes[3:] == ["rerank", "generate", "verify", "remember"]
    assert "reaches" in recorded["steps"][3]["why"]


def test_a_killed_server_loses_no_finished_turn_and_no_owner(
    server: Server, users: dict[str, User]
) -> None:
    ann, anna = users["ann"], users["anna"]
    thread = ok(ann.http.post("/threads", json={}))["thread_id"]
    run = {"assistant_id": "anamnesis", "input": {"question": "What are the symptoms of gout?"}}
    answer = ok(ann.http.post(f"/threads/{thread}/runs/wait", json=run))["answer"]
    copied = ok(ann.http.post(f"/threads/{thread}/copy"))["thread_id"]
    server.kill()
    server.start()
    ann.http.base_url = anna.http.base_url = server.address
    state = ok(ann.http.get(f"/threads/{thread}/state"))
    assert state["values"]["answer"] == answer
    assert ok(ann.http.get(f"/threads/{copied}/state"))["values"]["answer"] == answer
    assert anna.http.get(f"/threads/{thread}/state").status_code == 404
    follow_up = {"assistant_id": "anamnesis", "input": {"question": "How is it treated?"}}
    again = ok(ann.http.post(f"/threads/{thread}/runs/wait", json=follow_up))["answer"]
    assert again["query"] == "How is Gout treated?"


def test_a_browser_that_is_logged_in_has_the_page_and_no_route(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(server.home))
    token = add_token("bea")
    with client(server, None) as browser:
        assert browser.get("/app/config").status_code == 401
        browser.post("/app/login", data={"token": token})
        assert "Anamnesis" in browser.get("/app/").text
        assert browser.get("/app/config").is_success
        told = {"cookie": f"anamnesis_token={token}"}
        assert browser.get("/memories", headers=told).status_code == 401
        revoke("bea")
        assert browser.get("/app/config").status_code == 401


def test_delete_all_leaves_nothing_of_the_user(server: Server, users: dict[str, User]) -> None:
    ann, anna = users["ann"], users["anna"]
    run = {"assistant_id": "anamnesis", "input": {"question": QUESTION}}
    kept = ok(anna.http.post("/threads", json={}))["thread_id"]
    ok(anna.http.post(f"/threads/{kept}/runs/wait", json=run))
    gone = ok(ann.http.delete("/memories"))
    assert min(gone.values()) >= 1
    assert set(gone) == {"crons", "threads", "assistants", "items", "memories", "traces"}
    assert ok(ann.http.post("/threads/search", json={})) == []
    assert ok(ann.http.get("/memories")) == ok(ann.http.get("/traces")) == []
    assert ann.http.get(f"/threads/{ann.ids['thread_id']}").status_code == 404
    assert ok(anna.http.get(f"/threads/{kept}/state"))["values"]["answer"]
    for path in server.home.rglob("*"):
        linked = any(part.is_symlink() for part in (path, *path.parents))
        if path.is_file() and not linked:
            assert SECRET.encode() not in path.read_bytes(), path


def test_a_revoked_token_and_a_file_that_vanished_let_nobody_in(
    server: Server, users: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANAMNESIS_HOME", str(server.home))
    file = server.home / "tokens.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    ok(users["anna"].http.get("/memories"))
    assert revoke("anna") == 1
    assert users["anna"].http.get("/memories").status_code == 401
    file.write_text("no json")
    assert "tokens" in users["ann"].http.get("/memories").json()["detail"]
    file.unlink()
    for name in users:
        answered = users[name].http.get("/memories")
        assert answered.status_code == 401
        assert "anamnesis token add" in answered.json()["detail"]
