"""Create the tables of a corpus in PostgreSQL, or update older ones."""

import json
from collections.abc import Callable
from typing import Any, LiteralString

from anamnesis.corpus.passage import Passage
from anamnesis.errors import IndexFolderError
from retrievers.postgres_tables import copy, create, finish, named, row_of

LOCKS = 20_240_811
"""The class of the advisory locks on generations; its number 0 is for writers."""

_LEAST = (0, 8)  # pgvector's version: half-precision vectors, and iterative searches under a filter

_FIRST: LiteralString = """
    create table anamnesis.generations (id serial primary key, manifest jsonb not null);
    create table anamnesis.state (
        one boolean primary key default true check (one), generation int not null
    );
    create table anamnesis.records (
        generation int not null, id text not null, collection text not null,
        content text not null, first int not null, passages int not null,
        origin text not null, sha256 text not null, indexed text not null,
        approved_by text not null, approved text not null, primary key (generation, id)
    );
    create table anamnesis.passages (
        generation int not null, ordinal int not null, id text not null, record_id text not null,
        collection text not null, digest text not null, body text not null, vector vector not null,
        primary key (generation, ordinal), unique (generation, id)
    );
    create table anamnesis.terms (
        generation int not null, term text collate "C" not null, df int not null,
        idf float8 not null, primary key (generation, term)
    );
    create table anamnesis.postings (
        generation int not null, term text collate "C" not null, ordinal int not null,
        weight float8 not null
    );
    create index postings_of_terms on anamnesis.postings (generation, term)
        include (ordinal, weight);
"""


def _own_tables(connection: Any) -> None:
    """Each generation gets separate tables, and records that wait for approval get one table."""
    run = connection.execute
    run("alter table anamnesis.generations add near boolean not null default false")
    run(
        "create table anamnesis.waiting "
        '(collection text collate "C" primary key, records text not null)'
    )
    for number, manifest in run("select id, manifest from anamnesis.generations").fetchall():
        size = int(manifest["embedder"]["dimensions"])
        create(connection, number, size)
        run(
            named(
                "insert into {records} select id, collection, content, first, passages, origin, "
                "sha256, indexed, approved_by, approved from anamnesis.records "
                "where generation = %s",
                number,
            ),
            (number,),
        )
        rows = 0
        while found := run(
            "select ordinal, collection, body from anamnesis.passages "
            "where generation = %s and ordinal >= %s order by ordinal limit 2000",
            (number, rows),
        ).fetchall():
            pages = [Passage.from_json(json.loads(body)) for _, _, body in found]
            made = zip(found, pages, strict=True)
            copy(
                connection,
                "passages",
                number,
                (row_of(item[0], page, item[1]) for item, page in made),
            )
            rows = found[-1][0] + 1
        for query in _MOVED:
            run(named(query, number), (number,))
        near = finish(connection, number, rows, size)
        run("update anamnesis.generations set near = %s where id = %s", (near, number))
    run("drop table anamnesis.records, anamnesis.passages, anamnesis.terms, anamnesis.postings")


_MOVED: tuple[LiteralString, ...] = (
    "insert into {vectors} select ordinal, vector from anamnesis.passages where generation = %s",
    "insert into {terms} select row_number() over (order by term) - 1, term, df, idf "
    "from anamnesis.terms where generation = %s",
    "insert into {postings} select own.term, ordinal, weight from anamnesis.postings "
    "join {terms} own on own.word = postings.term where generation = %s order by own.term, ordinal",
)


def _facts(connection: Any) -> None:
    """Give each generation the missing tables of facts, empty."""
    for number, manifest in connection.execute(
        "select id, manifest from anamnesis.generations"
    ).fetchall():
        create(connection, number, int(manifest["embedder"]["dimensions"]))


def _textsearch(connection: Any) -> None:
    """Allow words to be searched by pg_textsearch."""
    connection.execute(
        "alter table anamnesis.generations add textsearch boolean not null default false"
    )
    _facts(connection)


MIGRATIONS: tuple[Callable[[Any], object], ...] = (
    lambda connection: connection.execute(_FIRST),
    _own_tables,
    _facts,
    _textsearch,
)
"""The migrations, each in a transaction: the n-th one, from 1, leads to version n."""


def migrate(connection: Any, name: str) -> None:
    """Create the tables, or update them. ``connection`` commits automatically.

    If they are up to date, nothing is written, so that a role with only read access can use them.
    Raises IndexFolderError if pgvector or a right is missing, or the tables are newer.
    """
    import psycopg

    from retrievers.postgres_connections import check_vector

    version = _version(connection)
    if version > len(MIGRATIONS):
        raise IndexFolderError(
            f"{name} has tables of version {version}, this program knows {len(MIGRATIONS)}: "
            "use the version of the program that made them, or a newer one"
        )
    try:
        _bring(connection, name, version)
    except psycopg.errors.InsufficientPrivilege as error:
        if not version:
            raise
        raise IndexFolderError(
            f"{name} has tables of version {version}, this program needs {len(MIGRATIONS)}, and "
            f"this role may not change them: {str(error).strip()}. Run `anamnesis index info` "
            "once with the role that makes the index"
        ) from error
    check_vector(connection, name)


def _bring(connection: Any, name: str, version: int) -> None:
    from retrievers.postgres_connections import check_vector, without_limits

    while version < len(MIGRATIONS):
        with connection.transaction():
            without_limits(connection)
            # If several processes start at once, one of them creates the tables, while nobody
            # writes.
            connection.execute("select pg_advisory_xact_lock(%s, -1)", (LOCKS,))
            connection.execute("select pg_advisory_xact_lock(%s, 0)", (LOCKS,))
            version = _version(connection)
            if version == 0:
                _begin(connection, name)
            check_vector(connection, name)
            if version < len(MIGRATIONS):
                MIGRATIONS[version](connection)
                version += 1
                connection.execute("delete from anamnesis.version")
                connection.execute("insert into anamnesis.version values (%s)", (version,))


def _version(connection: Any) -> int:
    there = connection.execute("select to_regclass('anamnesis.version')").fetchone()
    if there[0] is None:
        return 0
    row = connection.execute("select number from anamnesis.version").fetchone()
    return int(row[0]) if row else 0


def _begin(connection: Any, name: str) -> None:
    import psycopg

    try:
        connection.execute("create extension if not exists vector")
    except psycopg.Error as error:
        raise IndexFolderError(
            f"{name} has no pgvector: {str(error).strip()}. Install the package "
            "(postgresql-NN-pgvector), and have an administrator of the database run: "
            "create extension vector"
        ) from error
    row = connection.execute(
        "select extversion from pg_extension where extname = 'vector'"
    ).fetchone()
    if tuple(int(item) for item in row[0].split(".")[:2]) < _LEAST:
        raise IndexFolderError(
            f"{name} has pgvector {row[0]}, but 0.8 or later is needed: update the package, and "
            "have an administrator of the database run: alter extension vector update"
        )
    row = connection.execute("select to_regnamespace('anamnesis') is not null").fetchone()
    needed = "on schema anamnesis" if row[0] else "on database NAME"
    try:
        if not row[0]:
            # This needs the right to create schemas even if an administrator has made this one.
            connection.execute("create schema if not exists anamnesis")
        connection.execute("create table if not exists anamnesis.version (number int not null)")
    except psycopg.errors.InsufficientPrivilege as error:
        raise IndexFolderError(
            f"{name} does not let this role make tables: {str(error).strip()}. Have its owner "
            f"run: grant create {needed} to ROLE; or create the index with another role"
        ) from error
