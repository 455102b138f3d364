"""Users of a server with all that they can have there, and requests to every route."""

import json
from typing import Any, NamedTuple

import httpx

from tests.app.server_process import Server

SECRET = "zebrafish"
QUESTION = "I have asthma, what are its symptoms?"


class User(NamedTuple):
    http: httpx.Client
    ids: dict[str, str]


def client(server: Server, token: str | None) -> httpx.Client:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    # A connection is not used twice: the server may close it just then.
    once = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(base_url=server.address, headers=headers, timeout=60, limits=once)


def ok(answered: httpx.Response) -> Any:
    assert answered.is_success, answered.text
    return answered.json() if answered.content else None


def planned(http: httpx.Client, word: str = SECRET) -> dict[str, str]:
    """An assistant and a cron, which the server itself writes every ten seconds only."""
    assistant = {"graph_id": "anamnesis", "name": word, "metadata": {"created_by": "system"}}
    cron = {
        "assistant_id": "anamnesis",
        "input": {"question": f"Can my {word} have asthma?"},
        "schedule": "0 0 1 1 *",
    }
    return {
        "assistant_id": ok(http.post("/assistants", json=assistant))["assistant_id"],
        "cron_id": ok(http.post("/runs/crons", json=cron))["cron_id"],
    }


def filled(http: httpx.Client, word: str = SECRET) -> dict[str, str]:
    """Everything that a user can have on the server; the ids by the names of path parameters."""
    ids = {"thread_id": ok(http.post("/threads", json={}))["thread_id"]}
    run = {
        "assistant_id": "anamnesis",
        "input": {"question": f"Can my {word} have asthma?"},
        "context": {"memory.consent": True},
        "metadata": {"owner": "anna"},
    }
    ok(http.post(f"/threads/{ids['thread_id']}/runs/wait", json=run))
    answered = {**run, "input": {"question": QUESTION}}
    result = ok(http.post(f"/threads/{ids['thread_id']}/runs/wait", json=answered))
    assert result["answer"]["outcome"] == "answered"
    ids["run_id"] = ok(http.get(f"/threads/{ids['thread_id']}/runs"))[0]["run_id"]
    state = ok(http.get(f"/threads/{ids['thread_id']}/state"))
    ids["checkpoint_id"] = state["checkpoint"]["checkpoint_id"]
    ids |= planned(http, word)
    item = {"namespace": ["notes"], "key": word, "value": {"text": word}}
    ok(http.put("/store/items", json=item))
    given = {"thread_id": ids["thread_id"], "correct": True, "comment": word}
    ok(http.post("/feedback", json=given))
    memories = ok(http.get("/memories"))
    ids["id"] = next(memory["id"] for memory in memories if memory["kind"] != "profile")
    ok(http.patch(f"/memories/{ids['id']}", json={"text": f"The {word} is well."}))
    ids["run"] = ok(http.get("/traces"))[-1]
    return ids


def routes(http: httpx.Client) -> list[tuple[str, str]]:
    """All routes that the server lists."""
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


def everything_of(http: httpx.Client, ids: dict[str, str]) -> str:
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
