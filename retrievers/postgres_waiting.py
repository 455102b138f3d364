"""Collections that wait for approval in a corpus in PostgreSQL; see ``retrievers.review_store``."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any


class PostgresWaiting:
    """The table of waiting collections."""

    def __init__(self, asking: Callable[[], AbstractContextManager[Any]], name: str) -> None:
        """``asking`` returns a connection; ``name`` is the server's."""
        self._asking, self._name = asking, name

    def all(self) -> list[tuple[str, str]]:
        """The texts of all waiting collections, by name."""
        with self._asking() as connection:
            rows = connection.execute(
                "select collection, records from anamnesis.waiting order by collection"
            ).fetchall()
        return [(self._place(name), text) for name, text in rows]

    def read(self, collection: str) -> tuple[str, str] | None:
        """The text of a waiting collection; None if there is none with that name."""
        with self._asking() as connection:
            row = connection.execute(
                "select records from anamnesis.waiting where collection = %s", (collection,)
            ).fetchone()
        return (self._place(collection), row[0]) if row else None

    def write(self, collection: str, text: str) -> None:
        """Store a waiting collection, in place of one with the same name."""
        with self._asking() as connection:
            connection.execute(
                "insert into anamnesis.waiting (collection, records) values (%s, %s) "
                "on conflict (collection) do update set records = excluded.records",
                (collection, text),
            )

    def delete(self, collection: str) -> None:
        """Remove a waiting collection."""
        with self._asking() as connection:
            connection.execute("delete from anamnesis.waiting where collection = %s", (collection,))

    def _place(self, collection: str) -> str:
        return f"the collection {collection!r} that waits in {self._name}"
