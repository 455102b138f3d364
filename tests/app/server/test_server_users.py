"""Two users with tokens and somebody without one, tried against every route of the server."""

import json
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from app.users.tokens import add_token, revoke
from tests.app.accounts import (
    QUESTION,
    SECRET,
    User,
    ask,
    client,
    everything_of,
    filled,
    ok,
    planned,
    routes,
)
from tests.app.refused import closed_settings, refused
from tests.app.server_process import Server
from tests.listening import listening

pytestmark = pytest.mark.server

# What the server says of itself, and nothing of anybody.
PUBLIC = {("GET", path) for path in ("/", "/ok", "/info", "/metrics", "/docs", "/openapi.json")}


@pytest.fixture(scope="module")
def server(users_server: Server) -> Server:
    return users_server


@pytest.fixture(scope="module")
def users(server: Server) -> Iterator[dict[str, User]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAMNESIS_HOME", str(server.home))
        tokens = {name: add_token(name) for name in ("ann", "anna")}
    with client(server, tokens["ann"]) as ann, client(server, tokens["anna"]) as anna:
        yield {"ann": User(ann, filled(ann)), "anna": User(anna, {})}


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
                # The page sends a browser to its form, which names nobody.
                allowed = {404} if shut else {200, 303, 401} if login else {401}
                assert status in allowed, (method, path, text)
                assert SECRET not in text
        for path in ("/", "/ok", "/info", "/metrics"):
            assert users["ann"].ids["thread_id"] not in nobody.get(path).text


def test_another_user_sees_and_changes_nothing_by_any_route(
    server: Server, users: dict[str, User]
) -> None:
    ann, anna = users["ann"], users["anna"]
    before = everything_of(ann.http, ann.ids)
    for method, path in routes(anna.http):
        if (method, path) in PUBLIC:
            continue
        status, text = ask(anna.http, method, path, ann.ids)
        assert SECRET not in text, (method, path, status, text)
        named = any(f"{{{name}}}" in path for name in ann.ids if name != "id" or "memories" in path)
        if named and status < 400 and "404: Thread" not in text:
            # What is there for nobody: an empty list, or a stream without an event.
            assert json.loads(text or "[]") in ([], {}, None), (method, path, status, text)
    assert everything_of(ann.http, ann.ids) == before


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

    @contextmanager
    def opened(name: str) -> Iterator[ClientConnection]:
        header = {"authorization": users[name].http.headers["authorization"]}
        with connect(address, additional_headers=header, close_timeout=1) as socket:
            with suppress(ConnectionClosed):
                for command in commands:
                    socket.send(json.dumps(command))
            yield socket

    with opened("anna") as socket:
        # What the owner does meanwhile is not shown to another.
        ok(ann.http.post(f"/threads/{ann.ids['thread_id']}/runs/wait", json=run))
        text = received(socket, patience=6)
    # The server may confirm a subscription before it looks for the thread; no event follows.
    assert SECRET not in text
    assert '"type":"event"' not in text
    # Its owner starts a run, no other one of the thread being on the way, and hears of it. The
    # development server may end a stream before that; a new one sends all from the beginning.
    for _ in range(3):
        with opened("ann") as socket:
            text = received(socket, patience=60)
        if SECRET in text:
            break
    assert SECRET in text
    assert '"type":"event"' in text


def received(socket: ClientConnection, patience: float) -> str:
    """What has come, until the secret has, or nothing more does for so many seconds."""
    text = ""
    with suppress(TimeoutError, ConnectionClosed):
        while SECRET not in text:
            text += str(socket.recv(patience))
    return text


def test_the_user_is_the_tokens_whatever_the_request_says(users: dict[str, User]) -> None:
    ann = users["ann"].http
    # The run named another user in its metadata.
    assert SECRET in json.dumps(ok(ann.get("/memories?user=anna")))
    assert ok(users["anna"].http.get("/memories?user=ann")) == []
    thread = ok(ann.get(f"/threads/{users['ann'].ids['thread_id']}"))
    assert thread["metadata"]["owner"] == "ann"
    for who in ({"user": "anna"}, {"audience": {"department": "lungs"}}):
        run = {"assistant_id": "anamnesis", "input": {"question": QUESTION}, "context": who}
        answered = ann.post("/runs/wait", json=run)
        assert (answered.status_code, "set by your token" in answered.text) == (403, True)
    # Nor do the headers of LangGraph Studio make anybody of a stranger.
    answered = httpx.post(
        ann.base_url.join("/threads/search"), json={}, headers={"x-auth-scheme": "langsmith"}
    )
    assert answered.status_code == 401


def test_the_assistants_of_the_presets_are_everybodys_to_run_and_nobodys_to_change(
    users: dict[str, User],
) -> None:
    http = users["anna"].http
    found = {
        assistant["name"]: assistant for assistant in ok(http.post("/assistants/search", json={}))
    }
    assert found["sparse-dense"]["context"] == {"preset": "sparse-dense"}
    assert SECRET not in found
    # What the policy does not offer is no assistant either.
    assert "mark" not in found
    preset = found["sparse-dense"]["assistant_id"]
    run = {"assistant_id": preset, "input": {"question": "What are the symptoms of asthma?"}}
    assert ok(http.post("/runs/wait", json=run))["answer"]["critic"] is None
    changed = http.patch(f"/assistants/{preset}", json={"context": {"preset": "sparse-dense"}})
    assert changed.status_code == 404
    assert http.delete(f"/assistants/{preset}").status_code == 404


def test_a_user_has_so_many_runs_at_once_and_costs_the_others_none(
    users: dict[str, User],
) -> None:
    ann, anna = users["ann"].http, users["anna"].http
    later = {
        "assistant_id": "anamnesis",
        "input": {"question": "What is asthma?"},
        "after_seconds": 600,
    }
    threads = [ok(ann.post("/threads", json={}))["thread_id"] for _ in range(5)]
    answered = [ann.post(f"/threads/{thread}/runs", json=later) for thread in threads]
    assert [response.status_code for response in answered] == [200] * 4 + [429]
    assert "4 of your runs are in progress" in answered[-1].json()["detail"]
    assert answered[-1].headers["retry-after"] == "1"
    assert anna.post("/runs", json={**later, "after_seconds": 0}).is_success
    for thread in threads:
        assert ann.delete(f"/threads/{thread}").is_success


def test_no_caller_chooses_what_is_the_operators(users: dict[str, User], tmp_path: Path) -> None:
    with listening() as listener:
        texts = [*refused(users["anna"].http, closed_settings(listener.url, tmp_path))]
    assert len(texts) > 100
    assert listener.received == []


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
    assert again["query"] == "How is gout treated?"


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
        headers = {"cookie": f"anamnesis_token={token}"}
        assert browser.get("/memories", headers=headers).status_code == 401
        revoke("bea")
        assert browser.get("/app/config").status_code == 401


def test_delete_all_leaves_nothing_of_the_user(server: Server, users: dict[str, User]) -> None:
    ann, anna = users["ann"], users["anna"]
    run = {"assistant_id": "anamnesis", "input": {"question": QUESTION}}
    kept = ok(anna.http.post("/threads", json={}))["thread_id"]
    ok(anna.http.post(f"/threads/{kept}/runs/wait", json=run))
    planned(ann.http)  # a kill may have lost the others
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
