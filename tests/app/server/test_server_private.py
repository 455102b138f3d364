"""What is private on the running server: other origins, caches, mixed ids, and what was deleted."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.users.tokens import add_token, user_label
from benchmarks.deletion import kills
from tests.app.accounts import SECRET, User, ask, client, everything_of, filled, ok, routes
from tests.app.server_process import Server, serving

pytestmark = pytest.mark.server

ELSEWHERE = ("https://evil.example", "http://localhost.evil.example", "null")
HERE = "http://localhost:3000"


@pytest.fixture(scope="module")
def server(starter_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("private")
    (home / "index").symlink_to(starter_home / "index")
    (home / "models").symlink_to(starter_home / "models")
    (home / "server").mkdir()
    with serving(home, home / "server", ANAMNESIS_TRACES="1") as server:
        yield server


@pytest.fixture(scope="module")
def tokens(server: Server) -> dict[str, str]:
    """From here on the server needs a token."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAMNESIS_HOME", str(server.home))
        return {name: add_token(name) for name in ("ann", "bea", "eve")}


def allowed(http: httpx.Client, origin: str) -> list[str | None]:
    """The origins that may read the answer to a page of ``origin``: asked for, and permitted."""
    preflight = {"origin": origin, "access-control-request-method": "GET"}
    return [
        http.options("/memories", headers=preflight).headers.get("access-control-allow-origin"),
        http.get("/memories", headers={"origin": origin}).headers.get(
            "access-control-allow-origin"
        ),
        http.post("/threads/search", json={}, headers={"origin": origin}).headers.get(
            "access-control-allow-origin"
        ),
    ]


def test_no_other_site_may_read_what_is_answered_without_tokens(server: Server) -> None:
    with client(server, None) as http:
        for origin in ELSEWHERE:
            assert allowed(http, origin) == [None] * 3
        assert allowed(http, HERE) == [HERE] * 3


def test_by_a_name_alone_what_was_deleted_stays_deleted(server: Server) -> None:
    [held] = kills(server, ["name"], random.Random(3))
    assert held.before
    assert held.after == []


def test_no_other_site_may_read_what_is_answered_with_a_token(
    server: Server, tokens: dict[str, str]
) -> None:
    for token in (tokens["ann"], None):
        with client(server, token) as http:
            for origin in ELSEWHERE:
                assert allowed(http, origin) == [None] * 3
            assert allowed(http, HERE) == [HERE] * 3


def test_nothing_personal_may_be_stored_on_the_way(server: Server, tokens: dict[str, str]) -> None:
    with client(server, tokens["eve"]) as http:
        thread = ok(http.post("/threads", json={}))["thread_id"]
        for path in ("/memories", "/memories/export", "/memories/none", "/traces", "/feedback",
                     f"/threads/{thread}", f"/threads/{thread}/state", f"/threads/{thread}/history",
                     f"/threads/{thread}/runs", "/app/", "/app/config", "/app/login"):  # fmt: skip
            assert http.get(path).headers["cache-control"] == "no-store", path
        assert http.post("/threads/search", json={}).headers["cache-control"] == "no-store"
        assert http.delete(f"/threads/{thread}").headers["cache-control"] == "no-store"
        # The page's own program is nobody's.
        assert "no-store" not in http.get("/app/theme.css").headers.get("cache-control", "")
    with client(server, None) as http:
        assert http.get("/memories").headers["cache-control"] == "no-store"
        assert "cache-control" not in http.get("/ok").headers


def mixed(keys: dict[str, str], other: dict[str, str]) -> list[tuple[str, str, Any]]:
    """Requests in which one id is the user's own, and another one somebody else's."""
    thread, theirs = f"/threads/{keys['thread_id']}", other["thread_id"]
    point = {
        "thread_id": theirs,
        "checkpoint_ns": "",
        "checkpoint_id": other["checkpoint_id"],
    }
    run = {"assistant_id": "anamnesis", "input": {"question": "What is asthma?"}}
    cron = {**run, "schedule": "0 0 1 1 *"}
    space = [user_label("ann"), "notes"]
    item = {"namespace": space, "key": SECRET}
    return [
        ("POST", f"{thread}/state/checkpoint", {"checkpoint": point}),
        ("POST", f"{thread}/state", {"values": {"topic": "stolen"}, "checkpoint": point}),
        ("POST", f"{thread}/history", {"checkpoint": point, "limit": 100}),
        ("POST", f"{thread}/runs/wait", {**run, "checkpoint": point}),
        ("POST", f"{thread}/runs/wait", {**run, "checkpoint_id": other["checkpoint_id"]}),
        ("POST", f"{thread}/runs/wait", {**run, "config": {"configurable": point}}),
        ("POST", f"{thread}/runs/wait", {**run, "metadata": {"thread_id": theirs}}),
        ("POST", f"{thread}/runs/wait", {**run, "assistant_id": other["assistant_id"]}),
        ("POST", f"{thread}/runs/crons", {**cron, "assistant_id": other["assistant_id"]}),
        ("POST", "/runs/crons", {**cron, "thread_id": theirs}),
        ("POST", "/runs/wait", {**run, "assistant_id": other["assistant_id"]}),
        ("POST", "/threads", {"thread_id": theirs, "if_exists": "do_nothing"}),
        ("POST", "/threads/search", {"ids": [keys["thread_id"], theirs]}),
        ("POST", "/threads/prune", {"thread_ids": [keys["thread_id"], theirs]}),
        ("POST", "/runs/cancel", {"thread_id": keys["thread_id"], "run_ids": [other["run_id"]]}),
        ("POST", "/runs/cancel?action=rollback",
         {"thread_id": keys["thread_id"], "run_ids": [keys["run_id"], other["run_id"]]}),
        ("POST", "/feedback", {"thread_id": theirs, "correct": False}),
        ("PUT", "/store/items", {**item, "value": {"text": "stolen"}}),
        ("DELETE", "/store/items", item),
        ("POST", "/store/items/search", {"namespace_prefix": space}),
        ("POST", "/store/namespaces", {"prefix": space}),
    ]  # fmt: skip


def test_no_route_takes_ones_own_thread_for_anothers_run(
    server: Server, tokens: dict[str, str]
) -> None:
    with client(server, tokens["ann"]) as ann, client(server, tokens["bea"]) as http:
        anns, mine = filled(ann), filled(http, "okapi")
        bea, before = User(http, mine), everything_of(ann, anns)
        for method, path, sent in mixed(mine, anns):
            answered = bea.http.request(method, path, json=sent)
            assert SECRET not in answered.text.replace(str(sent.get("key")), ""), (method, path)
        tried = 0
        for method, path in routes(bea.http):
            named = [name for name in anns if f"{{{name}}}" in path and name != "id"]
            for name in named if len(named) > 1 else []:
                # Once the one id is the other's, and once all but that one.
                for ids in ({**mine, name: anns[name]}, {**anns, name: mine[name]}):
                    tried += 1
                    status, text = ask(bea.http, method, path, ids)
                    assert SECRET not in text, (method, path, status, text)
            assert everything_of(ann, anns) == before, (method, path)
        assert tried > 20


def test_with_a_token_what_was_deleted_stays_deleted(
    server: Server, tokens: dict[str, str]
) -> None:
    [held] = kills(server, ["all"], random.Random(5), tokens["eve"])
    assert held.before
    assert held.after == []
