"""The tables of a corpus in PostgreSQL: the shared ones, and those of each generation.

Making a generation locks no table that is read, and a generation that nobody reads any more is
dropped as a whole, so that no table grows because of deleted rows.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, LiteralString

import numpy as np
import numpy.typing as npt

from anamnesis.corpus.passage import Passage
from anamnesis.corpus.weight import date_of
from anamnesis.language.text import well_formed
from retrievers.filter import groups_of
from retrievers.store import vector_key

TABLES: Mapping[str, LiteralString] = {
    "records": """
        id text collate "C" not null, collection text collate "C" not null, content text not null,
        first int not null, passages int not null, origin text not null, sha256 text not null,
        indexed text not null, approved_by text not null, approved text not null
    """,
    # The key includes what a list has of a passage, so that no row with its text is read for it.
    "passages": """
        ordinal int not null, id text collate "C" not null, record_id text collate "C" not null,
        collection text collate "C" not null, digest text not null, key uuid not null,
        source text not null, kind text not null, dated text collate "C", access text[],
        body text not null, primary key (ordinal) include (id, digest)
    """,
    # Vectors have a separate table and are never stored out of line, so that a comparison with all
    # of them reads nothing else.
    "vectors": "ordinal int not null, vector vector({dimensions}) not null",
    "terms": """
        term int not null, word text collate "C" not null, df int not null, idf float8 not null
    """,
    "postings": "term int not null, ordinal int not null, weight float8 not null",
    # Used in place of postings (see ``retrievers.postgres_textsearch``); one of the two is empty.
    "texts": "ordinal int not null, words text not null",
    # Facts have separate tables for their vectors and their names with places (see
    # ``retrievers.names``), so that the graph of the passages does not contain them. They are the
    # last of the passages.
    "factvectors": "ordinal int not null, vector vector({dimensions}) not null",
    "names": 'name text collate "C" not null, place int not null',
}
"""The columns of a generation's tables."""

VECTORS: tuple[LiteralString, ...] = ("vectors", "factvectors")
"""The tables of vectors: of passages, and of facts."""

_KEYS: tuple[LiteralString, ...] = (
    "alter table {records} add primary key (id)",
    "create index on {records} (collection)",
    "create unique index on {passages} (id)",
    "create index on {passages} (key)",
    "create index on {passages} (ordinal) where access is not null",
    "alter table {vectors} add primary key (ordinal)",
    "alter table {terms} add primary key (word)",
    "create index on {postings} (term) include (ordinal, weight)",
    "alter table {factvectors} add primary key (ordinal)",
    # A long name has no room in an index.
    "create index on {names} (left(name, 200))",
)
"""Keys and indexes that are made when all rows exist, because that is faster than row by row.
Passages are read by ordinal before that, so their key exists from the start."""

M, EF_CONSTRUCTION = 32, 512
"""The HNSW graph: neighbours of each vector, and candidates that are tried to find them."""

EXACT_UP_TO = 20_000
"""Up to this number of passages all vectors are compared; beyond it HNSW finds candidates."""

LARGEST = 4_000  # maximum dimensions of half-precision vectors that pgvector can index
_AT_ONCE = 1_000_000  # postings that are sent together
_MEMORY = (64, 4_096)  # MB for making the graph: minimum and maximum


def named(query: LiteralString, generation: int, **more: Any) -> Any:
    """A query with the names of a generation's tables, and numbers, in place of the braces."""
    from psycopg import sql

    names = {table: table_of(table, generation) for table in TABLES}
    given = {
        key: sql.Literal(item) if isinstance(item, int) else item for key, item in more.items()
    }
    return sql.SQL(query).format(**names, **given)


def table_of(table: str, generation: int) -> Any:
    """The name of a generation's table, for ``named``."""
    from psycopg import sql

    return sql.Identifier("anamnesis", f"{table}_{generation}")


def create(connection: Any, generation: int, dimensions: int) -> None:
    """Create the missing tables of a generation, empty."""
    for table, columns in TABLES.items():
        made: LiteralString = "create table if not exists {" + table + "} (" + columns + ")"
        connection.execute(named(made, generation, dimensions=dimensions))
    for vectors in VECTORS:
        # The maximum for a page: 2,000 dimensions.
        room: LiteralString = "alter table {" + vectors + "} set (toast_tuple_target = 8160)"
        connection.execute(named(room, generation))


def finish(
    connection: Any, generation: int, rows: int, dimensions: int, facts: int = 0
) -> bool:  # fmt: skip
    """Make the keys of a complete generation. Returns whether its vectors have an HNSW graph.

    The last ``facts`` of its rows are facts.
    """
    for key in _KEYS:
        connection.execute(named(key, generation))
    for table, count in zip(VECTORS, (rows - facts, facts), strict=True):
        if has_graph(count, dimensions):
            make_graph(connection, generation, count, dimensions, table=table)
    for table in TABLES:
        analyze: LiteralString = "analyze {" + table + "}"
        connection.execute(named(analyze, generation))
    return has_graph(rows - facts, dimensions)


