"""Read one generation of a corpus in PostgreSQL."""

import json
import math
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from copy import copy
from typing import Any, LiteralString, Protocol

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.language.names import name_key
from anamnesis.models.embedding import Embedder
from retrievers import postgres_lists as lists
from retrievers import postgres_textsearch as textsearch
from retrievers.corpus import Found, Generation
from retrievers.dense import Vectors
from retrievers.facts import FactQuery, best_facts
from retrievers.filter import Filter, LimitedSpeller
from retrievers.manifest import Manifest
from retrievers.postgres_facts import PostgresFacts
from retrievers.postgres_tables import named, storable
from retrievers.postgres_writing import PostgresWriter
from retrievers.provenance import Provenance, provenance_of
from retrievers.spelling import Speller

_AT_ONCE = 200  # passages that are read together if fewer may be enough
_NUMBERS: tuple[LiteralString, ...] = ("0", "1")


class Server(Protocol):
    """The server from which a generation is read."""

    def asking(self) -> AbstractContextManager[Any]:
        """A connection; IndexFolderError if the server does not answer."""

    def embedder_of(self, manifest: Manifest) -> Embedder:
        """The embedder of a generation's queries."""

    def writer(self, embedder: Callable[[], Embedder]) -> PostgresWriter:
        """The writer of the next generation."""


class Held:
    """A lock on a generation: while this object exists, no writer removes the generation.

    Attributes:
        near: Whether there is an HNSW graph of its passages' vectors.
        textsearch: Whether its words are searched by pg_textsearch.
        holder: The connection that holds the lock.
        speller: Corrects misspelt words; None until it is needed.
        longest_name: Number of words of the longest name in a fact; None until it is needed.
    """

    def __init__(
        self, generation: int, manifest: Manifest, near: bool, textsearch: bool, holder: Any
    ) -> None:
        self.generation, self.manifest, self.near = generation, manifest, near
        self.textsearch, self.holder = textsearch, holder
        self.speller: Speller | None = None
        self.grouped: bool | None = None
        self.longest_name: int | None = None
        self.close = weakref.finalize(self, holder.close)


