"""Passages on disk, in SQLite, read by row or by id when they are needed."""

import json
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

from anamnesis.corpus.passage import Passage
from anamnesis.models.once import loaded_once

STORE = "passages.sqlite"

# Rows of passages count from 0 without gaps, in the order of the collections' names (those of facts
# last), of their records and of their text. ``text_key`` is equal for equal texts, ``vector_key``
# for passages with the same embedded text.
TABLES = """
create table records (
    position integer primary key,
    id text not null unique,
    collection text not null,
    content text not null,
    first_row integer not null,
    last_row integer not null
);
create table passages (
    row integer primary key,
    id text not null unique,
    text_key blob not null,
    vector_key blob not null,
    body text not null
);
"""

_AT_ONCE = 500  # parameters of one statement


def read_only(file: Path) -> str:
    """The URI by which SQLite reads a finished file; it takes no locks and sees no changes."""
    return file.absolute().as_uri() + "?mode=ro&immutable=1"


def new_file(file: Path) -> sqlite3.Connection:
    """A new SQLite file without a journal and without flushes to disk: if it is not completed, it
    is of no use.
    """
    connection = sqlite3.connect(file.absolute().as_uri(), uri=True, isolation_level=None)
    connection.execute("pragma journal_mode = off")
    connection.execute("pragma synchronous = off")
    return connection


