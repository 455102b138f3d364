"""Makes an index folder, or updates it from a data set [H8].

A new generation is made next to the current one and replaces it at the end, so that an interrupted
run changes nothing. Texts are embedded only once: vectors from the previous generation and from an
interrupted run are reused.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path
from typing import Literal, TypeVar

from anamnesis.corpus.passage import Passage, labels, split_all
from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError, IndexFolderError, SettingError
from anamnesis.models.embedding import Embedder
from retrievers.kept import ResumableVectors
from retrievers.kinds import kinds, of_one_kind
from retrievers.manifest import (
    MANIFEST,
    Collection,
    EmbedderId,
    Manifest,
    check_files,
    flushed_files,
    generation_folder,
    made_otherwise,
    new_manifest,
    read_manifest,
    write_manifest,
)
from retrievers.names import write_names
from retrievers.provenance import Approval, ProvenanceWriter
from retrievers.sparse import TOKENIZER, write_sparse
from retrievers.store import PassageWriter
from retrievers.vectors import write_vectors
from retrievers.writing import draft_generation, only_writer

# The current task, the amount done, and the total (None: not known).
Progress = Callable[[Literal["reading", "embedding", "writing"], int, int | None], None]

_RECORDS_AT_ONCE = 512
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of a run: records of the collection, and passages that had to be embedded."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    embedded: int = 0


def build(
    records: Iterable[Record],
    folder: Path,
    embedder: Embedder,
    collection: str,
    progress: Progress | None = None,
    *,
    rebuild: bool = False,
    approval: Approval | None = None,
    accept: Callable[[Manifest], None] | None = None,
) -> Changes:
    """Make the index in ``folder`` contain exactly ``records`` as its ``collection``.

    Other collections of the index are unchanged, unless ``rebuild``: then the index is made again
    from these records only. Without records the collection is removed. A repeated record counts
    once. ``approval`` is stored with each record: who approved it, and when. ``accept`` is called
    with the new generation before readers see it; if it raises an error, the index is unchanged.

    Raises:
        SettingError: The name of the collection is blank.
        CorpusError: Two records with different contents have the same id, or an id belongs to
            another collection.
        IndexFolderError: The index was made with another embedder or schema, is damaged or being
            written by another run, or cannot be written. Nothing has changed then.
    """
    check_collection(collection)
    made = EmbedderId.of(embedder)
    return _replace(
        records, folder, made, embedder, collection, progress, rebuild, approval, accept
    )


def remove(folder: Path, collection: str) -> Changes:
    """Remove a collection from the index; needs no embedder.

    Raises SettingError if the index has no such collection, IndexFolderError as ``build`` does.
    """
    manifest = read_manifest(folder)
    if collection not in manifest.collections:
        known = ", ".join(manifest.collections) or "none"
        raise SettingError(f"{folder} has no collection {collection!r}. It has: {known}.")
    return _replace([], folder, manifest.embedder, None, collection, None, False)


def _replace(
    records: Iterable[Record],
    folder: Path,
    made: EmbedderId,
    embedder: Embedder | None,
    collection: str,
    progress: Progress | None,
    rebuild: bool,
    approval: Approval | None = None,
    accept: Callable[[Manifest], None] | None = None,
) -> Changes:
    folder = Path(folder)
    report: Progress = progress or (lambda stage, done, total: None)
    try:
        with only_writer(folder):
            old = None if rebuild else _old_manifest(folder, made)
            kept = ResumableVectors(folder, made)
            with draft_generation(folder) as draft:
                old_folder = generation_folder(folder, old) if old else None
                writer = PassageWriter(draft, old_folder)
                origins = ProvenanceWriter(draft, old_folder, approval)
                with closing(origins), closing(writer):
                    records, facts = kinds(origins.noted(records), collection, old)
                    found = _synchronise(records, writer, embedder, collection, facts, report)
                    writer.commit()
                    corpus = corpus_hash(writer.contents())
                    if old and corpus == old.corpus and approval is None:
                        return found
                    counts = {
                        name: Collection(*count, facts[name])
                        for name, count in writer.counts().items()
                    }
                    last = sum(item.passages for item in counts.values() if item.facts)
                    embedded = write_vectors(
                        writer, draft, old_folder, kept, made, embedder, report, last
                    )
                    _write_rest(writer, draft, report, last)
                    origins.finish()
                files = flushed_files(draft)
                manifest = new_manifest(draft.name, made, corpus, counts, TOKENIZER, files)
                if accept is not None:
                    accept(manifest)
                write_manifest(folder, manifest)
            kept.clear()
            return replace(found, embedded=embedded)
    except (OSError, sqlite3.Error) as error:
        raise IndexFolderError(
            f"Writing the index in {folder} failed: {error}. The index has not changed, and "
            "what was embedded is kept. Remove the cause (such as a full disk) and run the same "
            "command again."
        ) from error


def _old_manifest(folder: Path, made: EmbedderId) -> Manifest | None:
    """The manifest of the index to be updated, if there is one and it can be updated."""
    if not (folder / MANIFEST).exists():
        return None
    old = read_manifest(folder)
    check_files(folder, old, checksums=True)
    if (old.embedder.fingerprint, old.embedder.window) != (made.fingerprint, made.window):
        raise made_otherwise(folder, old.embedder, made.reference, made.fingerprint)
    return old


def _synchronise(
    records: Iterable[Record],
    writer: PassageWriter,
    embedder: Embedder | None,
    collection: str,
    facts: Mapping[str, bool],
    report: Progress,
) -> Changes:
    """Write all collections into the new store in the order of their names, facts last."""
    changes = Changes()
    for name in sorted(facts, key=lambda name: (facts[name], name)):
        if name == collection:
            alike = of_one_kind(records, collection, facts[name])
            changes = _add_records(alike, writer, embedder, collection, report)
        else:
            writer.take(name)
    return changes


def _add_records(
    records: Iterable[Record],
    writer: PassageWriter,
    embedder: Embedder | None,
    collection: str,
    report: Progress,
) -> Changes:
    added = changed = unchanged = 0
    for batch in batches(records, _RECORDS_AT_ONCE):
        contents: dict[str, str] = {}
        fresh: list[Record] = []
        for record in batch:
            content = content_of(record)
            before = writer.old_record(record.id)
            earlier = contents.get(record.id) or writer.content(record.id)
            check_unique(record, content, earlier, before, collection)
            if earlier is not None:
                continue
            contents[record.id] = content
            if before and before[1] == content:
                unchanged += 1
                continue
            fresh.append(record)
            added, changed = (added, changed + 1) if before else (added + 1, changed)
        passages = _split(fresh, embedder)
        for record_id, content in contents.items():
            writer.add(record_id, collection, content, passages.get(record_id))
        report("reading", added + changed + unchanged, None)
    removed = writer.old_count(collection) - changed - unchanged
    return Changes(added, changed, removed, unchanged)


def content_of(record: Record) -> str:
    """A hash that is equal for records with equal passages and labels."""
    return f"{record.content_hash}+labels" if labels(record) else record.content_hash


def check_collection(name: str) -> None:
    """Raise SettingError for a blank name of a collection."""
    if not name.strip():
        raise SettingError("The collection's name is blank. Name it, for instance by its file.")


def check_unique(
    record: Record, content: str, seen: str | None, old: Sequence[object] | None, collection: str
) -> None:
    """Raise CorpusError for a record with the id of another record.

    ``seen`` is the content of an earlier record with this id in this run; ``old`` begins with the
    collection that has the record in the index.
    """
    if seen not in (None, content):
        raise CorpusError(
            f"Two records with different contents have the id {record.id!r}. "
            "Give each record its own id."
        )
    if old and old[0] != collection:
        raise CorpusError(
            f"Record {record.id!r} of collection {collection!r} is already in collection "
            f"{old[0]!r} of the index. Give the records different ids, or remove one of the "
            "collections."
        )


def _split(records: Sequence[Record], embedder: Embedder | None) -> dict[str, list[Passage]]:
    if not records or embedder is None:
        return {}
    passages = split_all(records, embedder.count_tokens, embedder.window)
    return {key: list(group) for key, group in groupby(passages, lambda passage: passage.record_id)}


def corpus_hash(rows: Iterable[Sequence[str]]) -> str:
    """SHA-256 over the collection, id and content of every record, in the order of the first two,
    so that it is independent of the order in which records were read.
    """
    corpus = sha256()
    for row in rows:
        corpus.update("\0".join(row).encode("utf-8", "surrogatepass") + b"\n")
    return corpus.hexdigest()


def _write_rest(writer: PassageWriter, draft: Path, report: Progress, facts: int) -> None:
    """The sparse index, and the names of the last rows, which are facts."""

    def passages() -> Iterator[Passage]:
        for row, passage in enumerate(writer.passages()):
            if row % _RECORDS_AT_ONCE == 0:
                report("writing", row, writer.rows)
            yield passage
        report("writing", writer.rows, writer.rows)

    rest = passages()
    write_sparse((item.indexed for item in islice(rest, writer.rows - facts)), draft)
    if facts:
        write_names((item.names for item in rest), draft)
    else:
        next(rest, None)  # reports that everything is done


def batches(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """The items in lists of this size, the last one shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
