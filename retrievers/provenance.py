"""Where each record of an index came from, when, and who approved it."""

import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, cast

from typing_extensions import TypedDict

from anamnesis.corpus.record import Record
from retrievers.store import STORE, new_file, read_only

PROVENANCE = "provenance.sqlite"

# Many records come from a few files, so the data about a file are stored once.
_TABLES = """
create table origins (
    id integer primary key,
    origin text not null,
    sha256 text not null,
    indexed text not null,
    approved_by text not null,
    approved text not null,
    unique (origin, sha256, indexed, approved_by, approved)
);
create table records (id text primary key, origin integer not null) without rowid;
"""


class Approval(NamedTuple):
    """Who approved records, and when (UTC, ISO form)."""

    by: str
    at: str


class Provenance(TypedDict):
    """The origin of a record; unknown fields are blank.

    ``origin`` is the file's name as it was given, ``sha256`` that of the file, ``indexed`` and
    ``approved`` are UTC times in ISO form.
    """

    origin: str
    sha256: str
    indexed: str
    approved_by: str
    approved: str


def provenance_of(fields: Iterable[str]) -> Provenance:
    """The provenance with these fields, in its order."""
    return cast(Provenance, dict(zip(Provenance.__annotations__, fields, strict=True)))


class ProvenanceWriter:
    """Stores the origin of the records of a run, and copies that of the others from the last
    generation.
    """

    def __init__(self, draft: Path, old: Path | None, approval: Approval | None) -> None:
        """``draft`` is the new generation's folder, ``old`` the last one's."""
        self._draft, self._old, self._approval = draft, old, approval
        self._indexed = datetime.now(UTC).isoformat(timespec="seconds")
        self._connection = new_file(draft / PROVENANCE)
        if old is not None:
            self._connection.execute("attach ? as old_store", (read_only(old / STORE),))
            if (old / PROVENANCE).exists():
                self._connection.execute("attach ? as old", (read_only(old / PROVENANCE),))
        self._connection.executescript(_TABLES)
        self._connection.execute("begin")

    def noted(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records; the origin of each is stored when it is taken."""
        by = self._approval or Approval("", "")
        places: dict[tuple[str, str], int] = {}
        for record in records:
            key = (record.origin, record.sha256)
            place = places.setdefault(key, len(places) + 1)
            run = self._connection.execute
            run(
                "insert or ignore into origins values (?, ?, ?, ?, ?, ?)",
                (place, *key, self._indexed, *by),
            )
            run("insert or replace into records values (?, ?)", (record.id, place))
            yield record

    def finish(self) -> None:
        """Add the records that were not read again, once all passages are written.

        The entry of a record that was read again unchanged stays the same, unless the record has
        just been approved.
        """
        run = self._connection.execute
        known = {name for _, name, _ in run("pragma database_list")}
        run("commit")
        run("attach ? as store", (read_only(self._draft / STORE),))
        run("begin")
        if "old" in known:
            if self._approval is None:
                run(
                    "delete from records where id in (select one.id from store.records one "
                    "join old_store.records other on one.id = other.id "
                    "and one.content = other.content join old.records past on past.id = one.id)"
                )
            # An origin may be that of new records too: the same file within the same second.
            columns = ("origin", "sha256", "indexed", "approved_by", "approved")
            listed = ", ".join(columns)
            same = " and ".join(f"was.{name} = one.{name}" for name in columns)
            run(f"insert or ignore into origins ({listed}) select {listed} from old.origins")
            run(
                "insert into records select past.id, one.id from old.records past "
                "join store.records kept on kept.id = past.id "
                f"join old.origins was on was.id = past.origin join origins one on {same} "
                "where past.id not in (select id from records)"
            )
        run("delete from origins where id not in (select origin from records)")
        run("commit")

    def close(self) -> None:
        """Close the files, whatever state they are in."""
        self._connection.close()


class ProvenanceStore:
    """The provenance of the records of one generation, read only. Safe to use from threads."""

    def __init__(self, folder: Path) -> None:
        """Open the file in ``folder``; a generation of an earlier version has none."""
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        if (folder / PROVENANCE).exists():
            uri = read_only(folder / PROVENANCE)
            self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
            self._end = weakref.finalize(self, self._connection.close)

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._end()

    def find(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        """The provenance of the records, by id; unknown ones are left out."""
        found: dict[str, Provenance] = {}
        if self._connection is None:
            return found
        for record_id in record_ids:
            with self._lock:
                row = self._connection.execute(
                    "select o.origin, sha256, indexed, approved_by, approved from records r "
                    "join origins o on o.id = r.origin where r.id = ?",
                    (record_id,),
                ).fetchone()
            if row:
                found[record_id] = provenance_of(row)
        return found
