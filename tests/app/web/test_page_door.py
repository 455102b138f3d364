"""The page alone, on this machine: no other site's page reads it or acts on it."""

import asyncio
import socket
from typing import Any

import pytest
import uvicorn
from starlette.testclient import TestClient

from app.web.page import serve

ACT = {"data": ["ann", None], "fn_index": 9, "session_hash": "x", "event_data": {"act": "right"}}


@pytest.mark.parametrize(("host", "foreign"), [("127.0.0.1", 403), ("0.0.0.0", 200)])
def test_the_page_of_one_machine_answers_that_machine_alone(
    host: str, foreign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[Any] = []

    def keep(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        served.append(server.config.app)
        sockets[0].close()

    monkeypatch.setattr(uvicorn.Server, "run", keep)

    async def start() -> None:
        serve(host, 0, {})

    asyncio.run(start())
    client = TestClient(served[0], base_url="http://127.0.0.1:7860")
    assert client.get("/config").status_code == 200
    rebound = {"host": "evil.example:7860", "origin": "http://evil.example:7860"}
    assert client.get("/config", headers=rebound).status_code == foreign
    if foreign == 403:
        answered = client.post(
            "/gradio_api/queue/join", json=ACT, headers={"origin": "http://evil.example"}
        )
        assert answered.status_code == 403
        assert "this machine only" in answered.json()["detail"]
