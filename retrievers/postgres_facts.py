"""The facts of a generation in PostgreSQL, from which ``retrievers.facts.best_facts`` chooses."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from anamnesis.language.names import longest_names, name_words
from retrievers import postgres_lists as lists
from retrievers.dense import Vectors
from retrievers.facts import Rows
from retrievers.filter import Filter
from retrievers.manifest import Manifest
from retrievers.postgres_tables import has_graph

Ask = Callable[..., list[Any]]
"""Runs a query on the generation's tables with named parameters, and returns the rows."""


class PostgresFacts:
    """The facts, or those that pass a filter. They are the last passages, and count from 0."""

    def __init__(self, ask: Ask, manifest: Manifest, longest: int, limits: Filter | None) -> None:
        """``longest`` is the number of words of the longest name."""
        self._ask, self._longest, self._limits = ask, longest, limits
        self._count = manifest.facts
        self._first = manifest.passages - self._count
        self._near = has_graph(self._count, manifest.embedder.dimensions)

    def __len__(self) -> int:
        """The number of facts before a filter."""
        return self._count

    def nearest(self, queries: Vectors, k: int) -> list[tuple[int, float]]:
        """The ``k`` nearest facts of each query (n, dimensions), with their inner products."""
        near = self._near and lists.reachable(k)
        rows = self._nearest(queries, k, near)
        if near and len(rows) < min(k, self._count) * len(queries):
            # If few pass the filter, the graph does not reach them.
            rows = self._nearest(queries, k, False)
        return [(ordinal - self._first, score) for _, ordinal, score in rows]

    def products(self, facts: Rows, query: Vectors) -> npt.NDArray[np.floating]:
        """The inner product of each of the facts with a query (dimensions,)."""
        ordinals = (facts + self._first).tolist()
        found = dict(
            self._ask(
                "select ordinal, -(vector <#> %(vector)s::vector) from {factvectors} "
                "where ordinal = any(%(ordinals)s)",
                vector=lists.text_of(query),
                ordinals=ordinals,
            )
        )
        return np.array([found[item] for item in ordinals])

    def named(self, texts: Sequence[str]) -> list[list[int]]:
        """For each text, the places of the names in it; see ``retrievers.names.NameIndex``."""
        words = [name_words(text) for text in texts]
        wanted = {
            " ".join(item[at : at + size])
            for item in words
            for at in range(len(item))
            for size in range(1, min(self._longest, len(item) - at) + 1)
        }
        query, given = lists.names(list(wanted), self._first, self._limits)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for name, place in self._ask(query, **given):
            places[name].append(place)
        found = [
            {name: 0 for _, _, name in longest_names(item, places, self._longest)} for item in words
        ]
        return [[place for name in names for place in places[name]] for names in found]

    def _nearest(self, queries: Vectors, k: int, near: bool) -> list[Any]:
        query, given = lists.nearest_facts(queries, k, self._limits, near)
        return self._ask(query, **given)
