"""Writes a corpus into PostgreSQL: a new generation that replaces the old one at the end."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, LiteralString

from anamnesis.corpus.passage import Passage, split_all
from anamnesis.corpus.record import Record
from anamnesis.errors import IndexFolderError, SettingError
from anamnesis.models.embedding import Embedder
from retrievers.build import Changes, Progress, batches, check_collection, content_of, corpus_hash
from retrievers.corpus import Accept, Corpus
from retrievers.kinds import kinds, of_one_kind
from retrievers.manifest import EmbedderId, made_otherwise, manifest_of
from retrievers.postgres_generation import Draft, NewPassages, Noting
from retrievers.postgres_migrations import LOCKS
from retrievers.postgres_tables import TABLES, copy, drop, named, table_of
from retrievers.provenance import Approval
from retrievers.server_records import check

_RECORDS_AT_ONCE = 2_048
_NONE = ("", "", 0)


class PostgresWriter:
    """Makes the next generation; unchanged data are copied from the previous one."""

    def __init__(
        self,
        connected: Callable[[], AbstractContextManager[Any]],
        embedder: Callable[[], Embedder],
        name: str,
        drafted: Callable[[Any, Embedder], Corpus],
    ) -> None:
        """``connected`` returns a connection for a write.

        ``drafted`` returns the corpus as a transaction has written it so far.
        """
        self._connected, self._drafted = connected, drafted
        self._embedder, self._name = embedder, name

    def put(
        self,
        records: Iterable[Record],
        collection: str,
        progress: Progress | None = None,
        *,
        rebuild: bool = False,
        approval: Approval | None = None,
        accept: Accept | None = None,
    ) -> Changes:
        """Store exactly ``records`` as the collection, in one transaction.

        Raises SettingError, CorpusError and IndexFolderError as ``retrievers.build.build`` does.
        """
        check_collection(collection)
        return self._write(records, collection, progress, rebuild, approval, accept)

    def remove(self, collection: str) -> Changes:
        """Remove a collection; SettingError if no collection has that name."""
        return self._write([], collection, None, False, None, there=True)

    def content_hashes(self) -> dict[str, str]:
        """The content hash of each stored record; see ``Writer.content_hashes``."""
        from retrievers.postgres_connections import without_limits

        with self._connected() as connection, connection.transaction():
            without_limits(connection)
            row = connection.execute("select generation from anamnesis.state").fetchone()
            query = "select id, content from {records}"
            return dict(connection.execute(named(query, row[0])).fetchall()) if row else {}

    def _write(
        self,
        records: Iterable[Record],
        collection: str,
        progress: Progress | None,
        rebuild: bool,
        approval: Approval | None,
        accept: Accept | None = None,
        there: bool = False,
    ) -> Changes:
        import psycopg

        from retrievers.postgres_connections import without_limits

        try:
            with self._connected() as connection, connection.transaction():
                without_limits(connection)
                writing = "select pg_try_advisory_xact_lock(%s, 0)"
                if not connection.execute(writing, (LOCKS,)).fetchone()[0]:
                    raise IndexFolderError(
                        f"Another run is writing the index in {self._name}. Wait until it has ended"
                    )
                embedder = None if there else self._embedder()
                made = _Update(connection, embedder, self._name, rebuild)
                if there and collection not in made.collections:
                    known = ", ".join(made.collections) or "none"
                    raise SettingError(
                        f"{self._name} has no collection {collection!r}. It has: {known}."
                    )
                report: Progress = progress or (lambda stage, done, total: None)
                changes = made.write(records, collection, report, approval)
                if accept is not None and embedder is not None:
                    accept(self._drafted(connection, embedder))
                return changes
        except psycopg.errors.InsufficientPrivilege as error:
            raise IndexFolderError(
                f"{self._name} does not let this role write the index: {str(error).strip()}. It is "
                "as it was before. Index with the role that owns its tables (OWNER), or have an "
                "administrator run: grant OWNER to ROLE"
            ) from error
        except psycopg.Error as error:
            raise IndexFolderError(
                f"Writing the index in {self._name} failed: {str(error).strip()}. It is as it was "
                "before; remove the cause and run the same command again"
            ) from error


class _Update:
    """The changes of a run, within a transaction."""

    def __init__(
        self, connection: Any, embedder: Embedder | None, name: str, rebuild: bool
    ) -> None:
        """``embedder`` is None if a collection is removed."""
        self._connection, self._embedder = connection, embedder
        row = connection.execute(
            "select id, manifest from anamnesis.state join anamnesis.generations on id = generation"
        ).fetchone()
        self.old: int = row[0] if row and not rebuild else 0
        manifest = manifest_of(row[1]) if self.old else None
        self._manifest = manifest
        self.collections: Mapping[str, Any] = manifest.collections if manifest else {}
        if embedder is not None:
            made = EmbedderId.of(embedder)
        elif manifest is not None:
            made = manifest.embedder
        else:
            made = EmbedderId("", "", 1, 0)  # there is nothing, and nothing is written
        if manifest is not None:
            was = manifest.embedder
            if (was.fingerprint, was.window) != (made.fingerprint, made.window):
                raise made_otherwise(name, was, made.reference, made.fingerprint)
        self._draft = Draft(connection, made)
        self._pages = NewPassages(self._draft, self.old)

    def write(
        self,
        records: Iterable[Record],
        collection: str,
        report: Progress,
        approval: Approval | None,
    ) -> Changes:
        """Write all collections in the order of their names, facts last, and switch."""
        changes = Changes()
        records, facts = kinds(records, collection, self._manifest)
        for name in sorted(facts, key=lambda name: (facts[name], name)):
            if facts[name] and self._draft.first_fact is None:
                self._draft.first_fact = self._draft.rows
            if name == collection:
                alike = of_one_kind(records, collection, facts[name])
                changes = self._add(alike, name, report, approval)
            else:
                self._take(name)
        rows = self._execute("select collection, id, content from {records} order by 1, 2")
        digest = corpus_hash(rows)
        if self._manifest and digest == self._manifest.corpus and approval is None:
            drop(self._connection, self._draft.number)
            return changes
        report("writing", 0, self._draft.rows)
        self._draft.write_words()
        self._draft.write_names()
        self._draft.switch(digest, facts)
        report("writing", self._draft.rows, self._draft.rows)
        return changes

    def _add(
        self, records: Iterable[Record], collection: str, report: Progress,
        approval: Approval | None,
    ) -> Changes:  # fmt: skip
        old = self._known()
        seen: dict[str, str] = {}
        kept: list[tuple[str, int]] = []
        changed = read = 0
        noting = Noting(approval or Approval("", ""))
        for batch in batches(records, _RECORDS_AT_ONCE):
            given = []
            for record in batch:
                content = content_of(record)
                before = old.get(record.id)
                check(record, content, seen.get(record.id), before, collection)
                if record.id not in seen:
                    seen[record.id] = content
                    given.append(record)
            fresh = [item for item in given if old.get(item.id, _NONE)[1] != seen[item.id]]
            changed += sum(item.id in old for item in fresh)
            split: dict[str, list[Passage]] = {item.id: [] for item in fresh}
            if fresh and self._embedder is not None:
                for passage in split_all(fresh, self._embedder.count_tokens, self._embedder.window):
                    split[passage.record_id].append(passage)
            noted = []
            for record in given:
                first, pages = self._draft.rows, split.get(record.id)
                if pages is None:
                    kept.append((record.id, first))
                    self._draft.rows += old[record.id][2]
                else:
                    self._pages.add(pages, collection)
                count = self._draft.rows - first
                noted.append(noting.row(record, collection, seen[record.id], first, count))
            copy(self._connection, "records", self._draft.number, noted)
            read += len(given)
            report("reading", read, None)
            if self._embedder is not None:
                self._pages.write(self._embedder, report)
        self._move(kept, approval is None)
        mine = [key for key, (item, *_) in old.items() if item == collection]
        gone = sum(key not in seen for key in mine)
        new = len(seen) - len(kept) - changed
        return Changes(new, changed, gone, len(kept), self._pages.embedded)

    def _known(self) -> dict[str, tuple[str, str, int]]:
        """The records of the previous generation: collection, content and number of passages."""
        if not self.old:
            return {}
        rows = self._connection.execute(
            named("select id, collection, content, passages from {records}", self.old)
        )
        return {key: item for key, *item in rows}

    def _move(self, kept: list[tuple[str, int]], as_known: bool) -> None:
        """Copy the passages of unchanged records, and their provenance."""
        if not kept:
            return
        run = self._connection.execute
        run('create temp table moved (id text collate "C", first int) on commit drop')
        with self._connection.cursor().copy("copy moved from stdin") as into:
            for row in kept:
                into.write_row(row)
        run("analyze moved")
        joined = (
            " from {old_passages} p join moved m on m.id = p.record_id "
            "join {old_records} r on r.id = p.record_id "
        )
        self._execute(
            "insert into {passages} select p.ordinal - r.first + m.first, p.id, p.record_id, "
            "p.collection, p.digest, p.key, p.source, p.kind, p.dated, p.access, p.body" + joined
        )
        self._execute(
            "insert into {" + self._draft.vectors + "} "
            "select p.ordinal - r.first + m.first, v.vector"
            + joined
            + "join {old_"
            + self._draft.vectors
            + "} v on v.ordinal = p.ordinal"
        )
        if as_known:
            self._execute(
                "update {records} n set origin = o.origin, sha256 = o.sha256, "
                "indexed = o.indexed, approved_by = o.approved_by, approved = o.approved "
                "from {old_records} o join moved m on m.id = o.id where n.id = o.id"
            )

    def _take(self, collection: str) -> None:
        """Copy a whole collection."""
        row = self._execute(
            "select min(first), coalesce(sum(passages), 0) from {old_records} "
            "where collection = %s",
            collection,
        ).fetchone()
        moved = self._draft.rows - (row[0] or 0)
        self._execute(
            "insert into {records} select id, collection, content, first + %s, passages, origin, "
            "sha256, indexed, approved_by, approved from {old_records} where collection = %s",
            moved, collection,
        )  # fmt: skip
        self._execute(
            "insert into {passages} select ordinal + %s, id, record_id, collection, digest, key, "
            "source, kind, dated, access, body from {old_passages} where collection = %s",
            moved, collection,
        )  # fmt: skip
        self._execute(
            "insert into {" + self._draft.vectors + "} select v.ordinal + %s, v.vector "
            "from {old_" + self._draft.vectors + "} v "
            "join {old_passages} p on p.ordinal = v.ordinal where p.collection = %s",
            moved, collection,
        )  # fmt: skip
        self._draft.rows += int(row[1])

    def _execute(self, query: LiteralString, *given: Any) -> Any:
        """Run a query on the tables of the new and the previous generation."""
        old = {f"old_{table}": table_of(table, self.old) for table in TABLES}
        return self._connection.execute(named(query, self._draft.number, **old), given)
