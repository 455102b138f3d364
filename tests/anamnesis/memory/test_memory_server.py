"""The vectors on a real Chroma server process."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis import MemoryFolderError
from anamnesis.memory.store import Memories
from tests.anamnesis.memory.conftest import Make
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.server


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder, port = tmp_path_factory.mktemp("chroma"), free_port()
    code = "from chromadb.cli.cli import app; app()"
    arguments = ["run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            cwd=folder, stdout=log, stderr=log, env={**os.environ, "ANONYMIZED_TELEMETRY": "false"},
        )  # fmt: skip
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None:
                    pytest.fail(f"the server ended:\n{(folder / 'log').read_text()[-2000:]}")
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}", folder
    finally:
        process.terminate()
        process.wait(20)


def test_memories_are_kept_found_and_deleted(
    server: tuple[str, Path], folder: Path, make: Make
) -> None:
    address, files = server
    kept = Memories(folder, HashEmbedder(), address)
    gout, _ = kept.add(
        "zanzibar", [make("gout of the toe", "zanzibar"), make("measles rash", "zanzibar")]
    )
    kept.add("bob", [make("gout", "bob")])
    assert kept.nearest("zanzibar", "gout toe")[0].memory == gout
    assert [one.memory.owner for one in kept.nearest("bob", "gout")] == ["bob"]
    again = Memories(folder, HashEmbedder(), address)
    assert again.nearest("zanzibar", "gout toe")[0].memory == gout
    # No text, and no name, goes to the server.
    stored = b"".join(path.read_bytes() for path in files.rglob("*") if path.is_file())
    assert b"measles" not in stored
    assert b"zanzibar" not in stored
    kept.edit("zanzibar", gout.id, "gout of the knee")
    assert kept.nearest("zanzibar", "knee")[0].memory.id == gout.id
    assert kept.delete("zanzibar") == 2
    assert kept.nearest("zanzibar", "gout") == []
    assert len(kept.nearest("bob", "gout")) == 1
    assert not (folder / "vectors").exists()


def test_a_server_that_is_not_there_is_said_and_nothing_is_kept(folder: Path, make: Make) -> None:
    kept = Memories(folder, HashEmbedder(), f"http://127.0.0.1:{free_port()}")
    with pytest.raises(MemoryFolderError, match="memory server"):
        kept.add("zanzibar", [make("gout", "zanzibar")])
    assert kept.all("zanzibar") == []
