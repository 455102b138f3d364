"""Requests that are refused before a route reads them."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from anamnesis.limits import Limits, use
from app.server.bodies import Bodies, RefusedError, check_json


async def length(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    with suppress(WebSocketDisconnect):
        while True:
            await socket.send_text(await socket.receive_text())


@pytest.fixture
def http() -> Iterator[TestClient]:
    routes = [
        Route("/{path:path}", length, methods=["GET", "POST"]),
        WebSocketRoute("/socket", echo),
    ]
    use(Limits(body=1000, body_timeout=0.3))
    with TestClient(Starlette(routes=routes, middleware=[Middleware(Bodies)])) as client:
        yield client
    use(None)


def test_what_is_within_the_limits_arrives_whole(http: TestClient) -> None:
    assert http.get("/").text == "0"
    assert http.post("/", content=b"a" * 1000).text == "1000"
    assert http.post("/", content=iter([b"a" * 500, b"b" * 500])).text == "1000"


def test_a_body_that_is_too_long_is_refused(http: TestClient) -> None:
    for content in (b"a" * 1001, iter([b"a" * 500] * 3)):
        answered = http.post("/", content=content)
        assert answered.status_code == 413
        assert answered.json() == {
            "detail": "the request is too long: at most 1,000 bytes are accepted"
        }
    for length_ in ("1001", "9" * 5000, "-1", "x"):
        headers = {"content-length": length_}
        assert http.post("/", content=b"", headers=headers).status_code == 413


def test_no_more_is_read_than_is_taken() -> None:
    read = 0

    async def receive() -> Message:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": b"a" * 100_000, "more_body": True}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(*_: Any) -> None:
        raise AssertionError

    headers = [(b"transfer-encoding", b"chunked")]
    scope = {"type": "http", "path": "/", "method": "POST", "headers": headers}
    anyio.run(Bodies(app), scope, receive, send)
    assert sent[0]["status"] == 413
    assert read == 11  # 1 MiB and no more


def test_a_body_that_comes_too_slowly_is_refused(http: TestClient) -> None:
    async def receive() -> Message:
        await anyio.sleep(0.1)
        return {"type": "http.request", "body": b"a", "more_body": True}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"transfer-encoding", b"chunked")]
    scope = {"type": "http", "path": "/", "method": "POST", "headers": headers}
    anyio.run(Bodies(http.app), scope, receive, send)
    assert sent[0]["status"] == 408


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"a":' * 33 + b"1" + b"}" * 33, 400),
        (b"[" * 33, 400),
        (b"[" * 500_000, 413),
        (b"[" + b"1," * 500_000 + b"1]", 413),
        (b'["\\"' + b'\\"' * 300_000, None),  # a string that does not end: no JSON
        (b'{"a": "[[[[' + b"[" * 1000 + b'"}', None),
        (b'{"a": "x\\u0000y"}', 400),
        (b'{"x\\u0000y": 1}', 400),
        (b'{"a": "x\0y"}', 400),
        (b'{"a": ["\\ud800"]}', 400),
        (b'{"a": "\\ude00\\ud83d"}', 400),
        (b'{"a": "\xed\xa0\x80"}', 400),
        (b'{"a": "\xff"}', 400),
        (b'{"a": "\\ud83d\\ude00 \\\\u0000"}', None),
        ('{"a": "Übelkeit 😀"}'.encode(), None),
        (b"no json", None),
        (b"{no json", None),
        (json.dumps({"input": {"question": "a" * 4001}}).encode(), 422),
        (json.dumps([{"input": {"question": "a" * 4001}}]).encode(), 422),
        (json.dumps({"params": {"input": {"options": ["a"] * 27}}}).encode(), 422),
        (json.dumps({"input": {"messages": [{}] * 201}}).encode(), 422),
        (json.dumps({"input": {"question": "a" * 4000}}).encode(), None),
    ],
)  # fmt: skip
def test_json_is_looked_through_in_time(body: bytes, status: int | None) -> None:
    begun = time.process_time()
    if status is None:
        check_json(body)
    else:
        with pytest.raises(RefusedError) as caught:
            check_json(body)
        assert caught.value.status == status
    assert time.process_time() - begun < 2  # in quadratic time it would be minutes


def test_the_address_has_no_nul(http: TestClient) -> None:
    assert http.get("/memories/%00").status_code == 400
    assert http.get("/memories?user=%00").status_code == 400


def test_a_socket_is_closed_at_a_message_that_is_not_taken(http: TestClient) -> None:
    for sent, code in (("a" * 1001, 1009), ("[" * 40, 1008)):
        with http.websocket_connect("/socket") as socket:
            socket.send_text("[1]")
            assert socket.receive_text() == "[1]"
            socket.send_text(sent)
            assert socket.receive()["code"] == code
