"""A LangGraph server process for tests, with this tree's packages and a data folder of its own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]


class Server:
    """A server: ``address``, and ``home``, its data folder.

    ``under`` is a program that starts it, with its options, such as ``prlimit --as=…``.
    """

    def __init__(
        self, home: Path, folder: Path, *, under: Sequence[str] = (), **environment: str
    ) -> None:
        self.home = home
        self._folder = folder
        self._log = folder / "server.log"
        self._under = under
        self._environment = environment
        self.start()

    def start(self) -> None:
        """Start it, again if it was killed, and wait until it answers."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        command = [
            *self._under,
            str(Path(sys.executable).with_name("langgraph")), "dev", "--no-browser",
            "--no-reload", "--port", str(port), "--config", str(ROOT / "langgraph.json"),
            "--n-jobs-per-worker", "2",
        ]  # fmt: skip
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "ANAMNESIS_HOME": str(self.home),
            "LANGGRAPH_CLI_NO_ANALYTICS": "1",
            "LANGGRAPH_NO_VERSION_CHECK": "1",
            "LANGSMITH_TRACING": "false",
            **self._environment,
        }
        with self._log.open("a") as out:
            self._process = subprocess.Popen(
                command, cwd=self._folder, env=environment, stdout=out, stderr=out
            )
        # One client, without certificates: reading them at each try would take longer than to wait.
        with httpx.Client(verify=False, trust_env=False) as http:
            for _ in range(1200):
                try:
                    if http.get(f"{self.address}/ok").is_success:
                        return
                except httpx.TransportError:
                    pass
                if self._process.poll() is not None:
                    break
                time.sleep(0.1)
        pytest.fail(f"the server did not start:\n{self._log.read_text()[-3000:]}")

    @property
    def process(self) -> int:
        """The id of its process."""
        return self._process.pid

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(20)

    def stop(self) -> None:
        """End it as an operator does."""
        self._process.terminate()
        self._process.wait(20)


@contextmanager
def serving(
    home: Path, folder: Path, *, under: Sequence[str] = (), **environment: str
) -> Iterator[Server]:
    """A server that works in ``folder``, for as long as the block lasts."""
    server = Server(home, folder, under=under, **environment)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
