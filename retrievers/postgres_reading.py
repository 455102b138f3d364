"""One generation of a corpus in PostgreSQL, as it is read."""

import json
import math
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, LiteralString, Protocol

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.language.text import tokenize, well_formed
from anamnesis.models.embedding import Embedder
from retrievers.corpus import Found, List, all_of
from retrievers.dense import Vectors
from retrievers.manifest import Manifest
from retrievers.postgres_writing import PostgresWriter
from retrievers.provenance import Provenance
from retrievers.spelling import Speller

_AT_ONCE = 200  # passages that are read together where fewer may do


class Server(Protocol):
    """What a generation is read by."""

    def asking(self) -> AbstractContextManager[Any]:
        """A connection; IndexFolderError where the server does not answer."""

    def embedder_of(self, manifest: Manifest) -> Embedder:
        """What embeds the queries of a generation."""

    def writer(self, embedder: Callable[[], Embedder]) -> PostgresWriter:
        """What makes the next generation."""


class PostgresCorpus:
    """One generation, read only. Safe to use from several threads."""

    further: ClassVar[Mapping[str, List]] = {}

    def __init__(self, engine: Server, generation: int, manifest: Manifest, holder: Any) -> None:
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
        return self._engine.embedder_of(self.manifest)

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
        return self._engine.writer(lambda: self.embedder)

    def _rows(self, query: LiteralString, **given: Any) -> list[Any]:
        with self._engine.asking() as connection:
            found = connection.execute(query, {**given, "generation": self.generation})
            rows: list[Any] = found.fetchall()
            return rows
