"""A provider of chat models on this machine, which behaves as badly as a test asks."""

import json
from contextlib import AbstractContextManager, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.http_servers import Quiet, Server, running

REPLY = "Asthma causes wheezing. [1]"


class Endpoint(Server):
    """``ways`` are what it does with the calls, one after another, the last with all others.

    A way is ``silent``, ``drip`` (a byte a tenth of a second), ``ok``, or a status with headers.
    """

    def __init__(self, *ways: Any) -> None:
        super().__init__(_Handler)
        self.ways = list(ways)
        self.asked = 0
        self.reference = f"openai:x?base_url={self.address}/v1"


class _Handler(Quiet, BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        way = self.server.ways[min(self.server.asked, len(self.server.ways) - 1)]
        self.server.asked += 1
        if way == "silent":
            self.server.released.wait(60)
            way = (400, {})
        if way == "drip":
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            with suppress(OSError):
                while not self.server.released.wait(0.1):
                    self.wfile.write(b" ")
                    self.wfile.flush()
            return
        status, headers = (200, {}) if way == "ok" else way
        message = {"role": "assistant", "content": REPLY}
        completion = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "x",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }
        body = json.dumps(completion if status == 200 else {"error": {"message": "no"}}).encode()
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(body)


def endpoint(*ways: Any) -> AbstractContextManager[Endpoint]:
    """An endpoint for as long as the block lasts."""
    return running(Endpoint(*ways))
