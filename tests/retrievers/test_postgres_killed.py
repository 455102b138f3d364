"""A PostgreSQL that is killed, also in the middle of a write, and comes back; deleted bytes."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from anamnesis.errors import IndexFolderError
from retrievers.corpus import Corpus
from retrievers.postgres import PostgresEngine
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import record, records
from tests.retrievers.engines import NOT_HERE
from tests.retrievers.postgres_servers import POSTGRESQL, own_server
from tests.retrievers.test_facts import facts

pytestmark = [
    NOT_HERE,
    pytest.mark.skipif(bool(os.environ.get(POSTGRESQL)), reason="a server that others use is left"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    # The server may run as another user, who cannot enter pytest's folders.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        made = own_server(Path(folder) / "data")
        yield made
        made.cleanup()


@pytest.fixture
def engine(server: Any) -> Iterator[PostgresEngine]:
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("drop schema if exists anamnesis cascade")
    made = PostgresEngine(server.get_uri(), HashEmbedder())
    made.writer().put(records(12), "one")
    made.writer().put(facts(), "base")
    yield made
    made.close()


def kill(server: Any) -> None:
    """All processes of the server end at once; what was not committed is lost."""
    process = server.get_postmaster_info().process
    os.kill(process.pid, signal.SIGQUIT)
    process.wait(20)


def start(server: Any) -> None:
    """Start the server again, which may have to wait until the killed processes have ended."""
    for tried in range(10):
        try:
            server.ensure_postgres_running()
            return
        except subprocess.CalledProcessError:
            if tried == 9:
                raise
            time.sleep(0.5)


def found(corpus: Corpus) -> list[object]:
    both = search(corpus, "How is gout 1 treated?", ("sparse", "dense", "facts"), facts_k=3)
    return [(hit["id"], hit["ranks"], hit["scores"]) for hit in both]


def test_a_server_that_is_killed_is_named_and_answers_when_it_is_back(
    engine: PostgresEngine, server: Any
) -> None:
    before = found(engine.corpus())
    reader = engine.corpus()
    kill(server)
    for ask in (lambda: found(reader), lambda: found(engine.corpus()), engine.manifest):
        with pytest.raises(IndexFolderError, match="Make sure that it runs"):
            ask()
    start(server)
    assert found(engine.corpus()) == before
    assert found(reader) == before
    engine.writer().put(records(3), "one")
    assert len(engine.corpus()) == 3 + len(facts())


def test_a_server_that_is_killed_in_the_middle_of_a_write_has_what_it_had(
    engine: PostgresEngine, server: Any
) -> None:
    before = found(engine.corpus())
    seen: list[int] = []

    def die(draft: Corpus) -> None:
        seen.append(len(draft))
        kill(server)

    with pytest.raises(IndexFolderError, match="It is as it was before"):
        engine.writer().put(records(20), "one", accept=die)
    assert seen == [20 + len(facts())]
    start(server)
    assert found(engine.corpus()) == before
    assert set(engine.writer().content_hashes()) == {
        record.id for record in [*records(12), *facts()]
    }
    changes = engine.writer().put(records(20), "one")
    assert (changes.added, changes.unchanged) == (8, 12)
    assert len(engine.corpus()) == 20 + len(facts())


def test_the_bytes_of_what_is_deleted_are_gone_from_the_tables(
    engine: PostgresEngine, server: Any
) -> None:
    def files_with(text: str) -> list[Path]:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            # Statistics of columns quote them; the log of writes is kept by the server's settings.
            connection.execute("vacuum full")
            connection.execute("checkpoint")
        folders = (server.pgdata / "base", server.pgdata / "global")
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return [file for file in files if text.encode() in file.read_bytes()]

    secret = [record(90, "Xylophonitis is painted blue.")]
    wrong = facts([("Xylophonitis", "may_cause", "Blueness")])
    engine.writer().put([*records(12), *secret], "one")
    engine.writer().put([*facts(), *wrong], "base")
    assert files_with("Xylophonitis")
    assert files_with("xylophonitis")
    engine.corpus()
    engine.writer().put(records(12), "one")
    engine.writer().put(facts(), "base")
    engine.corpus()  # lets go of the generation before
    engine.writer().put(records(13), "one")
    assert files_with("Xylophonitis") == files_with("xylophonitis") == []
