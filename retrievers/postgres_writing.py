"""Writes a corpus into PostgreSQL: a new generation beside the old one, switched at its end."""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from anamnesis.corpus.passage import Passage, split_all
from anamnesis.corpus.record import Record
from anamnesis.errors import CorpusError, IndexFolderError, SettingError
from anamnesis.language.text import well_formed
from anamnesis.models.embedding import Embedder
from retrievers.build import Changes, Progress, content_of
from retrievers.manifest import EmbedderId, Manifest, made_otherwise, manifest_of
from retrievers.postgres_generation import Draft
from retrievers.postgres_tables import LOCKS
from retrievers.provenance import Approval
from retrievers.store import vector_key


class PostgresWriter:
    """Makes the next generation; what has not changed is taken over from the last one."""

    def __init__(self, pool: Any, embedder: Callable[[], Embedder], name: str) -> None:
        self._pool, self._embedder, self._name = pool, embedder, name

    def put(
        self,
        records: Iterable[Record],
        collection: str,
        progress: Progress | None = None,
        *,
        rebuild: bool = False,
        approval: Approval | None = None,
    ) -> Changes:
        """Hold exactly ``records`` as the collection, in one transaction.

        Raises SettingError, CorpusError and IndexFolderError as ``retrievers.build.build`` does,
        and CorpusError for facts, which are kept in an index folder.
        """
        if not collection.strip():
            raise SettingError("The collection's name is blank. Name it, for instance by its file.")
        return self._write(records, collection, progress, rebuild, approval)

    def remove(self, collection: str) -> Changes:
        """Take a collection out; SettingError if there is none of that name."""
        return self._write([], collection, None, False, None, there=True)

    def _write(
        self,
        records: Iterable[Record],
        collection: str,
        progress: Progress | None,
        rebuild: bool,
        approval: Approval | None,
        there: bool = False,
    ) -> Changes:
        import psycopg

        try:
            with self._pool.connection() as connection, connection.transaction():
                writing = "select pg_try_advisory_xact_lock(%s, 0)"
                if not connection.execute(writing, (LOCKS,)).fetchone()[0]:
                    raise IndexFolderError(
                        f"Another run is writing the index in {self._name}. Wait until it has ended"
                    )
                made = _Update(connection, None if there else self._embedder(), self._name, rebuild)
                if there and collection not in made.collections:
                    known = ", ".join(made.collections) or "none"
                    raise SettingError(
                        f"{self._name} has no collection {collection!r}. It has: {known}."
                    )
                report: Progress = progress or (lambda stage, done, total: None)
                return made.write(records, collection, report, approval)
        except psycopg.Error as error:
            raise IndexFolderError(
                f"Writing the index in {self._name} failed: {str(error).strip()}. It is as it was "
                "before; mend the cause and run the same again"
            ) from error