class PassageStore:
    """The passages of one generation, read only. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """Open the store in ``folder``; sqlite3.Error if it has none."""
        # Opened now, so that it can be read even after a newer generation has replaced this one.
        uri = read_only(folder / STORE)
        self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._lock = threading.Lock()
        self.close = weakref.finalize(self, self._connection.close)

    def ids(self, rows: Sequence[int]) -> list[str]:
        """The passage ids of ``rows``, in their order."""
        found = dict(self._select("select row, id from passages where row in", rows))
        return [found[row] for row in rows]

    def known(self, rows: Sequence[int]) -> dict[int, tuple[str, str]]:
        """For each of the rows the passage's id and its digest."""
        found = self._select("select row, id, text_key from passages where row in", rows)
        return {row: (key, text.hex()) for row, key, text in found}

    def at(self, rows: Sequence[int]) -> list[Passage]:
        """The passages of ``rows``, in their order."""
        found = dict(self._select("select row, body from passages where row in", rows))
        return [Passage.from_json(json.loads(found[row])) for row in rows]

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages that exist, by id."""
        found = self._select("select id, body from passages where id in", ids)
        return {key: Passage.from_json(json.loads(body)) for key, body in found}

    @loaded_once
    def grouped(self) -> bool:
        """Whether any passage names access groups."""
        # In JSON a quotation mark within a text has a backslash before it.
        query = "select exists (select 1 from passages where instr(body, '\"access\":'))"
        with self._lock:
            return bool(self._connection.execute(query).fetchone()[0])

    def _select(self, query: str, keys: Sequence[Any]) -> list[Any]:
        found: list[Any] = []
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            with self._lock:
                found += self._connection.execute(f"{query} ({marks})", part).fetchall()
        return found


def contents_of(folder: Path) -> dict[str, str]:
    """The content hash of each record in the store in ``folder``, by id."""
    with closing(sqlite3.connect(read_only(folder / STORE), uri=True)) as connection:
        return dict(connection.execute("select id, content from records"))


class PassageWriter:
    """A store that is being written; it can copy passages from an older one."""

    def __init__(self, folder: Path, old: Path | None) -> None:
        """Make a store in ``folder``; ``old`` is the folder of the generation to copy from."""
        self._connection = new_file(folder / STORE)
        self.has_old = old is not None
        self.rows = 0  # passages so far
        if old is not None:
            self._connection.execute("attach ? as old", (read_only(old / STORE),))
        self._connection.executescript(TABLES)
        self._connection.execute("begin")

    def close(self) -> None:
        """Close the files, whatever state they are in."""
        self._connection.close()

    def commit(self) -> None:
        """Write what was added."""
        self._connection.execute("commit")

    def old_record(self, record_id: str) -> tuple[str, str] | None:
        """The collection and content hash that the old store has for a record."""
        if not self.has_old:
            return None
        found = self._one("select collection, content from old.records where id = ?", record_id)
        return (found[0], found[1]) if found else None

    def old_count(self, collection: str) -> int:
        """The number of records of a collection in the old store."""
        if not self.has_old:
            return 0
        query = "select count(*) from old.records where collection = ?"
        return int(self._one(query, collection)[0])

    def content(self, record_id: str) -> str | None:
        """The content hash of a record that was added."""
        found = self._one("select content from records where id = ?", record_id)
        return found[0] if found else None

    def add(
        self, record_id: str, collection: str, content: str, passages: Sequence[Passage] | None
    ) -> None:
        """Append a record and its passages; None: copy the passages from the old store."""
        first = self.rows
        if passages is None:
            old_first, old_last = self._one(
                "select first_row, last_row from old.records where id = ?", record_id
            ) or (0, -1)
            last = first + old_last - old_first
            self._take_rows(old_first, old_last, first)
        else:
            last = first + len(passages) - 1
            self._connection.executemany(
                "insert into passages values (?, ?, ?, ?, ?)",
                (
                    (
                        row,
                        passage.id,
                        bytes.fromhex(passage.digest),
                        vector_key(passage),
                        json.dumps(passage.to_json()),
                    )
                    for row, passage in enumerate(passages, start=first)
                ),
            )
        self._connection.execute(
            "insert into records values (null, ?, ?, ?, ?, ?)",
            (record_id, collection, content, first, last),
        )
        self.rows = last + 1

    def take(self, collection: str) -> None:
        """Copy a whole collection from the old store."""
        first, last = self._one(
            "select min(first_row), max(last_row) from old.records where collection = ?", collection
        )
        if first is None:
            return
        moved = self.rows - first
        self._take_rows(first, last, self.rows)
        self._connection.execute(
            "insert into records select null, id, collection, content, first_row + ?, last_row + ? "
            "from old.records where collection = ? order by position",
            (moved, moved, collection),
        )
        self.rows += last + 1 - first

    def _take_rows(self, first: int, last: int, start: int) -> None:
        self._connection.execute(
            "insert into passages select row + ?, id, text_key, vector_key, body "
            "from old.passages where row between ? and ?",
            (start - first, first, last),
        )

    def counts(self) -> dict[str, tuple[int, int]]:
        """The numbers of records and passages of each collection."""
        query = (
            "select collection, count(*), sum(last_row - first_row + 1) from records "
            "group by collection order by collection"
        )
        return {name: (records, rows) for name, records, rows in self._connection.execute(query)}

    def contents(self) -> Iterator[tuple[str, str, str]]:
        """Collection, id and content hash of every record, in the order of the first two."""
        return self._connection.execute(
            "select collection, id, content from records order by collection, id"
        )

    def vector_keys(self) -> Iterator[tuple[int, bytes, int]]:
        """Row, vector key and size of every passage, by row."""
        return self._connection.execute(
            "select row, vector_key, length(body) from passages order by row"
        )

    def old_vector_keys(self) -> Iterator[tuple[int, bytes]]:
        """Row and vector key of every passage of the old store."""
        return self._connection.execute("select row, vector_key from old.passages")

    def passages(self, rows: Sequence[int] | None = None) -> Iterator[Passage]:
        """The passages of ``rows`` in their order; None: all, by row."""
        if rows is None:
            found: Iterable[Any] = self._connection.execute(
                "select body from passages order by row"
            )
        else:
            found = (self._one("select body from passages where row = ?", row) for row in rows)
        for (body,) in found:
            yield Passage.from_json(json.loads(body))

    def _one(self, query: str, *parameters: Any) -> Any:
        return self._connection.execute(query, parameters).fetchone()


def vector_key(passage: Passage) -> bytes:
    """16 bytes, equal for passages with the same embedded text. Case counts: some models see it."""
    return key_of(passage.embedded)


def key_of(embedded: str) -> bytes:
    """The vector key of a passage that is embedded as this text."""
    return blake2b(embedded.encode("utf-8", "surrogatepass"), digest_size=16).digest()
