"""HTTP servers of tests, on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, TypeVar


class Server(ThreadingHTTPServer):
    """A server at ``address``; a handler that keeps a caller waiting does so until ``released``."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.released = Event()
        self.address = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: Any) -> None:
        """A caller that went away is what is tested."""


class Quiet:
    """For handlers, to log nothing: the output of tests is for what fails."""

    def log_message(self, *_: Any) -> None:
        pass


AServer = TypeVar("Own", bound=Server)


@contextmanager
def running(server: AServer) -> Iterator[AServer]:
    """The server, for as long as the block lasts."""
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join(10)