class _Update:
    """What a run changes, within a transaction."""

    def __init__(
        self, connection: Any, embedder: Embedder | None, name: str, rebuild: bool
    ) -> None:
        """``embedder`` is None where a collection is taken out."""
        self._run = connection.execute
        self._connection, self._embedder = connection, embedder
        row = self._run(
            "select id, manifest from anamnesis.state join anamnesis.generations on id = generation"
        ).fetchone()
        self.old: int = row[0] if row and not rebuild else 0
        self._manifest: Manifest | None = manifest_of(row[1]) if self.old else None
        self.collections: Mapping[str, Any] = self._manifest.collections if self._manifest else {}
        self._made = self._manifest.embedder if self._manifest else None
        if embedder is not None:
            self._made = EmbedderId(
                embedder.reference, embedder.fingerprint, embedder.dimensions, embedder.window
            )
        if self._manifest is not None and self._made is not None:
            was = self._manifest.embedder
            if (was.fingerprint, was.window) != (self._made.fingerprint, self._made.window):
                raise made_otherwise(name, was, self._made.reference, self._made.fingerprint)
        self._draft = Draft(connection)
        self._new = self._draft.number

    def write(
        self,
        records: Iterable[Record],
        collection: str,
        report: Progress,
        approval: Approval | None,
    ) -> Changes:
        """Write all collections in the order of their names, and switch."""
        changes = Changes()
        for name in sorted({*self.collections, collection}):
            if name == collection:
                changes = self._add(records, name, report, approval)
            else:
                self._take(name)
        corpus = sha256()
        for row in self._run(
            "select collection, id, content from anamnesis.records where generation = %s "
            'order by collection collate "C", id collate "C"',
            (self._new,),
        ):
            corpus.update("\0".join(row).encode() + b"\n")
        told = corpus.hexdigest()
        if self._manifest is not None and told == self._manifest.corpus and approval is None:
            self._draft.delete(self._new)
            return changes
        report("writing", 0, self._draft.rows)
        assert self._made is not None  # a collection is taken out of an index that is there
        self._draft.index()
        self._draft.switch(told, self._made)
        report("writing", self._draft.rows, self._draft.rows)
        return changes

    def _add(
        self, records: Iterable[Record], collection: str, report: Progress,
        approval: Approval | None,
    ) -> Changes:  # fmt: skip
        old = {
            key: (own, content, passages)
            for key, own, content, passages in self._run(
                "select id, collection, content, passages from anamnesis.records "
                "where generation = %s",
                (self.old,),
            )
        }
        seen: dict[str, str] = {}
        fresh: list[Record] = []
        kept: list[tuple[str, int]] = []
        first: dict[str, int] = {}
        by, at = approval or Approval("", "")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        noted: list[tuple[Any, ...]] = []
        changed = 0
        split: dict[str, list[Passage]] = {}
        given: list[Record] = []
        for record in records:
            content = content_of(record)
            _check(record, content, seen.get(record.id), old.get(record.id), collection)
            if record.id in seen:
                continue
            seen[record.id] = content
            given.append(record)
            if record.id in old and old[record.id][1] == content:
                continue
            fresh.append(record)
            changed += record.id in old
        if fresh and self._embedder is not None:
            for passage in split_all(fresh, self._embedder.count_tokens, self._embedder.window):
                split.setdefault(passage.record_id, []).append(passage)
        for record in given:
            first[record.id] = self._draft.rows
            new = record.id in split
            count = len(split[record.id]) if new else old[record.id][2]
            if not new:
                kept.append((record.id, self._draft.rows))
            noted.append(
                (self._new, record.id, collection, seen[record.id], self._draft.rows, count,
                 record.origin, record.sha256, now, by, at)
            )  # fmt: skip
            self._draft.rows += count
        self._draft.copy("records", noted)
        self._move(kept, approval is None)
        embedded = self._embed(split, first, collection, report)
        report("reading", len(given), None)
        mine = [key for key, (own, *_) in old.items() if own == collection]
        return Changes(
            len(fresh) - changed, changed, sum(key not in seen for key in mine), len(kept), embedded
        )

    def _move(self, kept: list[tuple[str, int]], as_known: bool) -> None:
        """Take the passages of unchanged records over, and where these came from."""
        if not kept:
            return
        self._run("create temp table moved (id text, first int) on commit drop")
        with self._connection.cursor().copy("copy moved from stdin") as copy:
            for row in kept:
                copy.write_row(row)
        self._run(
            "insert into anamnesis.passages select %s, p.ordinal - r.first + m.first, p.id, "
            "p.record_id, p.collection, p.digest, p.body, p.vector from anamnesis.passages p "
            "join moved m on m.id = p.record_id join anamnesis.records r "
            "on r.generation = p.generation and r.id = p.record_id where p.generation = %s",
            (self._new, self.old),
        )
        if as_known:
            self._run(
                "update anamnesis.records n set origin = o.origin, sha256 = o.sha256, "
                "indexed = o.indexed, approved_by = o.approved_by, approved = o.approved "
                "from anamnesis.records o join moved m on m.id = o.id "
                "where n.generation = %s and o.generation = %s and n.id = o.id",
                (self._new, self.old),
            )

    def _embed(
        self, split: Mapping[str, list[Passage]], first: Mapping[str, int], collection: str,
        report: Progress,
    ) -> int:  # fmt: skip
        """Embed and write new passages, equal ones once; how many were embedded."""
        distinct = {vector_key(own): own.embedded for pages in split.values() for own in pages}
        done = 0

        def tell(count: int) -> None:
            nonlocal done
            done += count
            report("embedding", done, len(distinct))

        if distinct and self._embedder is not None:
            made = self._embedder.embed_documents(list(distinct.values()), tell)
            vectors = dict(zip(distinct, made, strict=True))
            self._draft.copy(
                "passages",
                (
                    (self._new, first[key] + number, own.id, key, collection, own.digest,
                     json.dumps(own.to_json()),
                     json.dumps([float(value) for value in vectors[vector_key(own)]]))
                    for key, pages in split.items()
                    for number, own in enumerate(pages)
                ),
            )  # fmt: skip
        return len(distinct)

    def _take(self, collection: str) -> None:
        """Take a whole collection over."""
        row = self._run(
            "select min(first), coalesce(sum(passages), 0) from anamnesis.records "
            "where generation = %s and collection = %s",
            (self.old, collection),
        ).fetchone()
        moved = self._draft.rows - (row[0] or 0)
        given = (self._new, moved, self.old, collection)
        self._run(
            "insert into anamnesis.records select %s, id, collection, content, first + %s, "
            "passages, origin, sha256, indexed, approved_by, approved from anamnesis.records "
            "where generation = %s and collection = %s",
            given,
        )
        self._run(
            "insert into anamnesis.passages select %s, ordinal + %s, id, record_id, collection, "
            "digest, body, vector from anamnesis.passages "
            "where generation = %s and collection = %s",
            given,
        )
        self._draft.rows += int(row[1])


def _check(
    record: Record, content: str, seen: str | None, old: tuple[str, str, int] | None,
    collection: str,
) -> None:  # fmt: skip
    """Raise CorpusError for a record that cannot be written."""
    if record.kind == "fact":
        raise CorpusError(
            f"Record {record.id!r} of collection {collection!r} is a fact. PostgreSQL holds "
            "passages; put facts into an index folder."
        )
    if "\0" in record.id or well_formed(record.id) != record.id:
        raise CorpusError(f"Record {record.id!r} has an id that no database can hold; change it.")
    if seen not in (None, content):
        raise CorpusError(
            f"Two records with different contents have the id {record.id!r}. "
            "Give each record an id of its own."
        )
    if old and old[0] != collection:
        raise CorpusError(
            f"Record {record.id!r} of collection {collection!r} is in collection {old[0]!r} of the "
            "index already. Give the records ids of their own, or take one of the collections out."
        )
