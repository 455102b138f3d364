"""A provider of chat models on this machine, which behaves as badly as it is told to."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

REPLY = "Asthma causes wheezing. [1]"


class Endpoint(ThreadingHTTPServer):
    """``ways`` are what it does with the calls, one after another, the last with all others.

    A way is ``silent``, ``drip`` (a byte a tenth of a second), ``ok``, or a status with headers.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, *ways: Any) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ways = list(ways)
        self.asked = 0
        self.released = Event()
        self.reference = f"openai:x?base_url=http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_: Any) -> None:
        """A caller that went away is what is tested."""


class _Handler(BaseHTTPRequestHandler):
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
        told = {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "x",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }
        body = json.dumps(told if status == 200 else {"error": {"message": "no"}}).encode()
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing: the output of tests is for what fails."""


@contextmanager
def endpoint(*ways: Any) -> Iterator[Endpoint]:
    """An endpoint for as long as the block lasts."""
    server = Endpoint(*ways)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
