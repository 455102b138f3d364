"""A Milvus that is killed, also in the middle of a write, and comes back with what it had.

milvus-lite is started as a server, in a process that can be killed.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest

from anamnesis.errors import AnamnesisError, IndexFolderError
from retrievers.corpus import Corpus
from retrievers.milvus import MilvusEngine
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import records
from tests.retrievers.engines import ON_MILVUS

pytestmark = list(ON_MILVUS)

T = TypeVar("T")

_SERVED = """
import sys, threading
from milvus_lite.adapter.grpc.server import start_server_in_thread
kept = start_server_in_thread(data_dir=sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]))
threading.Event().wait()
"""


class Server:
    """A Milvus in a process, with its data in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.address = f"milvus://127.0.0.1:{self._port}/default"
        self.start()

    def start(self) -> None:
        """Start it, and wait until it can be reached."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVED, str(self._folder), str(self._port)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for _ in range(300):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.1)
        pytest.fail("the server did not start")

    def kill(self) -> None:
        """End it at once."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(20)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "data.db")
    yield made
    made.kill()


def found(corpus: Corpus) -> list[Any]:
    both = search(corpus, "How is gout 1 treated?", k=5)
    return [(hit["id"], hit["ranks"], hit["scores"]) for hit in both]


def soon(ask: Callable[[], T]) -> T:
    """The result of a call, when the client has noticed that the server is back."""
    for _ in range(60):
        with suppress(IndexFolderError):
            return ask()
        time.sleep(0.5)
    return ask()


def test_a_server_that_is_killed_is_named_and_answers_when_it_is_back(server: Server) -> None:
    engine = MilvusEngine(server.address, HashEmbedder())
    engine.writer().put(records(12), "one")
    before = found(engine.corpus())
    assert before
    server.kill()
    with pytest.raises(IndexFolderError, match=r"127\.0\.0\.1"):
        found(engine.corpus())
    server.start()
    assert soon(lambda: found(engine.corpus())) == before
    engine.close()
    again = MilvusEngine(server.address, HashEmbedder())
    assert found(again.corpus()) == before
    again.close()


def test_one_that_is_killed_in_the_middle_of_a_write_has_what_it_had(server: Server) -> None:
    class Killing(HashEmbedder):
        def embed_documents(self, *given: Any, **more: Any) -> Any:
            server.kill()
            return super().embed_documents(*given, **more)

    engine = MilvusEngine(server.address, HashEmbedder())
    engine.writer().put(records(12), "one")
    before = found(engine.corpus())
    with pytest.raises(AnamnesisError, match=r"127\.0\.0\.1"):
        engine.writer(Killing).put(records(60), "one")
    engine.close()
    server.start()
    again = soon(lambda: MilvusEngine(server.address, HashEmbedder()))
    assert found(again.corpus()) == before
    changes = again.writer().put(records(60), "one")
    assert (changes.added, changes.unchanged) == (48, 12)
    assert len(again.corpus()) == 60
    again.close()
