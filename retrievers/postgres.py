"""A corpus in PostgreSQL with pgvector: one database that many processes ask (R1, R2).

BM25 is a table of postings with the weights that the files have, so that scores are equal and no
extension but pgvector is needed. Vectors are compared exactly. A reader sees one generation, which
stays for as long as it is open; a writer makes the next one and switches in the same transaction.
Facts are kept in an index folder.

Deleted text is gone from every answer at once. PostgreSQL overwrites it on disk at VACUUM, and its
write-ahead log and backups keep it for as long as the operator keeps those.
"""

import json
import math
import threading
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, LiteralString

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.errors import IndexFolderError
from anamnesis.language.text import tokenize, well_formed
from anamnesis.models.embedding import Embedder
from retrievers.corpus import Found, List, all_of
from retrievers.dense import Vectors
from retrievers.manifest import Manifest, made_otherwise, manifest_of
from retrievers.postgres_tables import LOCKS, migrate
from retrievers.postgres_writing import PostgresWriter
from retrievers.provenance import Provenance
from retrievers.spelling import Speller

_AT_ONCE = 200  # passages that are read together where fewer may do
_CONNECTIONS = 8


class PostgresEngine:
    """A database that holds a corpus: opened for reading, and for writing."""

    def __init__(
        self, address: str, embedder: Embedder, *, connections: int = _CONNECTIONS
    ) -> None:
        """Connect to ``address`` (``postgresql://…``), and make the tables if they are not there.

        Raises IndexFolderError if the server cannot be reached, or pgvector or a right is missing.
        """
        try:
            import psycopg
            from psycopg_pool import ConnectionPool
        except ModuleNotFoundError as error:
            raise IndexFolderError(
                f"PostgreSQL needs {error.name}: pip install 'anamnesis[postgres]'"
            ) from error
        self.embedder = embedder
        try:
            # One attempt of its own says at once what a pool would try again in silence.
            with psycopg.connect(address, autocommit=True) as connection:
                self.name = f"PostgreSQL at {connection.info.host}/{connection.info.dbname}"
                migrate(connection, self.name)
        except psycopg.Error as error:
            # The address may hold a password: psycopg's own words do not.
            raise IndexFolderError(
                f"The PostgreSQL server cannot be used: {str(error).strip()}. See that it runs, "
                "and that the address names a database and a role that may create tables in it"
            ) from error
        self._address = address
        self.pool = ConnectionPool(
            address,
            min_size=1,
            max_size=connections,
            kwargs={"autocommit": True},
            check=ConnectionPool.check_connection,
            open=True,
        )
        self._lock = threading.Lock()
        self._opened: PostgresCorpus | None = None

    def corpus(self) -> "PostgresCorpus":
        """The generation that answers now. Raises IndexFolderError if there is none yet."""
        with self._lock:
            while True:
                generation = self._current()
                if self._opened is not None and self._opened.generation == generation:
                    return self._opened
                opened = self._open(generation)
                if opened is not None:
                    self._opened = opened
                    return opened

    def writer(self) -> PostgresWriter:
        """What makes the next generation."""
        return PostgresWriter(self.pool, lambda: self.embedder, self.name)

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
        self.pool.close()

    def _current(self) -> int:
        with self.pool.connection() as connection:
            row = connection.execute("select generation from anamnesis.state").fetchone()
        if row is None:
            raise IndexFolderError(f"There is no index in {self.name} yet. Write one with writer()")
        return int(row[0])

    def _open(self, generation: int) -> "PostgresCorpus | None":
        import psycopg

        holder = psycopg.connect(self._address, autocommit=True)
        # Held for as long as the reader: no writer removes the generation meanwhile.
        holder.execute("select pg_advisory_lock_shared(%s, %s)", (LOCKS, generation))
        row = holder.execute(
            "select manifest from anamnesis.generations where id = %s", (generation,)
        ).fetchone()
        if row is None:  # a newer one took its place just now
            holder.close()
            return None
        manifest = manifest_of(row[0])
        if manifest.embedder.fingerprint != self.embedder.fingerprint:
            holder.close()
            raise made_otherwise(
                self.name, manifest.embedder, self.embedder.reference, self.embedder.fingerprint
            )
        return PostgresCorpus(self, generation, manifest, holder)


