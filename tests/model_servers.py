"""Model servers on this machine: the project's own, and one that replies as a test says."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from socket import socket
from threading import Thread
from typing import Any

import uvicorn

from app.serving.models import Served
from app.serving.routes import application
from tests.http_servers import Quiet, Server, running

Reply = tuple[int, Any]
"""A status and a body; a body of bytes is sent as it is."""


@contextmanager
def serving(served: Served, token: str | None = None) -> Iterator[str]:
    """The address of the project's server for as long as the block lasts."""
    listening = socket()
    listening.bind(("127.0.0.1", 0))
    # Who asks before the server has started waits, rather than being refused.
    listening.listen()
    server = uvicorn.Server(uvicorn.Config(application(served, token), log_level="critical"))
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


class Scripted(Server):
    """Replies by path: what ``replies`` has for it, called with the parsed body.

    ``None`` is silence, and a body cut short is announced longer than it is.
    """

    def __init__(self, replies: dict[str, Callable[[Any], Reply | None]]) -> None:
        super().__init__(_Handler)
        self.replies = replies
        self.asked: list[tuple[str, Any, str | None]] = []


class _Handler(Quiet, BaseHTTPRequestHandler):
    server: Scripted

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def _answer(self, body: Any) -> None:
        self.server.asked.append((self.path, body, self.headers.get("authorization")))
        reply = self.server.replies.get(self.path, lambda _: (404, {}))(body)
        if reply is None:
            self.server.released.wait(60)
            return
        status, content = reply
        sent = content if isinstance(content, bytes) else json.dumps(content).encode()
        with suppress(OSError):
            self.send_response(status)
            cut = isinstance(content, bytes) and content.startswith(b"cut")
            self.send_header("content-length", str(len(sent) + 100 * cut))
            self.end_headers()
            self.wfile.write(sent)


def scripted(**replies: Callable[[Any], Reply | None]) -> AbstractContextManager[Scripted]:
    """A server whose routes are named with two underscores for a slash: ``v2__embed``."""
    return running(
        Scripted({"/" + name.replace("__", "/"): reply for name, reply in replies.items()})
    )
