"""Records that wait for an operator's approval, stored separately from the index so that no search
finds them.

A collection is stored as one text, ``review/NAME.jsonl`` in the index folder or a row on a server.
Its first line has the options of the indexing, and each further line is a record. If it is
approved, it is indexed like any other collection, with the approver's name; if it is rejected, it
is deleted.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from anamnesis.address import Location
from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from anamnesis.models.embedding import Embedder
from retrievers.build import Changes, Progress, check_collection
from retrievers.opening import writer_at
from retrievers.provenance import Approval
from retrievers.review_store import store_at, unreadable


@dataclass(frozen=True, slots=True)
class WaitingCollection:
    """A waiting collection: the options that it was indexed with, the time (UTC, ISO form), and its
    records."""

    collection: str
    embedder: str
    rebuild: bool
    submitted: str
    records: tuple[Record, ...]


def submit(
    records: Iterable[Record],
    where: Location,
    collection: str,
    embedder: str,
    *,
    rebuild: bool = False,
) -> WaitingCollection:
    """Store a collection that waits for approval, in place of a waiting one with the same name.

    Raises SettingError if the name is blank, IndexFolderError if the folder cannot be written.
    """
    check_collection(collection)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    waiting = WaitingCollection(collection, embedder, rebuild, now, tuple(records))
    store_at(where).write(collection, _text(waiting))
    return waiting


def waiting(where: Location) -> list[WaitingCollection]:
    """The waiting collections by name. Raises CorpusError for a damaged file."""
    return [_read(place, text) for place, text in store_at(where).all()]


def waits(where: Location, collection: str) -> WaitingCollection:
    """A waiting collection. Raises SettingError if none has that name."""
    found = store_at(where).read(collection)
    if found is None:
        known = ", ".join(item.collection for item in waiting(where)) or "nothing"
        raise SettingError(f"no collection {collection!r} waits for approval; waiting: {known}")
    return _read(*found)


def approve(
    where: Location, collection: str, by: str, embedder: Embedder, progress: Progress | None = None
) -> Changes:
    """Index a waiting collection, and store who approved it.

    Raises SettingError if nothing waits under that name or no approver is named, and what ``build``
    raises; the collection then continues to wait.
    """
    found = waits(where, collection)
    approval = Approval(_name(by), datetime.now(UTC).isoformat(timespec="seconds"))
    changes = writer_at(where, lambda: embedder).put(
        found.records, collection, progress, rebuild=found.rebuild, approval=approval
    )
    store_at(where).delete(collection)
    return changes


def reject(where: Location, collection: str, by: str, ids: Sequence[str] = ()) -> int:
    """Delete a waiting collection, or these records of it, and return the number of deleted
    records.

    Raises SettingError if nothing waits under that name, it lacks a record, or nobody is named.
    """
    _name(by)
    found = waits(where, collection)
    missing = set(ids) - {item.id for item in found.records}
    if missing:
        raise SettingError(f"{collection!r} has no record {min(missing)!r} that waits")
    left = tuple(item for item in found.records if ids and item.id not in ids)
    if left:
        rest = WaitingCollection(collection, found.embedder, found.rebuild, found.submitted, left)
        store_at(where).write(collection, _text(rest))
    else:
        store_at(where).delete(collection)
    return len(found.records) - len(left)


def _name(by: str) -> str:
    if not by.strip():
        raise SettingError("say who decides: --by NAME")
    return by.strip()


def _text(waiting: WaitingCollection) -> str:
    heading = {
        "collection": waiting.collection,
        "embedder": waiting.embedder,
        "rebuild": waiting.rebuild,
        "submitted": waiting.submitted,
    }
    lines = (heading, *(item.to_json() for item in waiting.records))
    return "".join(json.dumps(line) + "\n" for line in lines)


def _read(place: str, text: str) -> WaitingCollection:
    try:
        heading, *rows = [json.loads(line) for line in text.splitlines()]
        return WaitingCollection(**heading, records=tuple(Record.from_json(row) for row in rows))
    except (ValueError, TypeError) as error:
        raise unreadable(place, error) from error
