"""The records of a bulk run in one file, of which each worker reads a part."""

import json
import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import closing
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from anamnesis.corpus.record import Record
from retrievers.build import content_of
from retrievers.store import new_file, read_only

SPOOL = "records.sqlite"

_BITS = 32  # bits of a record's place, which is a hash of its id
_RECORDS = 256  # records in a shard, approximately
_SHARDS = 12  # bits; the files are read in parallel at the end


class Shard(NamedTuple):
    """The records to embed whose places are at least ``low`` and below ``high``.

    ``name`` is a hash of their contents, so it changes only if they do.
    """

    name: str
    low: int
    high: int
    records: int


class Spool:
    """Records in order, written by one process and then read by any number."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / SPOOL

    def write(
        self,
        records: Iterable[Record],
        held: Mapping[str, str],
        embedded: Container[str] = frozenset(),
    ) -> int:
        """Store exactly ``records``; those that are unchanged in ``held`` need no work.

        ``embedded`` has the contents of records that an earlier run embedded. Returns how many of
        the others these are; they are in no shard.
        """
        self._path.unlink(missing_ok=True)
        done = 0

        def rows() -> Iterator[tuple[int | None, str, str]]:
            nonlocal done
            for record in records:
                content = content_of(record)
                is_new = held.get(record.id) != content
                left = is_new and content not in embedded
                done += is_new and not left
                yield _place(record.id) if left else None, content, json.dumps(record.to_json())

        # After an interruption it is written again.
        with closing(new_file(self._path)) as connection:
            run = connection.execute
            run("create table records (position integer primary key, place, content, body)")
            run("begin")
            connection.executemany("insert into records values (null, ?, ?, ?)", rows())
            run("create index places on records (place, content) where place is not null")
            run("commit")
        return done

    def records(self) -> Iterator[Record]:
        """All records in their original order."""
        yield from self._read("select body from records order by position")

    def of(self, shard: Shard) -> Iterator[Record]:
        """The records of a shard."""
        yield from self._read(
            "select body from records where place >= ? and place < ? order by position",
            shard.low,
            shard.high,
        )

    def shards(self) -> list[Shard]:
        """The records that must be embedded, in parts of similar size."""
        with self._opened() as connection:
            (count,) = connection.execute(
                "select count(*) from records where place is not null"
            ).fetchone()
            # A power of two, so that adding a record seldom moves others to another shard.
            bits = min(max((count // _RECORDS).bit_length() - 1, 0), _SHARDS)
            width = 1 << (_BITS - bits)
            rows = connection.execute(
                "select place, content from records where place is not null order by place, content"
            )
            return [
                _shard(number * width, width, [content for _, content in item])
                for number, item in groupby(rows, lambda row: row[0] // width)
            ]

    def _opened(self) -> closing[sqlite3.Connection]:
        return closing(sqlite3.connect(read_only(self._path), uri=True))

    def _read(self, query: str, *given: int) -> Iterator[Record]:
        with self._opened() as connection:
            for (body,) in connection.execute(query, given):
                yield Record.from_json(json.loads(body))


def _place(record_id: str) -> int:
    digest = blake2b(record_id.encode("utf-8", "surrogatepass"), digest_size=_BITS // 8).digest()
    return int.from_bytes(digest)


def _shard(low: int, width: int, contents: list[str]) -> Shard:
    name = blake2b("\n".join(contents).encode(), digest_size=16).hexdigest()
    return Shard(name, low, low + width, len(contents))
