"""The tables of PostgreSQL through versions, rights and lost connections."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from threading import Barrier

import numpy as np
import psycopg
import pytest

from anamnesis.corpus.passage import split_all
from anamnesis.errors import IndexFolderError
from retrievers import postgres_migrations, postgres_tables
from retrievers.build import build, content_of
from retrievers.facts import FactQuery
from retrievers.filter import Filter
from retrievers.index import Index
from retrievers.manifest import read_manifest
from retrievers.postgres import PostgresEngine
from retrievers.search import search
from tests.fakes import HashEmbedder
from tests.retrievers.conftest import records
from tests.retrievers.engines import NOT_HERE
from tests.retrievers.postgres_servers import new_database
from tests.retrievers.test_facts import facts

pytestmark = NOT_HERE


@pytest.fixture
def engine(address: str) -> Iterator[PostgresEngine]:
    made = PostgresEngine(address, HashEmbedder())
    made.writer().put(records(12), "one")
    yield made
    made.close()


def test_tables_of_version_1_are_brought_up_to_date(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = HashEmbedder()
    build(records(12), tmp_path, embedder, "one")
    files = Index.open(tmp_path, embedder)
    with monkeypatch.context() as earlier:
        earlier.setattr(postgres_migrations, "MIGRATIONS", postgres_migrations.MIGRATIONS[:1])
        with psycopg.connect(address, autocommit=True) as connection:
            postgres_migrations.migrate(connection, "test")
            _fill_version_1(connection, tmp_path, files)
    engine = PostgresEngine(address, embedder)
    corpus = engine.corpus()
    for query in ("gout drug3", "asthma", "drug11"):
        assert search(corpus, query, k=5) == [
            {**hit, "scores": pytest.approx(hit["scores"]), "score": pytest.approx(hit["score"])}
            for hit in search(files, query, k=5)
        ]
    assert corpus.provenance(["r3"])["r3"]["origin"] == "old.csv"
    assert corpus.limited(Filter(sources=("none",))).sparse("gout", 5) == []
    # What was embedded before is not embedded again.
    changes = engine.writer().put(records(13), "one")
    assert (changes.added, changes.unchanged, changes.embedded) == (1, 12, 1)
    with psycopg.connect(address) as connection:
        row = connection.execute("select number from anamnesis.version").fetchone()
    assert row == (len(postgres_migrations.MIGRATIONS),)
    engine.close()


def test_tables_of_version_2_get_those_of_later_ones(engine: PostgresEngine, address: str) -> None:
    number = engine.corpus().generation
    with psycopg.connect(address, autocommit=True) as connection:
        for table in ("factvectors", "names", "texts"):
            connection.execute(f"drop table anamnesis.{table}_{number}".encode())
        connection.execute("alter table anamnesis.generations drop column textsearch")
        connection.execute("update anamnesis.version set number = 2")
    later = PostgresEngine(address, HashEmbedder())
    assert later.corpus().facts(FactQuery("fever"), 5) == []
    assert later.writer().put(facts(), "base").added == len(facts())
    assert len(later.corpus().facts(FactQuery("fever"), 2)) == 2
    assert len(search(later.corpus(), "gout drug1", k=10)) == 10
    later.close()


def test_a_role_that_may_not_bring_the_tables_up_to_date_is_named_who_may(
    engine: PostgresEngine, address: str
) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("update anamnesis.version set number = 2")
        connection.execute("create role visitor")
        connection.execute("grant usage on schema anamnesis to visitor")
        connection.execute("grant select on all tables in schema anamnesis to visitor")
        name = connection.info.dbname
        connection.execute(f"alter database {name} set role visitor".encode())
        try:
            with pytest.raises(IndexFolderError, match="with the role that makes the index"):
                PostgresEngine(address, HashEmbedder())
        finally:
            connection.execute(f"alter database {name} reset role".encode())
            connection.execute("drop owned by visitor")
            connection.execute("drop role visitor")


def _fill_version_1(connection: psycopg.Connection, folder: Path, files: Index) -> None:
    said = json.dumps(asdict(read_manifest(folder)))
    connection.execute("insert into anamnesis.generations values (1, %s)", (said,))
    connection.execute("select setval('anamnesis.generations_id_seq', 1)")
    connection.execute("insert into anamnesis.state (generation) values (1)")
    given = {record.id: record for record in records(12)}
    pages = list(split_all(given.values(), HashEmbedder().count_tokens, 64))
    rows = {key: row for row, key in enumerate(files.ids(range(len(files))))}
    for page in pages:
        row = rows[page.id]
        record = given[page.record_id]
        connection.execute(
            "insert into anamnesis.records "
            "values (1, %s, 'one', %s, %s, 1, 'old.csv', '', '', '', '')",
            (record.id, content_of(record), row),
        )
        made = HashEmbedder().embed_documents([page.embedded])[0]
        connection.execute(
            "insert into anamnesis.passages values (1, %s, %s, %s, 'one', %s, %s, %s)",
            (row, page.id, page.record_id, page.digest, json.dumps(page.to_json()),
             json.dumps([float(value) for value in made])),
        )  # fmt: skip
    for word, df in files.bm25.counts().items():
        idf = np.load(next(folder.glob("generations/*/idf.npy")))
        number = files.bm25.words("").index(word)
        connection.execute(
            "insert into anamnesis.terms values (1, %s, %s, %s)", (word, df, float(idf[number]))
        )
        for row, score in files.bm25.search(word, 100):
            connection.execute(
                "insert into anamnesis.postings values (1, %s, %s, %s)", (word, row, score)
            )


def test_a_migration_that_fails_leaves_the_last_version(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (
        *postgres_migrations.MIGRATIONS,
        lambda connection: connection.execute("create table anamnesis.more (x int); select 1/0"),
    )
    with monkeypatch.context() as later:
        later.setattr(postgres_migrations, "MIGRATIONS", steps)
        with pytest.raises(IndexFolderError, match="division by zero"):
            PostgresEngine(address, HashEmbedder())
    engine = PostgresEngine(address, HashEmbedder())
    engine.writer().put(records(2), "one")
    assert len(engine.corpus()) == 2
    engine.close()


def _end_connections(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity "
            "where pid <> pg_backend_pid() and datname = current_database() "
            "and backend_type = 'client backend'"
        )


def test_after_all_connections_were_lost_it_answers_and_holds_its_generation(
    engine: PostgresEngine, address: str
) -> None:
    before = engine.corpus()
    _end_connections(address)
    assert len(search(engine.corpus(), "gout drug1", k=5)) == 5
    held = engine.corpus()
    assert held is not before
    engine.writer().put(records(3), "one")
    assert len(search(held, "gout drug1", k=10)) == 10
    assert len(search(engine.corpus(), "gout drug1", k=10)) == 3


def test_after_a_pool_of_many_connections_was_lost_it_answers(
    engine: PostgresEngine, address: str
) -> None:
    together = Barrier(8)

    def hold(_: int) -> None:
        with engine.asking():
            together.wait(60)

    engine.corpus()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(hold, range(8)))
        _end_connections(address)
        assert len(search(engine.corpus(), "gout drug1", k=5)) == 5
        ask = lambda _: search(engine.corpus(), "gout drug1", k=5)  # noqa: E731
        assert all(len(hits) == 5 for hits in threads.map(ask, range(8)))


def test_a_reader_whose_generation_is_gone_says_so_and_finds_no_silence(
    engine: PostgresEngine, address: str
) -> None:
    reader = engine.corpus()
    _end_connections(address)
    for count in (3, 4):
        engine.writer().put(records(count), "one")
    with pytest.raises(IndexFolderError, match="was replaced after it was opened"):
        reader.sparse("gout", 5)
    assert len(search(engine.corpus(), "gout drug1", k=10)) == 4


def test_sizes_are_those_of_the_tables(engine: PostgresEngine) -> None:
    sizes = engine.sizes()
    assert set(postgres_tables.TABLES) <= set(sizes)
    assert all(size > 0 for size in sizes.values())


def test_a_role_that_may_only_read_reads_and_is_named_what_it_lacks(
    engine: PostgresEngine, address: str
) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("drop role if exists reader")
        connection.execute("create role reader")
        connection.execute("alter database " + (connection.info.dbname) + " set role reader")  # type: ignore[arg-type]
        try:
            with pytest.raises(IndexFolderError, match="grant"):
                PostgresEngine(address, HashEmbedder()).corpus()
            connection.execute("grant usage on schema anamnesis to reader")
            connection.execute("grant select on all tables in schema anamnesis to reader")
            other = PostgresEngine(address, HashEmbedder())
            assert len(search(other.corpus(), "gout drug1", k=10)) == 10
            with pytest.raises(IndexFolderError, match="permission denied"):
                other.writer().put(records(2), "one")
            other.close()
        finally:
            connection.execute("alter database " + connection.info.dbname + " reset role")  # type: ignore[arg-type]
            connection.execute("drop owned by reader")
            connection.execute("drop role reader")


def test_a_role_that_may_make_no_tables_is_named_the_right() -> None:
    address = new_database()
    with psycopg.connect(address, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute("create extension if not exists vector")
        connection.execute("create role stranger")
        connection.execute("alter database " + name + " set role stranger")  # type: ignore[arg-type]
        try:
            with pytest.raises(IndexFolderError, match="grant create on database"):
                PostgresEngine(address, HashEmbedder())
        finally:
            connection.execute("alter database " + name + " reset role")  # type: ignore[arg-type]
            connection.execute("drop role stranger")
