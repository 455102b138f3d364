"""The records of a bulk run in one file, of which each worker reads a part."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from anamnesis.corpus.record import Record
from retrievers.build import content_of
from retrievers.store import read_only

SPOOL = "records.sqlite"

_BITS = 32  # bits of a record's place, which is a hash of its id
_RECORDS = 256  # records in a shard, approximately
_SHARDS = 12  # bits; the files are read in parallel at the end


class Shard(NamedTuple):
    """The new and changed records whose places are at least ``low`` and below ``high``.

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

    def write(self, records: Iterable[Record], held: Mapping[str, str]) -> None:
        """Store exactly ``records``; those that are unchanged in ``held`` need no work."""
        self._path.unlink(missing_ok=True)
        with closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            run = connection.execute
            # A partial file is useless: after an interruption it is written again.
            run("pragma journal_mode = off")
            run("pragma synchronous = off")
            run("create table records (position integer primary key, place, content, body)")
            run("begin")
            connection.executemany(
                "insert into records values (null, ?, ?, ?)",
                (_row(record, held) for record in records),
            )
            run("create index places on records (place, content) where place is not null")
            run("commit")

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
        """The records that need work, in parts of similar size."""
        with self._opened() as connection:
            (count,) = connection.execute(
                "select count(*) from records where place is not null"
            ).fetchone()
            # A power of two, so that adding a record moves no other record to another shard.
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


def _row(record: Record, held: Mapping[str, str]) -> tuple[int | None, str, str]:
    content = content_of(record)
    digest = blake2b(record.id.encode("utf-8", "surrogatepass"), digest_size=_BITS // 8).digest()
    place = None if held.get(record.id) == content else int.from_bytes(digest)
    return place, content, json.dumps(record.to_json())


def _shard(low: int, width: int, contents: list[str]) -> Shard:
    name = blake2b("\n".join(contents).encode(), digest_size=16).hexdigest()
    return Shard(name, low, low + width, len(contents))
