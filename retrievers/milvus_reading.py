"""Read one generation of a corpus in Milvus."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import Any, Protocol

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.language.text import well_formed
from anamnesis.models.embedding import Embedder
from anamnesis.models.once import loaded_once
from retrievers.corpus import Corpus, Found, Generation
from retrievers.dense import Vectors
from retrievers.facts import FactQuery
from retrievers.filter import Filter, Filtered
from retrievers.manifest import Manifest
from retrievers.milvus_tables import (
    MOST,
    answering,
    counts_of,
    key_of,
    keyed,
    number_of,
    passages_of,
    records_of,
    rows_of,
)
from retrievers.milvus_writing import MilvusWriter
from retrievers.provenance import Provenance, provenance_of
from retrievers.spelling import Speller

_AT_ONCE = 200  # passages that are read together if fewer may be enough


class Server(Protocol):
    """The server from which a generation is read."""

    client: Any
    name: str

    def embedder_of(self, manifest: Manifest) -> Embedder:
        """The embedder for the queries of a generation."""

    def writer(self, embedder: Callable[[], Embedder]) -> MilvusWriter:
        """The writer of the next generation."""


class Held:
    """What is read of a generation once, and used with every filter."""

    def __init__(self, server: Server, generation: str) -> None:
        self._server, self._generation = server, generation

    @loaded_once
    def words(self) -> dict[str, int]:
        """All words, each with the number of passages that have it."""
        with answering(self._server.name):
            rows = rows_of(self._server.client, counts_of(self._generation), ["body"])
            return {word: n for row in rows for word, n in json.loads(row["body"]).items()}

    @loaded_once
    def speller(self) -> Speller:
        """The speller, which corrects words that no passage has."""
        return Speller(self.words)

    @loaded_once
    def grouped(self) -> bool:
        """Whether any passage names access groups."""
        with answering(self._server.name):
            found = self._server.client.query(
                passages_of(self._generation),
                filter="everybody == false",
                output_fields=["id"],
                limit=1,
            )
        return bool(found)


class MilvusCorpus(Generation):
    """One generation, or the part of it that passes a filter. Read only, and safe to use from
    threads."""

    def __init__(self, server: Server, generation: str, manifest: Manifest) -> None:
        """See ``MilvusEngine.corpus``."""
        self._server, self.generation, self.manifest = server, generation, manifest
        self._held = Held(server, generation)
        self._where = ""

    def limited(self, limits: Filter) -> Corpus:
        """The part of the generation that passes a filter; see ``retrievers.filter.filtered``.

        Milvus evaluates all but dates, which are compared by ``Filtered``.
        """
        copied = copy(self)
        copied._limits, copied._where = limits, _expression(limits)
        return Filtered(copied, limits)

    def grouped(self) -> bool:
        """Whether any passage names access groups; see ``retrievers.filter``."""
        return self._held.grouped

    @property
    def speller(self) -> Speller:
        """The speller, which corrects words that no passage has."""
        return self._held.speller

    def sparse(self, words: str, k: int) -> list[Found]:
        """The best ``k`` passages for the words, by Milvus' own BM25 [R1]."""
        found = self._search("sparse", well_formed(words), k)
        # milvus-lite gives BM25 as a distance, below zero; a server gives it as a score.
        return _ordered([item._replace(score=abs(item.score)) for item in found if item.score])

    def dense(self, vector: Vectors, k: int) -> list[Found]:
        """The best ``k`` passages by the inner product with a vector (dimensions,) [R2]."""
        return _ordered(self._search("dense", [float(item) for item in vector], k))

    def facts(self, query: FactQuery, k: int) -> list[Found]:
        """None: its writer takes no facts."""
        return []

    def find(self, ids: Sequence[str]) -> dict[str, Passage]:
        """The passages that exist, by id."""
        with answering(self._server.name):
            rows = keyed(self._server.client, self._table, [key_of(item) for item in ids], ["body"])
            pages = [Passage.from_json(json.loads(row["body"])) for row in rows]
        return {item.id: item for item in pages}

    def provenance(self, record_ids: Sequence[str]) -> dict[str, Provenance]:
        """The origin of records, by id."""
        with answering(self._server.name):
            keys = [key_of(item) for item in record_ids]
            rows = keyed(self._server.client, records_of(self.generation), keys, ["body"])
            bodies = [json.loads(row["body"]) for row in rows]
        return {
            item["id"]: provenance_of(item[field] for field in Provenance.__annotations__)
            for item in bodies
        }

    def idf(self, terms: Sequence[str]) -> list[float]:
        """The idf of each lower-case word in BM25, never below 0."""
        counts, size = self._held.words, len(self)
        return [
            max(
                0.0,
                math.log(size - counts.get(term, 0) + 0.5) - math.log(counts.get(term, 0) + 0.5),
            )
            for term in terms
        ]

    def words(self, beginning: str) -> list[str]:
        """The lower-case words in the passages that start with ``beginning``, sorted."""
        return sorted(word for word in self._held.words if word.startswith(beginning))

    def containing(self, *kinds: Iterable[str], most: int = 20_000) -> Iterator[Passage]:
        """All passages that contain a word of each of the ``kinds``; see ``Corpus.containing``."""
        parts = [[str(number_of(word)) for word in words] for words in kinds]
        if not parts or not all(parts):
            return
        having = " and ".join(f"array_contains_any(words, [{', '.join(item)}])" for item in parts)
        where = f"{having} and {self._where}" if self._where else having
        with answering(self._server.name):
            ids = sorted(
                row["id"]
                for row in rows_of(self._server.client, self._table, ["id"], where, short=True)
            )
        if len(ids) > most:
            ids = [ids[at] for at in np.linspace(0, len(ids) - 1, most).astype(np.intp)]
        for start in range(0, len(ids), _AT_ONCE):
            yield from self.passages(ids[start : start + _AT_ONCE])

    @property
    def _table(self) -> str:
        return passages_of(self.generation)

    def _search(self, field: str, asked: Any, k: int) -> list[Found]:
        if k < 1 or not len(self):
            return []
        with answering(self._server.name):
            [hits] = self._server.client.search(
                self._table,
                data=[asked],
                anns_field=field,
                limit=min(k, MOST),
                filter=self._where,
                output_fields=["id", "digest"],
            )
        rows = [(hit["entity"], float(hit["distance"])) for hit in hits]
        return [Found(item["id"], score, item["digest"]) for item, score in rows]


def _ordered(found: list[Found]) -> list[Found]:
    # Scores that differ by less count as equal: the server may add them up in another order.
    return sorted(found, key=lambda item: (-round(item.score, 5), item.id))


def _expression(limits: Filter) -> str:
    """The part of ``Filter.passes`` that Milvus can evaluate: everything except dates."""
    parts = []
    if limits.access is not None:
        groups = ", ".join(str(number_of(item)) for item in limits.access)
        named = f" or array_contains_any(access, [{groups}])" if groups else ""
        parts.append(f"(everybody == true{named})")
    for field, item in (("source", limits.sources), ("kind", limits.kinds)):
        if item is not None:
            # No number is negative, so a filter without sources excludes everything.
            parts.append(f"{field} in [{', '.join(str(number_of(each)) for each in item) or '-1'}]")
    return " and ".join(parts)
