"""Every way by which a setting can come to the server, tried with settings that are not open."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

QUESTION = {"question": "What are the symptoms of asthma?"}
WAYS = (
    *("/runs/wait", "/runs/stream", "/runs", "/runs/batch"),
    *("/threads/{thread}/runs/wait", "/threads/{thread}/runs/stream", "/threads/{thread}/runs"),
    *("/runs/crons", "/threads/{thread}/runs/crons", "/threads/{thread}/commands"),
    *("POST /assistants", "PATCH /assistants/{assistant}"),
)


def closed_settings(address: str, folder: Path) -> dict[str, Any]:
    """What an attacker chooses: an address, folders, checks."""
    return {
        "generator.model": f"openai:x?base_url={address}",
        "verification.critic": f"llm:openai:x?base_url={address}",
        "retrieval.reranker": str(folder),
        "index": str(folder),
        "verification.min_probability": 0,
        "preset": "mark",
    }


def refused(http: httpx.Client, settings: dict[str, Any]) -> Iterator[str]:
    """What each way says to each setting; asserts that each refuses it."""
    thread = http.post("/threads", json={}).json()["thread_id"]
    assistant_id = http.post("/assistants", json={"graph_id": "anamnesis"}).json()["assistant_id"]
    for name, value in settings.items():
        for place in ("context", "configurable"):
            given = {name: value}
            sent = {"context": given} if place == "context" else {"config": {place: given}}
            for way in WAYS:
                if way.endswith("/commands") and place == "context":
                    continue  # it reads no context
                method, _, path = way.rpartition(" ")
                path = path.format(thread=thread, assistant=assistant_id)
                answered = http.request(method or "POST", path, json=_body(path, sent))
                text = f"{way} {place} {answered.status_code} {answered.text[:500]}"
                asked = [f"{name}.{part}" for part in value] if isinstance(value, dict) else [name]
                assert all(f"'{text}'" in answered.text for text in asked), text
                assert "operator changes this" in answered.text, text
                # A protocol of commands reports an error in its own way.
                assert answered.status_code == 403 or path.endswith("/commands"), text
                yield text
    assert http.get(f"/threads/{thread}/runs").json() == []
    # A state is no place for settings: what is put there is none of a later run.
    http.post(f"/threads/{thread}/state", json={"values": settings, "as_node": "screen"})
    state = http.get(f"/threads/{thread}/state").text
    assert not [text for text in map(str, settings.values()) if text in state and len(text) > 5]


def _body(path: str, sent: dict[str, Any]) -> Any:
    run = {"assistant_id": "anamnesis", "input": QUESTION, **sent}
    if path.endswith("/batch"):
        return [run]
    if path.endswith("/crons"):
        return {**run, "schedule": "0 0 1 1 *"}
    if path.endswith("/commands"):
        return {"id": 1, "method": "run.start", "params": run}
    if path.startswith("/assistants"):
        return {"graph_id": "anamnesis", **sent}
    return run
