"""The result lists of a corpus in PostgreSQL as SQL; each returns ordinals with scores, best first.

HNSW on half-precision vectors finds more near vectors than requested, and these are compared
exactly. This corrects the order; few vectors are missed by the graph (``python -m
benchmarks.near``).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, NamedTuple

import numpy as np

from anamnesis.language.text import tokenize
from retrievers.dense import Vectors
from retrievers.filter import Filter
from retrievers.postgres_tables import label, storable

NEAR = 125
"""Candidates from the graph that are compared exactly. HNSW returns at most 1,000."""
_MOST_NEAR = 1_000


class SqlQuery(NamedTuple):
    """A query and its parameters."""

    query: LiteralString
    given: Mapping[str, Any]


def sparse(words: str, k: int, limits: Filter | None) -> SqlQuery:
    """The best ``k`` passages for the words, by BM25 [R1]."""
    counts = Counter(tokenize(words))
    where, given = _passing(limits)
    # The server chooses the order of a sum, so scores that differ by less count as equal.
    return SqlQuery(
        "select ordinal, sum(weight * times) as score from {postings} p join (select term, times "
        "from unnest(%(words)s::text[], %(times)s::float8[]) as own(word, times) "
        "join {terms} using (word)) as asked on asked.term = p.term" + where + " group by ordinal "
        "having sum(weight * times) > 0 "
        "order by round(sum(weight * times) * 1e9) desc, ordinal limit %(sparse_k)s",
        {
            **given,
            "words": list(counts),
            "times": [float(item) for item in counts.values()],
            "sparse_k": max(k, 0),
        },
    )


def dense(vector: Vectors, k: int, limits: Filter | None, near: bool) -> SqlQuery:
    """The best ``k`` passages by inner product; with ``near``, if the graph finds them [R2]."""
    query, given = _nearest("{vectors}", "%(vector)s::vector", k, limits, near)
    return SqlQuery(query, {**given, "vector": text_of(vector)})


def nearest_facts(queries: Vectors, k: int, limits: Filter | None, near: bool) -> SqlQuery:
    """The best ``k`` facts of each query (n, dimensions); rows begin with the query's number."""
    query, given = _nearest("{factvectors}", "asked.wanted", k, limits, near)
    return SqlQuery(
        "select number - 1, own.ordinal, own.score from unnest(%(vectors)s::text[]::vector[]) "
        "with ordinality as asked(wanted, number), lateral (" + query + ") own "
        "order by number, score desc, ordinal",
        {**given, "vectors": list(map(text_of, queries))},
    )


def _nearest(
    table: LiteralString, wanted: LiteralString, k: int, limits: Filter | None, near: bool
) -> SqlQuery:
    """The best ``k`` rows of a table of vectors by the inner product with ``wanted``."""
    where, given = _passing(limits)
    given["dense_k"] = max(k, 0)
    if not near:
        return SqlQuery(
            "select ordinal, -(vector <#> " + wanted + ") as score from " + table + where
            + " order by vector <#> " + wanted + ", ordinal limit %(dense_k)s",
            given,
        )  # fmt: skip
    # The settings apply to this statement only, so a connection pool in between does no harm.
    how: LiteralString = (
        "set_config('hnsw.ef_search', %(ef)s, true) "
        "|| set_config('hnsw.iterative_scan', %(on)s, true)"
    )
    return SqlQuery(
        "select ordinal, -(vector <#> " + wanted + ") as score from (select ordinal, vector "
        "from " + table + where + (" and" if where else " where") + " (select " + how + ") <> '' "
        "order by vector::halfvec({size}) <#> " + wanted + "::halfvec({size}) limit %(near)s) "
        "as found order by vector <#> " + wanted + ", ordinal limit %(dense_k)s",
        {
            **given,
            "near": candidates(k),
            "ef": str(candidates(k)),
            "on": "relaxed_order" if where else "off",
        },
    )


def names(wanted: Sequence[str], first: int, limits: Filter | None) -> SqlQuery:
    """The places of the names that occur in facts; ``first`` is the ordinal of the first fact."""
    where, given = conditions(limits)
    query: LiteralString = (
        "select name, place from {names} "
        "where left(name, 200) = any(%(beginnings)s) and name = any(%(names)s)"
    )
    if where:
        query += " and %(first)s + place / 2 in (select ordinal from {passages} where " + where
        query += ")"
    beginnings = [item[:200] for item in wanted]
    given |= {"names": list(wanted), "beginnings": beginnings, "first": first}
    return SqlQuery(query + " order by place", given)


def having(kinds: Sequence[Sequence[str]]) -> SqlQuery:
    """The ordinals of all passages that have a word of each of the ``kinds``, in order."""
    return SqlQuery(
        "select ordinal from {postings} join {terms} using (term) "
        "join unnest(%(words)s::text[], %(kinds)s::int[]) as asked(word, kind) using (word) "
        "group by ordinal having count(distinct kind) = %(number)s order by ordinal",
        {
            "words": [word for words in kinds for word in words],
            "kinds": [number for number, words in enumerate(kinds) for _ in words],
            "number": len(kinds),
        },
    )


def text_of(vector: Vectors) -> str:
    """A vector (dimensions,) as pgvector reads it. Nine digits give each float of 4 bytes."""
    return "[" + ",".join(map("{:.9g}".format, vector.astype(np.float32).tolist())) + "]"


def candidates(k: int) -> int:
    """The number of near vectors that are compared exactly for the best ``k``."""
    return min(max(NEAR, k), _MOST_NEAR)


def reachable(k: int) -> bool:
    """Whether the graph gives enough candidates for the best ``k``."""
    return 2 * k <= _MOST_NEAR


def _passing(limits: Filter | None) -> tuple[LiteralString, dict[str, Any]]:
    """The condition that passages must meet to be used, and its parameters."""
    condition, given = conditions(limits)
    if not condition:
        return "", given
    query: LiteralString = " where ordinal in (select ordinal from {passages} where "
    return query + condition + ")", given


def conditions(limits: Filter | None) -> tuple[LiteralString, dict[str, Any]]:
    """``retrievers.filter.Filter.passes`` as a condition on the columns of the passages."""
    if limits is None:
        return "", {}
    parts: list[LiteralString] = []
    given: dict[str, Any] = {}
    if limits.access is not None:
        parts.append("(access is null or access && %(groups)s::text[])")
        given["groups"] = [label(item) for item in limits.access]
    if limits.sources is not None:
        parts.append("source = any(%(sources)s::text[])")
        given["sources"] = [label(item) for item in limits.sources]
    if limits.kinds is not None:
        parts.append("kind = any(%(kinds)s::text[])")
        given["kinds"] = [item for item in limits.kinds if storable(item) == item]
    # Dates are compared up to the precision that both have.
    if limits.since is not None:
        parts.append("left(dated, length(%(since)s::text)) >= left(%(since)s::text, length(dated))")
        given["since"] = limits.since
    if limits.until is not None:
        parts.append("left(dated, length(%(until)s::text)) <= left(%(until)s::text, length(dated))")
        given["until"] = limits.until
    return " and ".join(parts), given
