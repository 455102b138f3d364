"""The tables of a corpus in PostgreSQL, and what brings older ones up to date."""

from typing import Any

from anamnesis.errors import IndexFolderError

LOCKS = 20_240_811
"""The class of the advisory locks on generations; number 0 of it is the writers'."""

_MIGRATIONS = (
    """
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
    """,
)
"""What brings the tables to the version that is its place, from 1."""

TABLES = ("records", "passages", "terms", "postings")


def migrate(connection: Any, name: str) -> None:
    """Make the tables, or bring them up to date. ``connection`` commits by itself.

    Raises IndexFolderError if pgvector or a right is missing, or the tables are newer.
    """
    import psycopg

    with connection.transaction():
        # Of several that begin at once, one makes them.
        connection.execute("select pg_advisory_xact_lock(%s, -1)", (LOCKS,))
        try:
            connection.execute("create extension if not exists vector")
        except psycopg.Error as error:
            raise IndexFolderError(
                f"{name} has no pgvector: {str(error).strip()}. Install the package "
                "(postgresql-NN-pgvector), and have an administrator of the database run: "
                "create extension vector"
            ) from error
        connection.execute("create schema if not exists anamnesis")
        connection.execute("create table if not exists anamnesis.version (number int not null)")
        row = connection.execute("select number from anamnesis.version").fetchone()
        version = row[0] if row else 0
        if version > len(_MIGRATIONS):
            raise IndexFolderError(
                f"{name} has tables of version {version}, this program knows {len(_MIGRATIONS)}: "
                "use the version of the program that made them, or a newer one"
            )
        for migration in _MIGRATIONS[version:]:
            connection.execute(migration)
        connection.execute("delete from anamnesis.version")
        connection.execute("insert into anamnesis.version values (%s)", (len(_MIGRATIONS),))
