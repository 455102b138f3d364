"""A new generation of a corpus in PostgreSQL while it is made, within a transaction."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, LiteralString

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.record import Record
from anamnesis.models.bounded_cache import BoundedCache
from anamnesis.models.embedding import Embedder
from retrievers import postgres_textsearch as textsearch
from retrievers.build import Progress
from retrievers.dense import Vectors
from retrievers.manifest import Collection, EmbedderId, new_manifest
from retrievers.names import places_of
from retrievers.postgres_migrations import LOCKS
from retrievers.postgres_tables import (
    VECTORS,
    copy,
    copy_postings,
    copy_vectors,
    create,
    drop,
    finish,
    named,
    row_of,
    storable,
    table_of,
)
from retrievers.provenance import Approval
from retrievers.sparse import TOKENIZER, write_sparse
from retrievers.store import vector_key

_AT_ONCE = 2_000

_KEPT = 20_000  # vectors, some 30 MB: equal texts are embedded once


class Draft:
    """The new generation: its number, and how many passages it has so far."""

    def __init__(self, connection: Any, made: EmbedderId) -> None:
        self.connection, self.made = connection, made
        row = connection.execute("select nextval('anamnesis.generations_id_seq')").fetchone()
        self.number = int(row[0])
        self.rows = 0
        self.textsearch = False
        self.first_fact: int | None = None  # set when all passages other than facts are written
        create(connection, self.number, made.dimensions)

    def write_words(self) -> None:
        """Write the words and their weights, the same as in an index folder."""
        with tempfile.TemporaryDirectory() as folder:
            write_sparse((item.indexed for item in self._pages(0, self._last)), Path(folder))
            new_words = {
                name: np.load(Path(folder) / f"{name}.npy", allow_pickle=False)
                for name in ("terms", "idf", "starts", "rows", "weights")
            }
        text = new_words["terms"].tobytes().decode("utf-8")
        words = text.split("\n") if text else []
        sizes = np.diff(new_words["starts"])
        terms = zip(
            range(len(words)), words, sizes.tolist(), new_words["idf"].tolist(), strict=True
        )
        copy(self.connection, "terms", self.number, terms)
        self.textsearch = self._last >= textsearch.FROM and textsearch.usable(self.connection)
        if self.textsearch:
            self._write_texts()
        else:
            numbers = np.repeat(np.arange(len(words), dtype=np.int32), sizes)
            copy_postings(
                self.connection, self.number, numbers, new_words["rows"], new_words["weights"]
            )

    def _write_texts(self) -> None:
        for start in range(0, self._last, _AT_ONCE):
            pages = list(self._pages(start, min(start + _AT_ONCE, self._last)))
            rows = (
                (start + place, textsearch.text_of(item.indexed))
                for place, item in enumerate(pages)
            )
            copy(self.connection, "texts", self.number, rows)
        textsearch.make_index(self.connection, self.number)

    def write_names(self) -> None:
        """Write the names of the facts, with their places."""
        for start in range(self._last, self.rows, _AT_ONCE):
            # Everything is read before the first row is written: a connection does one thing at a
            # time.
            pages = list(self._pages(start, min(start + _AT_ONCE, self.rows)))
            first = 2 * (start - self._last)
            found = places_of(item.names for item in pages)
            copy(
                self.connection, "names", self.number,
                ((name, first + place) for name, place in found),
            )  # fmt: skip

    @property
    def vectors(self) -> LiteralString:
        """The table for the vectors of the passages or facts that are being added."""
        return VECTORS[self.first_fact is not None]

    @property
    def _last(self) -> int:
        """The position after the last passage that is not a fact."""
        return self.rows if self.first_fact is None else self.first_fact

    def switch(self, corpus: str, facts: Mapping[str, bool]) -> None:
        """Make it the current generation, and delete generations that nobody reads any more.

        ``facts`` says for each collection whether it consists of facts.
        """
        run = self.connection.execute
        last = self.rows - self._last
        near = finish(self.connection, self.number, self.rows, self.made.dimensions, last)
        counts = run(
            named(
                "select collection, count(*), sum(passages) from {records} "
                "group by collection order by collection",
                self.number,
            )
        ).fetchall()
        collections = {
            name: Collection(item, int(rows), facts[name]) for name, item, rows in counts
        }
        name = str(self.number)
        manifest = new_manifest(name, self.made, corpus, collections, TOKENIZER, {})
        said = json.dumps(asdict(manifest))
        run(
            "insert into anamnesis.generations (id, manifest, near, textsearch) "
            "values (%s, %s, %s, %s)",
            (self.number, said, near, self.textsearch),
        )
        run(
            "insert into anamnesis.state (generation) values (%s) "
            "on conflict (one) do update set generation = excluded.generation",
            (self.number,),
        )
        others = run(
            "select id from anamnesis.generations where id <> %s", (self.number,)
        ).fetchall()
        for (generation,) in others:
            # An open reader holds a lock on its own generation.
            free = "select pg_try_advisory_xact_lock(%s, %s)"
            if run(free, (LOCKS, generation)).fetchone()[0]:
                drop(self.connection, generation)

    def _pages(self, first: int, last: int) -> Iterator[Passage]:
        """The passages from the first place to the last, which is excluded."""
        for start in range(first, last, _AT_ONCE):
            bodies = self.connection.execute(
                named(
                    "select body from {passages} where ordinal >= %s and ordinal < %s "
                    "order by ordinal",
                    self.number,
                ),
                (start, min(start + _AT_ONCE, last)),
            ).fetchall()
            yield from (Passage.from_json(json.loads(body)) for (body,) in bodies)


class Noting:
    """The data that a run stores about its records."""

    def __init__(self, approval: Approval) -> None:
        self._approval = approval
        self._now = datetime.now(UTC).isoformat(timespec="seconds")

    def row(
        self, record: Record, collection: str, content: str, first: int, count: int
    ) -> tuple[Any, ...]:
        """A record as a row of its table."""
        origin, (by, at) = storable(record.origin), self._approval
        return (
            record.id, collection, content, first, count, origin, record.sha256, self._now, by, at
        )  # fmt: skip


class NewPassages:
    """The new passages of a generation, and their vectors; each text is embedded once."""

    def __init__(self, draft: Draft, old: int) -> None:
        """``old`` is the previous generation, whose vectors are reused; 0 if there is none."""
        self._draft, self._old = draft, old
        self._waiting: list[tuple[int, str, Passage]] = []
        self._kept = BoundedCache[Vectors](_KEPT)
        self.embedded = 0
        if old:
            draft.connection.execute(
                "create temp table fresh (ordinal int, key uuid) on commit drop"
            )

    def add(self, passages: Sequence[Passage], collection: str) -> None:
        """Give the passages their places."""
        for item in passages:
            self._waiting.append((self._draft.rows, collection, item))
            self._draft.rows += 1

    def write(self, embedder: Embedder, report: Progress) -> None:
        """Write the passages that were added."""
        if not self._waiting:
            return
        connection, number = self._draft.connection, self._draft.number
        rows = (row_of(place, item, collection) for place, collection, item in self._waiting)
        copy(connection, "passages", number, rows)
        keys = {place: vector_key(item) for place, _, item in self._waiting}
        texts = {vector_key(item): item.embedded for _, _, item in self._waiting}
        done = self._taken_over(keys) if self._old else set()
        left = {place: key for place, key in keys.items() if place not in done}
        before = self.embedded

        def advance(count: int) -> None:
            nonlocal before
            before += count
            report("embedding", before, None)

        def embedded(missing: list[int]) -> list[Vectors]:
            self.embedded += len(missing)
            return [*embedder.embed_documents([texts[wanted[place]] for place in missing], advance)]

        if wanted := list(left.values()):
            vectors = np.stack(self._kept.get_or_make(wanted, embedded))
            places = np.fromiter(left, np.int64, len(left))
            copy_vectors(connection, self._draft.vectors, number, places, vectors)
        self._waiting.clear()

    def _taken_over(self, keys: Mapping[int, bytes]) -> set[int]:
        """Copy the vectors that the previous generation has; returns the places that got one."""
        run = self._draft.connection.execute
        run("truncate fresh")
        with self._draft.connection.cursor().copy("copy fresh from stdin") as into:
            for place, key in keys.items():
                into.write_row((place, key.hex()))
        run("analyze fresh")
        table = self._draft.vectors
        rows = run(
            named(
                "insert into {" + table + "} select f.ordinal, o.vector from fresh f, lateral "
                "(select v.vector from {old_passages} p join {old_vectors} v using (ordinal) "
                "where p.key = f.key limit 1) o returning ordinal",
                self._draft.number,
                old_passages=table_of("passages", self._old),
                old_vectors=table_of(table, self._old),
            )
        ).fetchall()
        return {place for (place,) in rows}