class PostgresCorpus:
    """One generation, read only. Safe to use from several threads."""

    further: ClassVar[Mapping[str, List]] = {}

    def __init__(
        self, engine: PostgresEngine, generation: int, manifest: Manifest, holder: Any
    ) -> None:
        """See ``PostgresEngine.corpus``; ``holder`` is the connection that keeps the generation."""
        self.generation, self.manifest = generation, manifest
        self._engine = engine
        self._speller: Speller | None = None
        self.close = weakref.finalize(self, holder.close)

    def __len__(self) -> int:
        """The number of passages."""
        return self.manifest.passages

    @property
    def embedder(self) -> Embedder:
        """What embeds the queries."""
        return self._engine.embedder

    @property
    def speller(self) -> Speller:
        """What repairs words that the passages do not have."""
        if self._speller is None:
            rows = self._rows(
                "select term, df from anamnesis.terms where generation = %(generation)s"
            )
            self._speller = Speller(dict(rows))
        return self._speller

    def sparse(self, words: str, k: int) -> list[Found]:
        """The best ``k`` passages for the words (R1)."""
        counts = Counter(tokenize(words))
        rows = self._rows(
            "select id, score, digest from (select ordinal, sum(weight * times) as score "
            "from anamnesis.postings join unnest(%(terms)s::text[], %(times)s::float8[]) "
            "as asked(term, times) using (term) where generation = %(generation)s "
            "group by ordinal having sum(weight * times) > 0 "
            # The order of a sum is the server's: what differs by less is equal.
            "order by round(sum(weight * times) * 1e9) desc, ordinal limit %(k)s) as best "
            "join anamnesis.passages using (ordinal) where generation = %(generation)s "
            "order by round(score * 1e9) desc, ordinal",
            terms=list(counts),
            times=[float(own) for own in counts.values()],
            k=max(k, 0),
        )
        return [Found(*row) for row in rows]

    def dense(self, vector: Vectors, k: int) -> list[Found]:
        """The best ``k`` passages by the inner product with a vector (dimensions,) (R2)."""
        rows = self._rows(
            "select id, -(vector <#> %(vector)s::vector) as score, digest "
            "from anamnesis.passages where generation = %(generation)s "
            "order by score desc, ordinal limit %(k)s",
            vector=json.dumps([float(own) for own in vector]),
            k=max(k, 0),
        )
        return [Found(*row) for row in rows]

    def facts(self, *asked: Any, **how: Any) -> list[Found]:
        """None: facts are kept in an index folder."""
        return []

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages that are held, by id."""
        rows = self._rows(
            "select id, body from anamnesis.passages "
            "where generation = %(generation)s and id = any(%(ids)s)",
            # What no text of the database can be is not there.
            ids=[own for own in ids if "\0" not in own and well_formed(own) == own],
        )
        return {key: Passage.from_json(json.loads(body)) for key, body in rows}

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages in the order of ``ids``; SettingError if one is not held."""
        return all_of(ids, self.find(ids))

    def provenance(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        """Where records came from, by id."""
        rows = self._rows(
            "select id, origin, sha256, indexed, approved_by, approved from anamnesis.records "
            "where generation = %(generation)s and id = any(%(ids)s)",
            ids=[own for own in record_ids if "\0" not in own and well_formed(own) == own],
        )
        return {
            key: {
                "origin": origin,
                "sha256": sha256,
                "indexed": indexed,
                "approved_by": by,
                "approved": approved,
            }
            for key, origin, sha256, indexed, by, approved in rows
        }

    def idf(self, terms: Sequence[str]) -> list[float]:
        """How rare each lower-case word is in the passages; see ``SparseIndex.idf``."""
        known = dict(
            self._rows(
                "select term, idf from anamnesis.terms "
                "where generation = %(generation)s and term = any(%(terms)s)",
                terms=list(terms),
            )
        )
        unknown = math.log(len(self) + 0.5) - math.log(0.5)
        return [max(0.0, known.get(term, unknown)) for term in terms]

    def words(self, beginning: str) -> list[str]:
        """The lower-case words of the passages that begin so, sorted."""
        rows = self._rows(
            "select term from anamnesis.terms where generation = %(generation)s "
            "and starts_with(term, %(beginning)s) order by term",
            beginning=beginning,
        )
        return [term for (term,) in rows]

    def naming(self, *kinds: Iterable[str], most: int = 20_000) -> Iterator[Passage]:
        """All passages that have a word of each of the ``kinds``; see ``Corpus.naming``."""
        wanted: set[int] | None = None
        for words in kinds:
            rows = self._rows(
                "select distinct ordinal from anamnesis.postings "
                "where generation = %(generation)s and term = any(%(terms)s)",
                terms=list(words),
            )
            having = {ordinal for (ordinal,) in rows}
            wanted = having if wanted is None else wanted & having
        ordinals = sorted(wanted or ())
        if len(ordinals) > most:
            places = np.linspace(0, len(ordinals) - 1, most).astype(np.intp)
            ordinals = [ordinals[place] for place in places]
        for start in range(0, len(ordinals), _AT_ONCE):
            rows = self._rows(
                "select body from anamnesis.passages where generation = %(generation)s "
                "and ordinal = any(%(ordinals)s) order by ordinal",
                ordinals=ordinals[start : start + _AT_ONCE],
            )
            yield from (Passage.from_json(json.loads(body)) for (body,) in rows)

    def writer(self) -> PostgresWriter:
        """What makes the next generation."""
        return self._engine.writer()

    def _rows(self, query: LiteralString, **given: Any) -> list[Any]:
        with self._reading(), self._engine.pool.connection() as connection:
            return connection.execute(query, {**given, "generation": self.generation}).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Raise IndexFolderError where the server does not answer."""
        import psycopg
        from psycopg_pool import PoolTimeout

        try:
            yield
        except (psycopg.Error, PoolTimeout) as error:
            raise IndexFolderError(
                f"{self._engine.name} did not answer ({type(error).__name__}: "
                f"{str(error).strip()}). See that it runs, and ask again"
            ) from error
