"""Time limits of providers, servers that go silent, and extensions in another schema."""

import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import Any

import psycopg
import pytest

from anamnesis.errors import IndexFolderError
from retrievers import postgres_connections
from retrievers.dense import Vectors
from retrievers.postgres import PostgresEngine
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import records
from tests.retrievers.engines import NOT_HERE
from tests.retrievers.proxies import proxy_of

pytestmark = NOT_HERE


@contextmanager
def changed(address: str, **settings: str) -> Iterator[None]:
    """Settings of the database, for new connections."""
    with psycopg.connect(address, autocommit=True) as connection:
        name = connection.info.dbname
        for key, value in settings.items():
            connection.execute(f"alter database {name} set {key} = '{value}'".encode())
        try:
            yield
        finally:
            for key in settings:
                connection.execute(f"alter database {name} reset {key}".encode())


class Slow(HashEmbedder):
    """Takes longer than a provider lets a transaction wait."""

    def embed_documents(self, texts: Sequence[str], *given: Any, **more: Any) -> Vectors:
        time.sleep(0.6)
        return super().embed_documents(texts, *given, **more)


LIMITS = {
    "idle_in_transaction_session_timeout": "200ms",
    "idle_session_timeout": "200ms",
    "lock_timeout": "200ms",
}


def test_a_slow_embedder_is_not_ended_by_a_provider_s_limits(address: str) -> None:
    with changed(address, **LIMITS, statement_timeout="300ms"):
        made = PostgresEngine(address, Slow())
        assert made.writer().put(records(3), "one").embedded == 3
        with made._writing() as connection, connection.transaction():
            postgres_connections.without_limits(connection)
            connection.execute("select pg_sleep(0.5)")
        made.writer().put(records(4), "one")
        assert len(search(made.corpus(), "gout drug1", k=10)) == 4
        made.close()


def test_a_connection_that_holds_a_generation_is_not_ended_for_being_idle(address: str) -> None:
    with changed(address, idle_session_timeout="200ms"):
        made = PostgresEngine(address, HashEmbedder())
        made.writer().put(records(3), "one")
        held = made.corpus()
        time.sleep(0.5)
        assert made.corpus() is held
        assert len(search(held, "gout drug1", k=10)) == 3
        made.close()


def test_an_operator_s_shorter_limit_stays(address: str) -> None:
    def limit() -> str:
        made = PostgresEngine(address, HashEmbedder())
        with made.asking() as connection:
            row = connection.execute("select current_setting('statement_timeout')").fetchone()
        made.close()
        return str(row[0])

    assert limit() == "1min"
    for given, used in (("5s", "5s"), ("5min", "1min")):
        with changed(address, statement_timeout=given):
            assert limit() == used


def test_a_server_that_goes_silent_is_noticed_by_all(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_connections, "_SILENCE", 1.0)
    monkeypatch.setattr(postgres_connections, "LOST_AFTER", 1.0)
    monkeypatch.setitem(postgres_connections.READING, "connect_timeout", 2)
    with proxy_of(address) as proxy:
        made = PostgresEngine(proxy.address, HashEmbedder())
        made.writer().put(records(12), "one")
        reader = made.corpus()
        assert len(search(reader, "gout drug1", k=5)) == 5
        proxy.freeze()
        start = time.monotonic()
        texts: list[str] = []

        def ask(corpus: Any) -> None:
            with pytest.raises(IndexFolderError, match="Make sure that it runs") as raised:
                search(corpus(), "gout drug1", k=5)
            texts.append(str(raised.value))

        asking = [
            Thread(target=ask, args=(corpus_of,)) for corpus_of in (lambda: reader, made.corpus)
        ]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join(15)
        assert len(texts) == 2
        assert "it sent nothing for 1 s" in texts[0]
        assert time.monotonic() - start < 10
        proxy.go_on()
        assert len(search(made.corpus(), "gout drug1", k=5)) == 5
        made.close()


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system has no such limit")
def test_data_that_nobody_acknowledges_end_a_reader_but_no_writer(address: str) -> None:
    def limit(connection: Any) -> int:
        with socket.socket(fileno=os.dup(connection.fileno())) as duplicate:
            return duplicate.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)

    with proxy_of(address) as proxy:
        made = PostgresEngine(proxy.address, HashEmbedder())
        made.writer().put(records(2), "one")
        with made.asking() as connection:
            assert limit(connection) == 30_000
        assert limit(made.corpus().held.holder) == 30_000
        with made._writing() as connection:
            assert limit(connection) != 30_000
        made.close()