class PostgresCorpus(Generation):
    """One generation, or the part of it that passes a filter. Read only, and safe to use from
    threads."""

    def __init__(self, server: Server, held: Held) -> None:
        """See ``PostgresEngine.corpus``."""
        self.generation, self.manifest = held.generation, held.manifest
        self._server, self.held = server, held
        self._limits: Filter | None = None
        self.close = held.close

    def limited(self, limits: Filter) -> "PostgresCorpus":
        """The part of the generation that passes a filter; see ``retrievers.filter.filtered``."""
        made = copy(self)
        made._limits, made.restricted = limits, True
        return made

    def grouped(self) -> bool:
        """Whether any passage names access groups; see ``retrievers.filter``."""
        if self.held.grouped is None:
            query: LiteralString = "select exists (select from {passages} where access is not null)"
            [[self.held.grouped]] = self._rows(query)
        return bool(self.held.grouped)

    @property
    def _pages_held(self) -> int:
        """The number of passages other than facts."""
        return self.manifest.passages - self.manifest.facts

    @property
    def speller(self) -> Speller:
        """The speller, which corrects words that no passage has."""
        if self.held.speller is None:
            query = "select distinct unnest(string_to_array(name, ' ')) from {names}"
            names = {word for (word,) in self._rows(query)}
            counts = dict(self._rows("select word, df from {terms}"))
            self.held.speller = Speller(counts, lambda word: name_key(word) in names)
        whole = self.held.speller
        return whole if self._limits is None else LimitedSpeller(whole, self)

    def sparse(self, words: str, k: int) -> list[Found]:
        """The best ``k`` passages for the words [R1]."""
        return self._found(self._sparse(words, k))[0]

    def dense(self, vector: Vectors, k: int) -> list[Found]:
        """The best ``k`` passages by the inner product with a vector (dimensions,) [R2]."""
        near = self.held.near and lists.reachable(k)
        [found] = self._found(lists.dense(vector, k, self._limits, near))
        if near and len(found) < min(k, self._pages_held):
            # If few pass the filter, the graph does not reach them.
            [found] = self._found(lists.dense(vector, k, self._limits, False))
        return found

    def both(self, words: str, vector: Vectors, k: int) -> tuple[list[Found], list[Found]]:
        """The sparse and the dense list, in one request to the server."""
        near = self.held.near and lists.reachable(k)
        first, second = self._found(
            self._sparse(words, k), lists.dense(vector, k, self._limits, near)
        )
        if near and len(second) < min(k, self._pages_held):
            second = self.dense(vector, k)
        return first, second

    def facts(self, query: FactQuery, k: int) -> list[Found]:
        """The best ``k`` facts; see ``retrievers.facts.best_facts`` [K2, K3]."""
        if not self.manifest.facts:
            return []
        if self.held.longest_name is None:
            spaces = "length(name) - length(replace(name, ' ', ''))"
            [(most,)] = self._rows("select max(" + spaces + ") from {names}")
            self.held.longest_name = 0 if most is None else most + 1
        held = PostgresFacts(self._rows, self.manifest, self.held.longest_name, self._limits)
        found = best_facts(held, query, k, self.embedder.embed_queries)
        places = {item.row + self._pages_held: item.score for item in found}
        rows = self._rows(
            "select ordinal, id, digest from {passages} where ordinal = any(%(places)s)",
            places=list(places),
        )
        known = {ordinal: item for ordinal, *item in rows}
        return [Found(known[at][0], score, known[at][1]) for at, score in places.items()]

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages that exist, by id."""
        # An id that the database cannot store is not in it.
        wanted = [item for item in ids if storable(item) == item]
        rows = self._pages("id = any(%(ids)s)", ids=wanted)
        return {item.id: item for item in rows}

    def provenance(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        """The origin of records, by id."""
        passing, given = lists.conditions(self._limits)
        query: LiteralString = (
            "select id, origin, sha256, indexed, approved_by, approved from {records} "
            "where id = any(%(ids)s)"
        )
        ids = [item for item in record_ids if storable(item) == item]
        if passing:  # the first passage has the labels of its record
            query += " and id || '#0' in (select id from {passages} where id = any(%(first)s) and "
            query += passing + ")"
            given["first"] = [f"{item}#0" for item in ids]
        rows = self._rows(query, ids=ids, **given)
        return {key: provenance_of(fields) for key, *fields in rows}

    def idf(self, terms: Sequence[str]) -> list[float]:
        """The idf of each lower-case word in the passages; see ``SparseIndex.idf``."""
        known = dict(
            self._rows(
                "select word, idf from {terms} where word = any(%(terms)s)", terms=list(terms)
            )
        )
        unknown = math.log(self._pages_held + 0.5) - math.log(0.5)
        return [max(0.0, known.get(term, unknown)) for term in terms]

    def words(self, beginning: str) -> list[str]:
        """The lower-case words in the passages that start with ``beginning``, sorted."""
        rows = self._rows(
            "select word from {terms} where starts_with(word, %(beginning)s) order by word",
            beginning=beginning,
        )
        return [word for (word,) in rows]

    def containing(self, *kinds: Iterable[str], most: int = 20_000) -> Iterator[Passage]:
        """All passages that have a word of each of the ``kinds``; see ``Corpus.containing``."""
        wanted = [[storable(word) for word in words] for words in kinds]
        if not all(wanted):
            return
        having = textsearch.having if self.held.textsearch else lists.having
        asked = having(wanted)
        ordinals = [ordinal for (ordinal,) in self._rows(asked.query, **asked.given)]
        if len(ordinals) > most:
            places = np.linspace(0, len(ordinals) - 1, most).astype(np.intp)
            ordinals = [ordinals[place] for place in places]
        for start in range(0, len(ordinals), _AT_ONCE):
            part = ordinals[start : start + _AT_ONCE]
            yield from self._pages("ordinal = any(%(ordinals)s)", ordinals=part)

    def _sparse(self, words: str, k: int) -> lists.SqlQuery:
        if self.held.textsearch:
            return textsearch.sparse(words, k, self._limits, self.generation)
        return lists.sparse(words, k, self._limits)

    def _pages(self, where: LiteralString, **given: Any) -> list[Passage]:
        passing, parameters = lists.conditions(self._limits)
        query: LiteralString = "select body from {passages} where " + where
        if passing:
            query += " and " + passing
        rows = self._rows(query + " order by ordinal", **given, **parameters)
        return [Passage.from_json(json.loads(body)) for (body,) in rows]

    def _found(self, *asked: lists.SqlQuery) -> list[list[Found]]:
        """Several lists, in one request."""
        given: dict[str, Any] = {}
        parts: LiteralString = ""
        for number, item in enumerate(asked):
            given |= item.given
            parts += " union all " if parts else ""
            parts += (
                "(select " + _NUMBERS[number] + " as list, own.* from (" + item.query + ") own)"
            )
        rows = self._rows(
            "select list, id, score, digest from (" + parts + ") found "
            "join {passages} using (ordinal) order by list, round(score * 1e9) desc, ordinal",
            **given,
        )
        return [
            [Found(*row[1:]) for row in rows if row[0] == number] for number in range(len(asked))
        ]

    def _rows(self, query: LiteralString, **given: Any) -> list[Any]:
        asked = named(query, self.generation, size=self.manifest.embedder.dimensions)
        with self._server.asking() as connection:
            rows: list[Any] = connection.execute(asked, given).fetchall()
            return rows
