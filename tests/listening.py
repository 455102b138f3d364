"""A real HTTP listener on this machine, in the place of a provider."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from tests.http_servers import Quiet, Server, running


class ReceivedRequest(NamedTuple):
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: str


class Listener:
    """``url`` is where it listens; ``received`` is every request; it answers with what is set."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.received: list[ReceivedRequest] = []
        self.status = 500
        self.body: str = "{}"

    def says(self, text: str) -> None:
        """Answer as a chat model does from now on."""
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        completion: dict[str, Any] = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "x",
        }
        self.status, self.body = 200, json.dumps({**completion, "choices": [choice]})

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        size = int(request.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.received.append(
            ReceivedRequest(request.path, headers, request.rfile.read(size).decode())
        )
        sent = self.body.encode()
        request.send_response(self.status)
        request.send_header("content-type", "application/json")
        request.send_header("content-length", str(len(sent)))
        request.end_headers()
        request.wfile.write(sent)


@contextmanager
def listening() -> Iterator[Listener]:
    """A listener for as long as the block lasts."""

    class Asked(Quiet, BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            listener.answer(self)

        do_GET = do_POST  # noqa: N815

    with running(Server(Asked)) as server:
        listener = Listener(server.server_port)
        yield listener
