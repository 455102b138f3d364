"""Records that wait for an operator's approval: beside the index, where no search sees them.

``review/NAME.jsonl`` in the index folder holds one collection: a line that says what is to be done,
and then a record a line. Approved, it is indexed as any collection is, with the name of who
approved it; rejected, it is gone.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError, SettingError
from anamnesis.models.embedding import Embedder
from retrievers.build import Changes, Progress, build
from retrievers.manifest import sync
from retrievers.provenance import Approval
from retrievers.writing import REVIEW, only_writer


@dataclass(frozen=True, slots=True)
class Waiting:
    """A collection that waits: what it was indexed with, when (UTC, ISO form), and its records."""

    collection: str
    embedder: str
    rebuild: bool
    submitted: str
    records: tuple[Record, ...]


def submit(
    records: Iterable[Record],
    folder: Path,
    collection: str,
    embedder: str,
    *,
    rebuild: bool = False,
) -> Waiting:
    """Have a collection wait for approval, in place of what waited under its name.

    Raises SettingError if the name is blank, IndexFolderError if the folder cannot be written.
    """
    if not collection.strip():
        raise SettingError("The collection's name is blank. Name it, for instance by its file.")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    waiting = Waiting(collection, embedder, rebuild, now, tuple(records))
    with only_writer(folder):
        _write(folder, waiting)
    return waiting


def waiting(folder: Path) -> list[Waiting]:
    """What waits for approval, by name. Raises CorpusError for a file that is damaged."""
    return [_read(path) for path in sorted((folder / REVIEW).glob("*.jsonl"))]


def waits(folder: Path, collection: str) -> Waiting:
    """One collection that waits. Raises SettingError if there is none of that name."""
    path = _path(folder, collection)
    if not path.exists():
        known = ", ".join(own.collection for own in waiting(folder)) or "nothing"
        raise SettingError(f"no collection {collection!r} waits for approval; what waits: {known}")
    return _read(path)


def approve(
    folder: Path,
    collection: str,
    by: str,
    embedder: Embedder,
    progress: Progress | None = None,
) -> Changes:
    """Index a collection that waits, and keep who approved it.

    Raises SettingError if nothing waits under that name or nobody is named, and what ``build``
    raises; the collection goes on waiting then.
    """
    found = waits(folder, collection)
    approval = Approval(_name(by), datetime.now(UTC).isoformat(timespec="seconds"))
    changes = build(
        found.records, folder, embedder, collection, progress,
        rebuild=found.rebuild, approval=approval,
    )  # fmt: skip
    _path(folder, collection).unlink()
    return changes


def reject(folder: Path, collection: str, by: str, ids: Sequence[str] = ()) -> int:
    """Throw away a collection that waits, or these records of it; how many records are gone.

    Raises SettingError if nothing waits under that name, it lacks a record, or nobody is named.
    """
    _name(by)
    found = waits(folder, collection)
    missing = set(ids) - {own.id for own in found.records}
    if missing:
        raise SettingError(f"{collection!r} has no record {min(missing)!r} that waits")
    left = tuple(own for own in found.records if ids and own.id not in ids)
    with only_writer(folder):
        if left:
            _write(
                folder,
                Waiting(collection, found.embedder, found.rebuild, found.submitted, left),
            )
        else:
            _path(folder, collection).unlink()
    return len(found.records) - len(left)


def _name(by: str) -> str:
    if not by.strip():
        raise SettingError("say who decides: --by NAME")
    return by.strip()


def _path(folder: Path, collection: str) -> Path:
    return folder / REVIEW / f"{quote(collection, safe='')}.jsonl"


def _write(folder: Path, waiting: Waiting) -> None:
    path = _path(folder, waiting.collection)
    path.parent.mkdir(exist_ok=True)
    heading = {
        "collection": waiting.collection,
        "embedder": waiting.embedder,
        "rebuild": waiting.rebuild,
        "submitted": waiting.submitted,
    }
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8") as file:
        for line in (heading, *(own.to_json() for own in waiting.records)):
            file.write(json.dumps(line) + "\n")
    sync(new)
    new.replace(path)


def _read(path: Path) -> Waiting:
    try:
        heading, *rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return Waiting(**heading, records=tuple(Record.from_json(row) for row in rows))
    except (OSError, ValueError, TypeError) as error:
        raise CorpusError(
            f"{path.name} in the folder {REVIEW} of the index is damaged or cannot be read "
            f"({error}). Index its collection again with --review."
        ) from error
