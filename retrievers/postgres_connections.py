"""Connections to PostgreSQL: their settings, their search path, and their time limits.

It imports psycopg, so it is imported only where a server is used.
"""

import time
from collections.abc import Generator, Mapping
from typing import Any, TypeVar

import psycopg

from anamnesis.errors import IndexFolderError

PATIENCE = 10
"""Seconds that a question waits for a connection."""

SEARCH_LIMIT = 60
"""Seconds after which the server ends a search."""

LOST_AFTER = 30
"""Seconds after which a connection whose data nobody acknowledges counts as lost."""

_SILENCE = SEARCH_LIMIT + 5  # a server that works has ended its search itself
_WORK_MEMORY = "64MB"

WRITING: Mapping[str, Any] = {
    "autocommit": True,
    "connect_timeout": PATIENCE,
    # An idle connection whose server is gone is noticed after 10 + 4 * 5 seconds.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    # A prepared plan, made for any number of passages, would not use the graph.
    "prepare_threshold": None,
}
"""Settings of a connection that writes."""

READING: Mapping[str, Any] = {
    **WRITING,
    # The system sends no keepalives while sent data are unacknowledged, and repeats them for about
    # 15 minutes. A writer waits that long: a server that is busy with its disk takes no data for a
    # while.
    "tcp_user_timeout": LOST_AFTER * 1_000,
}
"""Settings of a connection that reads: a network failure is noticed after LOST_AFTER seconds."""

_LIMITS = (
    "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout",
    "transaction_timeout",
)  # fmt: skip

Result = TypeVar("Result")


class _NoReplyError(Exception):
    """Nothing came from the server for too long."""


class LimitedConnection(psycopg.Connection[Any]):
    """A connection that is closed if the server sends nothing for ``silence`` seconds.

    This notices a server that died behind a proxy or a pooler, which acknowledges data by itself.
    """

    silence: float | None = None
    """None: there is no limit."""

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        """As in the base class; raises psycopg.OperationalError if the connection is closed."""
        if self.silence is None:
            return super().wait(gen, *args, **kwargs)
        try:
            return super().wait(_limited(gen, self.silence), *args, **kwargs)
        except _NoReplyError:
            self.close()
            raise psycopg.OperationalError(
                f"it sent nothing for {self.silence:.0f} s, so the connection was closed"
            ) from None


def _limited(gen: Generator[Any, Any, Result], silence: float) -> Generator[Any, Any, Result]:
    """What psycopg waits for, but at most ``silence`` seconds at a time."""
    try:
        wanted = next(gen)
        end = time.monotonic() + silence
        while True:
            # False if the interval has passed in which psycopg looks for interrupts.
            ready = yield wanted
            if ready:
                end = time.monotonic() + silence
            elif time.monotonic() > end:
                raise _NoReplyError
            wanted = gen.send(ready)
    except StopIteration as ended:
        result: Result = ended.value
        return result


def set_up_reading(connection: Any) -> None:
    """Set what a search needs, on a new connection of the pool."""
    connection.silence = _SILENCE
    # An operator's own limit stays if it is shorter.
    connection.execute(
        "select set_config('statement_timeout', %(limit)s, false) from pg_settings "
        "where name = 'statement_timeout' and setting::int not between 1 and %(limit)s::int",
        {"limit": str(SEARCH_LIMIT * 1_000)},
    )
    set_up(connection)


def set_up(connection: Any) -> None:
    """Set what a search needs, without limits of time."""
    # Compiling a query takes longer than a search, and PostgreSQL may do it for a large index. The
    # sums of a million passages fit in this memory; with the default they are written to the disk.
    connection.execute(
        "select set_config('jit', 'off', false), set_config('work_mem', %s, false)", (_WORK_MEMORY,)
    )
    add_schemas(connection)


def is_open(connection: Any) -> bool:
    """Whether the server has not closed a connection of the pool.

    This takes no round to the server: the system knows it, from the server or because nothing
    answers (see ``READING``).
    """
    # The first call may read the server's last message, and the second the end after it.
    try:
        for _ in range(2):
            connection.pgconn.consume_input()
    except psycopg.OperationalError:
        return False
    return True


def without_limits(connection: Any) -> None:
    """Switch off the server's time limits until the transaction ends.

    A provider sets them for short transactions. A write is one transaction that may take hours, and
    waits in it for the embedder.
    """
    connection.execute(
        "select set_config(name, '0', true) from pg_settings where name = any(%s)", (list(_LIMITS),)
    )


def add_schemas(connection: Any) -> None:
    """Add the schemas of the extensions to the end of the search path.

    Many providers install extensions in a schema of their own, such as ``extensions``.
    """
    connection.execute(
        "select set_config('search_path', "
        "concat_ws(', ', nullif(current_setting('search_path'), ''), "
        "string_agg(distinct quote_ident(nspname), ', ')), false) "
        "from pg_extension join pg_namespace n on n.oid = extnamespace "
        "where extname in ('vector', 'pg_textsearch') "
        "and nspname <> all(current_schemas(false)) "
        "having count(*) > 0"
    )


def check_vector(connection: Any, name: str) -> None:
    """Raise IndexFolderError if pgvector is in a schema that the role may not use."""
    add_schemas(connection)
    row = connection.execute(
        "select quote_ident(nspname) from pg_extension join pg_namespace n on n.oid = extnamespace "
        "where extname = 'vector' and to_regtype('vector') is null"
    ).fetchone()
    if row is not None:
        raise IndexFolderError(
            f"{name} has pgvector in the schema {row[0]}, which this role may not use. Have its "
            f"owner run: grant usage on schema {row[0]} to ROLE"
        )
