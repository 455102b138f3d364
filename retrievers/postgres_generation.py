"""A generation of a corpus in PostgreSQL that is being made, within a transaction."""

import json
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from anamnesis.corpus.passage import Passage
from retrievers.manifest import SCHEMA, Collection, EmbedderId, Manifest, program
from retrievers.postgres_tables import LOCKS, TABLES
from retrievers.sparse import TOKENIZER, write_sparse


class Draft:
    """The new generation: its number, and how many passages it has so far."""

    def __init__(self, connection: Any) -> None:
        self.connection, self.run = connection, connection.execute
        row = self.run("select nextval('anamnesis.generations_id_seq')").fetchone()
        self.number = int(row[0])
        self.rows = 0

    def index(self) -> None:
        """Write the words and their weights, as an index folder has them."""
        bodies = self.run(
            "select body from anamnesis.passages where generation = %s order by ordinal",
            (self.number,),
        )
        texts = (Passage.from_json(json.loads(body)).indexed for (body,) in bodies)
        with tempfile.TemporaryDirectory() as folder:
            write_sparse(texts, Path(folder))
            own = {
                name: np.load(Path(folder) / f"{name}.npy", allow_pickle=False)
                for name in ("terms", "idf", "starts", "rows", "weights")
            }
        text = own["terms"].tobytes().decode("utf-8")
        words = text.split("\n") if text else []
        sizes = np.diff(own["starts"]).tolist()
        idf = own["idf"].tolist()
        self.copy("terms", ((self.number, *row) for row in zip(words, sizes, idf, strict=True)))
        terms = (word for word, size in zip(words, sizes, strict=True) for _ in range(size))
        postings = zip(terms, own["rows"].tolist(), own["weights"].tolist(), strict=True)
        self.copy("postings", ((self.number, *row) for row in postings))

    def switch(self, corpus: str, made: EmbedderId) -> None:
        """Have readers that come now read it, and delete what nobody reads any more."""
        counts = self.run(
            "select collection, count(*), sum(passages) from anamnesis.records "
            "where generation = %s group by collection order by collection",
            (self.number,),
        ).fetchall()
        collections = {name: Collection(own, int(rows)) for name, own, rows in counts}
        manifest = Manifest(
            schema=SCHEMA,
            program=program(),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            generation=str(self.number),
            corpus=corpus,
            records=sum(own.records for own in collections.values()),
            passages=self.rows,
            tokenizer=TOKENIZER,
            embedder=made,
            collections=collections,
            files={},
        )
        said = json.dumps(asdict(manifest))
        self.run("insert into anamnesis.generations values (%s, %s)", (self.number, said))
        self.run(
            "insert into anamnesis.state (generation) values (%s) "
            "on conflict (one) do update set generation = excluded.generation",
            (self.number,),
        )
        others = self.run(
            "select id from anamnesis.generations where id <> %s", (self.number,)
        ).fetchall()
        for (generation,) in others:
            # A reader that is open holds its own.
            free = "select pg_try_advisory_xact_lock(%s, %s)"
            if self.run(free, (LOCKS, generation)).fetchone()[0]:
                self.delete(generation)

    def delete(self, generation: int) -> None:
        """Delete a generation."""
        for table in TABLES:
            self.run(f"delete from anamnesis.{table} where generation = %s", (generation,))
        self.run("delete from anamnesis.generations where id = %s", (generation,))

    def copy(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Load rows into a table."""
        with self.connection.cursor().copy(f"copy anamnesis.{table} from stdin") as copy:
            for row in rows:
                copy.write_row(row)
