"""A corpus in PostgreSQL with pgvector: one database that many processes search [R1, R2].

BM25 uses a table of postings with the same weights as an index in files, so that scores are equal
and only the extension pgvector is needed; a large corpus is searched with pg_textsearch if that is
available. A reader sees one generation, which is kept for as long as the reader is open; a writer
makes the next one and switches to it in one transaction.

Deleted text disappears from answers at once. On disk PostgreSQL overwrites it at VACUUM; the
write-ahead log and backups contain it for as long as the operator keeps them.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

from anamnesis.address import Address
from anamnesis.errors import IndexFolderError, SettingError
from anamnesis.models.embedding import Embedder
from anamnesis.models.once import LatestObject
from retrievers.corpus import ServerEngine
from retrievers.manifest import Manifest, manifest_of
from retrievers.postgres_migrations import LOCKS, migrate
from retrievers.postgres_reading import Held, PostgresCorpus
from retrievers.postgres_waiting import PostgresWaiting
from retrievers.postgres_writing import PostgresWriter

_CONNECTIONS = 8


class PostgresEngine(ServerEngine):
    """A database that holds a corpus: opened for reading, and for writing."""

    def __init__(
        self,
        address: Address | str,
        embedder: Embedder | None = None,
        *,
        connections: int = _CONNECTIONS,
    ) -> None:
        """Connect to ``address`` (``postgresql://…``), and create missing tables.

        ``embedder`` embeds the queries; None: the one that the manifest names.

        Raises SettingError for an invalid address, IndexFolderError if the server cannot be
        reached, or if pgvector or a right is missing. No message contains a password.
        """
        try:
            import psycopg
            from psycopg_pool import ConnectionPool

            from retrievers import postgres_connections as connecting
        except ModuleNotFoundError as error:
            raise IndexFolderError(
                f"PostgreSQL needs {error.name}: pip install 'anamnesis[postgres]'"
            ) from error
        self.where = Address(address) if isinstance(address, str) else address
        _check(self.where)
        self._embedder = embedder
        self.name = f"PostgreSQL at {self.where}"
        self._whole = self.where.reveal()
        try:
            # One separate attempt reports an error at once, where a pool would retry silently.
            with psycopg.connect(self._whole, **connecting.WRITING) as connection:
                migrate(connection, self.name)
        except psycopg.errors.InsufficientPrivilege as error:
            raise _no_right(self.name, error) from error
        except psycopg.Error as error:
            raise IndexFolderError(
                f"{self.name} cannot be used: {str(error).strip()}. Make sure that it runs, "
                "and that the address names a database and a role that may create tables in it"
            ) from error
        self.pool = ConnectionPool(
            self._whole,
            min_size=1,
            max_size=connections,
            timeout=connecting.PATIENCE,
            # After this time the next question tries to connect at once, without waiting for a
            # retry.
            reconnect_timeout=connecting.PATIENCE / 2,
            connection_class=connecting.LimitedConnection,
            kwargs=dict(connecting.READING),
            configure=connecting.set_up_reading,
            open=True,
        )
        self._latest = LatestObject[PostgresCorpus]()

    def corpus(self) -> PostgresCorpus:
        """The current generation. Raises IndexFolderError if there is no index yet."""
        with answering(self.name):
            return self._latest.get_or_load(
                lambda kept: self._current(kept.held.holder) == kept.generation,
                self._open,
            )

    def manifest(self) -> Manifest | None:
        """The manifest of the current generation; None before anything was written."""
        with self.asking() as connection:
            row = connection.execute(
                "select manifest from anamnesis.state join anamnesis.generations on id = generation"
            ).fetchone()
        return manifest_of(row[0]) if row else None

    def writer(self, embedder: Callable[[], Embedder] | None = None) -> PostgresWriter:
        """The writer of the next generation; ``embedder`` is called if it is needed."""

        def drafted(connection: Any, using: Embedder) -> PostgresCorpus:
            row = connection.execute(
                "select id, manifest, near, textsearch from anamnesis.state "
                "join anamnesis.generations on id = generation"
            ).fetchone()
            # No lock is needed: nobody else sees it yet.
            held = Held(row[0], manifest_of(row[1]), row[2], row[3], ExitStack())
            return PostgresCorpus(_Transaction(self, connection, using), held)

        return PostgresWriter(self._writing, embedder or self.next_embedder, self.name, drafted)

    def waiting(self) -> PostgresWaiting:
        """The collections that wait for approval."""
        return PostgresWaiting(self.asking, self.name)

    def sizes(self) -> dict[str, int]:
        """Bytes on the server's disk by table, with its indexes, for all generations together."""
        with self.asking() as connection:
            rows = connection.execute(
                "select split_part(relname, '_', 1), sum(pg_total_relation_size(oid))::bigint "
                "from pg_class where relnamespace = 'anamnesis'::regnamespace and relkind = 'r' "
                "group by 1 order by 1"
            ).fetchall()
        return {name: int(size) for name, size in rows}

    def close(self) -> None:
        """Close all connections."""
        if (corpus := self._latest.drop()) is not None:
            corpus.close()
        self.pool.close()

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        """A connection for a write, which may be silent for longer than a search."""
        import psycopg

        from retrievers import postgres_connections as connecting

        with psycopg.connect(self._whole, **connecting.WRITING) as connection:
            connecting.set_up(connection)
            yield connection

    @contextmanager
    def asking(self) -> Iterator[Any]:
        """A connection; IndexFolderError if the server does not answer."""
        with answering(self.name):
            connection = self._open_connection()
            try:
                with connection:
                    yield connection
            finally:
                self.pool.putconn(connection)

    def _open_connection(self) -> Any:
        """A connection of the pool that is not lost; PoolTimeout if there is none in time."""
        from retrievers import postgres_connections as connecting

        end = time.monotonic() + connecting.PATIENCE
        while True:
            connection = self.pool.getconn(end - time.monotonic())
            if connecting.is_open(connection):
                return connection
            # The pool replaces it. Its own ``check`` would wait longer after every lost one.
            connection.close()
            self.pool.putconn(connection)

    def _current(self, holder: Any) -> int | None:
        """The newest generation; None if the connection that holds the open generation is lost."""
        import psycopg

        try:
            row = holder.execute("select generation from anamnesis.state").fetchone()
        except psycopg.OperationalError:
            return None
        return int(row[0]) if row else None

    def _open(self) -> PostgresCorpus:
        """Open the newest generation."""
        while (held := self._hold()) is None:
            pass
        return PostgresCorpus(self, held)

    def _hold(self) -> Held | None:
        """Lock the newest generation; None if it has just been replaced."""
        from retrievers import postgres_connections as connecting

        holder = connecting.LimitedConnection.connect(self._whole, **connecting.READING)
        try:
            row = holder.execute("select generation from anamnesis.state").fetchone()
            if row is None:
                raise IndexFolderError(
                    f"There is no index in {self.name} yet. Make one with: "
                    "anamnesis index FORMAT PATH --index postgresql://…"
                )
            # Locked for as long as the reader is open, so that no writer removes the generation.
            # The server must not end this connection because it is idle.
            holder.execute(
                "select pg_advisory_lock_shared(%s, %s), "
                "set_config('idle_session_timeout', '0', false)",
                (LOCKS, row[0]),
            )
            found = holder.execute(
                "select manifest, near, textsearch from anamnesis.generations where id = %s", row
            ).fetchone()
            if found is None:
                holder.close()
                return None
            manifest = manifest_of(found[0])
            if self._embedder is not None:
                self.embedder_of(manifest)
            # All questions wait for this connection, which is asked only for a number.
            holder.silence = connecting.LOST_AFTER
            return Held(row[0], manifest, found[1], found[2], holder)
        except BaseException:
            holder.close()
            raise


class _Transaction:
    """Reads a generation that no other connection can see yet."""

    def __init__(self, engine: PostgresEngine, connection: Any, embedder: Embedder) -> None:
        self._connection, self._embedder = connection, embedder
        self.writer = engine.writer

    def asking(self) -> AbstractContextManager[Any]:
        return nullcontext(self._connection)

    def embedder_of(self, manifest: Manifest) -> Embedder:
        return self._embedder


@contextmanager
def answering(name: str) -> Iterator[None]:
    """Raise IndexFolderError if a server does not answer."""
    import psycopg
    from psycopg_pool import PoolTimeout

    try:
        yield
    except psycopg.errors.UndefinedTable as error:
        raise IndexFolderError(
            f"The index in {name} was replaced after it was opened, and its lock was lost with a "
            "restart of the server, or is not known to the primary of a standby. Ask again"
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise _no_right(name, error) from error
    except (psycopg.Error, PoolTimeout) as error:
        raise IndexFolderError(
            f"{name} did not answer ({type(error).__name__}: {str(error).strip()}). Make sure "
            "that it runs, and ask again"
        ) from error


def _no_right(name: str, error: Exception) -> IndexFolderError:
    return IndexFolderError(
        f"{name} does not let this role read the index: {str(error).strip()}. Have its owner run: "
        "grant usage on schema anamnesis to ROLE; grant select on all tables in schema anamnesis "
        "to ROLE; alter default privileges in schema anamnesis grant select on tables to ROLE. To "
        "let it make the first index: grant all on schema anamnesis to ROLE"
    )


def _check(address: Address) -> None:
    """Raise SettingError for an invalid address, without repeating any part of it.

    A special character in a password ends up in the host or the port, which error messages name.
    """
    import psycopg

    try:
        parts = psycopg.conninfo.conninfo_to_dict(address.reveal())
        ports = str(parts.get("port") or "").replace(",", "")
        wrong = "@" in str(parts.get("host") or "") or (ports and not ports.isdecimal())
    except psycopg.Error:
        wrong = True
    if wrong:
        raise SettingError(
            "the address of the PostgreSQL server cannot be read; it has the form "
            "postgresql://user:password@host:port/name, where special characters of the password "
            "are written as %40 for @, %2F for /, %3F for ?, %23 for # and %25 for %"
        ) from None