def has_graph(rows: int, dimensions: int) -> bool:
    """Whether this number of vectors is searched with an HNSW graph."""
    return rows > EXACT_UP_TO and dimensions <= LARGEST


def make_graph(
    connection: Any, generation: int, rows: int, dimensions: int, name: str = "",
    table: LiteralString = "vectors",
) -> None:  # fmt: skip
    """Make the HNSW graph, an index with this ``name``, within a transaction."""
    from psycopg import sql

    # A graph that does not fit in memory takes many times longer to make. Each vector takes 2 bytes
    # per dimension, 2 * M neighbours of 16 bytes, and its own data; with this memory pgvector gives
    # no warning for 30,000 vectors.
    need = rows * (2 * dimensions + 32 * M + 200) // 1_000_000
    memory = f"{min(max(need, _MEMORY[0]), _MEMORY[1])}MB"
    connection.execute("select set_config('maintenance_work_mem', %s, true)", (memory,))
    connection.execute(
        named(
            "create index {name} on {" + table + "} using hnsw "
            "((vector::halfvec({size})) halfvec_ip_ops) with (m = {m}, ef_construction = {ef})",
            generation, name=sql.Identifier(name) if name else sql.SQL(""), size=dimensions, m=M,
            ef=EF_CONSTRUCTION,
        )
    )  # fmt: skip


def drop(connection: Any, generation: int) -> None:
    """Delete a generation, of which some tables may be missing."""
    for table in TABLES:
        gone: LiteralString = "drop table if exists {" + table + "}"
        connection.execute(named(gone, generation))
    connection.execute("delete from anamnesis.generations where id = %s", (generation,))


def row_of(ordinal: int, passage: Passage, collection: str) -> tuple[Any, ...]:
    """A passage as a row of its table."""
    access = groups_of(passage.metadata)
    return (
        ordinal, passage.id, passage.record_id, collection, passage.digest,
        vector_key(passage).hex(), label(passage.source), passage.kind,
        date_of(passage.metadata), None if access is None else [label(item) for item in access],
        json.dumps(passage.to_json()),
    )  # fmt: skip


def storable(text: str) -> str:
    """A text without the characters that the database cannot store."""
    return well_formed(text).replace("\0", "")


def label(text: str) -> str:
    """A source or an access group as its column has it, with U+FFFD for what cannot be stored."""
    return storable(text.replace("\0", "\ufffd"))


def copy(
    connection: Any, table: LiteralString, generation: int, rows: Iterable[tuple[Any, ...]]
) -> None:
    """Load rows into a table that was created in this transaction."""
    into: LiteralString = "copy {" + table + "} from stdin (freeze)"
    with connection.cursor().copy(named(into, generation)) as to:
        for row in rows:
            to.write_row(row)


def copy_vectors(
    connection: Any, table: LiteralString, generation: int, ordinals: npt.NDArray[Any],
    vectors: npt.NDArray[Any],
) -> None:  # fmt: skip
    """Load vectors (n, dimensions) in pgvector's binary form."""
    size = vectors.shape[1]
    value = [("size", ">i2"), ("unused", ">i2"), ("values", ">f4", (size,))]
    rows = _binary(len(vectors), {"ordinal": ">i4", "vector": value})
    rows["ordinal"], rows["vector"]["size"] = ordinals, size
    rows["vector"]["values"] = vectors
    into: LiteralString = "copy {" + table + "} from stdin (format binary, freeze)"
    _copy_binary(connection, into, generation, rows)


def copy_postings(
    connection: Any, generation: int, terms: npt.NDArray[Any], ordinals: npt.NDArray[Any],
    weights: npt.NDArray[Any],
) -> None:  # fmt: skip
    """Load postings, sorted by term."""
    query: LiteralString = "copy {postings} from stdin (format binary, freeze)"
    parts = [
        _binary(len(item), {"term": ">i4", "ordinal": ">i4", "weight": ">f8"})
        for item in np.array_split(terms, len(terms) // _AT_ONCE + 1)
    ]
    start = 0
    for rows in parts:
        place = slice(start, start := start + len(rows))
        rows["term"], rows["ordinal"] = terms[place], ordinals[place]
        rows["weight"] = weights[place]
        _copy_binary(connection, query, generation, rows)


def _binary(count: int, fields: Mapping[str, Any]) -> npt.NDArray[Any]:
    """Rows for a binary COPY: the number of fields, then each field after its length."""
    made: list[tuple[str, Any]] = [("fields", ">i2")]
    for name, kind in fields.items():
        made += [(f"{name} length", ">i4"), (name, kind)]
    rows = np.zeros(count, made)
    rows["fields"] = len(fields)
    for name in fields:
        rows[f"{name} length"] = rows.dtype[name].itemsize
    return rows


def _copy_binary(
    connection: Any, query: LiteralString, generation: int, rows: npt.NDArray[Any]
) -> None:
    with connection.cursor().copy(named(query, generation)) as to:
        to.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        to.write(rows.tobytes())
        to.write(b"\xff\xff")
