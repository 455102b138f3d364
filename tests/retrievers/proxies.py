"""A proxy in front of a PostgreSQL, which can stop forwarding without closing a connection."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from urllib.parse import quote, urlencode

import psycopg


class Proxy:
    """Forwards connections to the server of an address; ``address`` is the same database by it."""

    def __init__(self, address: str) -> None:
        with psycopg.connect(address) as connection:
            self._host, self._port = connection.info.host, connection.info.port
            arguments = {**connection.info.get_parameters(), "password": connection.info.password}
        self._listening = socket.create_server(("127.0.0.1", 0))
        arguments |= {"host": "127.0.0.1", "port": str(self._listening.getsockname()[1])}
        given = {key: arguments[key] for key in ("host", "port", "user", "dbname", "password")}
        self.address = f"postgresql:///?{urlencode(given, quote_via=quote)}"
        self._forwards = Event()
        self._forwards.set()
        self._open = True
        self._ends: list[socket.socket] = []
        Thread(target=self._accept, daemon=True).start()

    def freeze(self) -> None:
        """Forward nothing any more; everything is still accepted."""
        self._forwards.clear()

    def go_on(self) -> None:
        """Forward again."""
        self._forwards.set()

    def close(self) -> None:
        """Close all connections."""
        self._open = False
        self._forwards.set()
        for end in (self._listening, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = self._server()
                self._ends += [near, far]
                for pair in ((near, far), (far, near)):
                    Thread(target=self._forward, args=pair, daemon=True).start()

    def _server(self) -> socket.socket:
        if not self._host.startswith("/"):
            return socket.create_connection((self._host, self._port))
        made = socket.socket(socket.AF_UNIX)
        made.connect(f"{self._host}/.s.PGSQL.{self._port}")
        return made

    def _forward(self, source: socket.socket, to: socket.socket) -> None:
        with suppress(OSError):
            while read := source.recv(65_536):
                self._forwards.wait()
                if not self._open:
                    break
                to.sendall(read)
            to.shutdown(socket.SHUT_WR)


@contextmanager
def proxy_of(address: str) -> Iterator[Proxy]:
    """A proxy for as long as the block lasts."""
    made = Proxy(address)
    try:
        yield made
    finally:
        made.close()