@contextmanager
def elsewhere(address: str) -> Iterator[psycopg.Connection[Any]]:
    """pgvector in the schema "Ext ensions", which a new role ``worker`` of the database uses."""
    with psycopg.connect(address, autocommit=True) as connection:
        run, name = connection.execute, connection.info.dbname
        run("drop extension if exists vector cascade")
        run('create schema "Ext ensions"')
        run('create extension vector schema "Ext ensions"')
        run("create role worker")
        run(f"grant create on database {name} to worker".encode())
        run(f"alter database {name} set role worker".encode())
        try:
            yield connection
        finally:
            run(f"alter database {name} reset role".encode())
            run("drop schema if exists anamnesis cascade")
            run("drop owned by worker cascade")
            run("drop role worker")
            run('drop schema "Ext ensions" cascade')


def test_pgvector_may_be_in_another_schema(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrievers.postgres_tables.EXACT_UP_TO", 0)
    with elsewhere(address) as connection:
        with pytest.raises(IndexFolderError, match='grant usage on schema "Ext ensions" to ROLE'):
            PostgresEngine(address, HashEmbedder())
        connection.execute('grant usage on schema "Ext ensions" to worker')
        made = PostgresEngine(address, HashEmbedder())
        for count in (12, 13):
            made.writer().put(records(count), "one")
        corpus = made.corpus()
        assert corpus.held.near
        assert len(search(corpus, "gout drug1", k=5)) == 5
        connection.execute('revoke usage on schema "Ext ensions" from worker')
        with pytest.raises(IndexFolderError, match="which this role may not use"):
            PostgresEngine(address, HashEmbedder())
        made.close()


def test_a_schema_that_an_administrator_made_is_used(address: str) -> None:
    with elsewhere(address) as connection:
        run, name = connection.execute, connection.info.dbname
        run('grant usage on schema "Ext ensions" to worker')
        run(f"revoke create on database {name} from worker".encode())
        with pytest.raises(IndexFolderError, match="grant create on database"):
            PostgresEngine(address, HashEmbedder())
        run("create schema anamnesis")
        with pytest.raises(IndexFolderError, match="grant all on schema anamnesis to ROLE"):
            PostgresEngine(address, HashEmbedder())
        run("grant usage on schema anamnesis to worker")
        with pytest.raises(IndexFolderError, match="grant create on schema anamnesis to ROLE"):
            PostgresEngine(address, HashEmbedder())
        run("grant create on schema anamnesis to worker")
        made = PostgresEngine(address, HashEmbedder())
        assert made.writer().put(records(3), "one").added == 3
        made.close()


def test_a_role_that_may_not_write_is_named_the_role_that_may(
    postgres: PostgresEngine, address: str
) -> None:
    postgres.writer().put(records(3), "one")
    with psycopg.connect(address, autocommit=True) as connection:
        run, name = connection.execute, connection.info.dbname
        for role in ("keeper", "helper"):
            run(f"create role {role}".encode())
        for (table,) in run(
            "select format('%I', relname) from pg_class "
            "where relnamespace = 'anamnesis'::regnamespace and relkind = 'r'"
        ).fetchall():
            run(f"alter table anamnesis.{table} owner to keeper".encode())
        run("alter schema anamnesis owner to keeper")
        run("grant all on schema anamnesis to helper")
        run("grant all on all tables in schema anamnesis to helper")
        run("grant all on all sequences in schema anamnesis to helper")
        run(f"alter database {name} set role helper".encode())
        try:
            made = PostgresEngine(address, HashEmbedder())
            with pytest.raises(IndexFolderError, match="grant OWNER to ROLE") as raised:
                made.writer().put(records(4), "one")
            assert "does not let this role write" in str(raised.value)
            assert "must be owner" in str(raised.value)
            run("grant keeper to helper")
            assert made.writer().put(records(5), "one").added == 2
            made.close()
        finally:
            run(f"alter database {name} reset role".encode())
            run("drop schema anamnesis cascade")
            for role in ("helper", "keeper"):
                run(f"drop owned by {role}".encode())
                run(f"drop role {role}".encode())
