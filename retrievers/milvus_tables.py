"""The collections of Milvus that hold a generation, and how they are named and read.

A key is a hash, so that no id or word has to be quoted in an expression.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import pairwise
from typing import Any

from anamnesis.errors import CorpusError, IndexFolderError

NOW = "anamnesis_now"
"""The alias of the current generation, that is, of the collection with its passages."""

GENERATIONS = "anamnesis_generations"
MOST = 16_384
"""Maximum results of one search in Milvus."""
PAGE = 500
"""Rows that are read together. With bodies, words and vectors they stay below the 100 MB that a
server returns at most (``quotaAndLimits.limits.maxOutputSize``)."""

_KEYS = 16**32
_FILL = 0.75  # of a page, on average; keys are hashes, so that few pages have many more rows
_TEXT = 65_535  # bytes of a field, Milvus' maximum
_WORDS = 4_096  # words of a passage: Milvus' maximum for an array
_AT_ONCE = 500


def key_of(text: str) -> str:
    """32 hex digits that identify an id."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def number_of(text: str) -> int:
    """63 bits that identify a word, a source or the like."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


def words_of(words: set[str]) -> list[int]:
    """The numbers by which a passage is found by its words."""
    return sorted(map(number_of, words))[:_WORDS]


def passages_of(generation: str) -> str:
    """The collection of the generation's passages."""
    return f"anamnesis_{generation}"


def records_of(generation: str) -> str:
    """The collection of the generation's records, with their content and origin."""
    return f"anamnesis_{generation}_records"


def counts_of(generation: str) -> str:
    """The collection of the generation's words, each with the number of passages that have it."""
    return f"anamnesis_{generation}_words"


def make(client: Any, generation: str, dimensions: int) -> None:
    """The collections of a new generation."""
    from pymilvus import DataType, Function, FunctionType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("key", DataType.VARCHAR, max_length=32, is_primary=True)
    # Partitioned by the collection of the index: Milvus stores rows with equal numbers together.
    schema.add_field("part", DataType.INT64, is_partition_key=True)
    for name in ("id", "body"):
        schema.add_field(name, DataType.VARCHAR, max_length=_TEXT)
    for name in ("digest", "made"):
        schema.add_field(name, DataType.VARCHAR, max_length=64)
    for name in ("source", "kind"):
        schema.add_field(name, DataType.INT64)
    schema.add_field("everybody", DataType.BOOL)
    for name in ("access", "words"):
        schema.add_field(name, DataType.ARRAY, element_type=DataType.INT64, max_capacity=_WORDS)
    schema.add_field(
        "text",
        DataType.VARCHAR,
        max_length=_TEXT,
        enable_analyzer=True,
        analyzer_params={"tokenizer": "standard", "filter": ["lowercase"]},
    )
    schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_field("dense", DataType.FLOAT_VECTOR, dim=max(dimensions, 2))
    schema.add_function(
        Function(
            name="bm25",
            input_field_names=["text"],
            output_field_names=["sparse"],
            function_type=FunctionType.BM25,
        )
    )
    indexes = client.prepare_index_params()
    indexes.add_index(
        "sparse",
        index_type="SPARSE_INVERTED_INDEX",
        metric_type="BM25",
        params={"bm25_k1": 1.5, "bm25_b": 0.75},
    )
    # Exact: a graph misses passages among near-duplicates, which the overlap of lists does not
    # show.
    indexes.add_index("dense", index_type="FLAT", metric_type="IP")
    client.create_collection(
        passages_of(generation), schema=schema, index_params=indexes, consistency_level="Strong"
    )
    for name in (records_of(generation), counts_of(generation)):
        make_plain(client, name)


def make_plain(client: Any, name: str) -> None:
    """Make a collection of texts by key."""
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("key", DataType.VARCHAR, max_length=32, is_primary=True)
    schema.add_field("body", DataType.VARCHAR, max_length=_TEXT)
    # Milvus has no collection without a vector.
    schema.add_field("none", DataType.FLOAT_VECTOR, dim=2)
    indexes = client.prepare_index_params()
    indexes.add_index("none", index_type="FLAT", metric_type="IP")
    client.create_collection(name, schema=schema, index_params=indexes, consistency_level="Strong")


def insert_plain(client: Any, name: str, rows: list[tuple[str, str]]) -> None:
    """Add texts to a collection that ``make_plain`` made."""
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        client.insert(name, [{"key": k, "body": body, "none": [0.0, 0.0]} for k, body in part])


def drop(client: Any, generation: str) -> None:
    """Delete a generation with all of its collections."""
    for name in (passages_of(generation), records_of(generation), counts_of(generation)):
        if client.has_collection(name):
            client.drop_collection(name)
    client.delete(GENERATIONS, ids=[generation])


def rows_of(
    client: Any, name: str, fields: list[str], where: str = "", *, expected: int = 0,
    short: bool = False,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """All rows of a collection, in any order.

    ``expected`` is about how many they are, if that is known. ``short``: with these fields, as
    many rows as Milvus permits can be read together.
    """
    most = MOST if short else PAGE
    # Ranges of keys, because a query with a limit returns any of the rows that match it: they are
    # not sorted, so the last key of a page does not say where the next page starts.
    parts = int(expected / (_FILL * most)) + 1
    ends = [_KEYS * part // parts for part in range(parts + 1)]
    ranges = list(pairwise(ends))
    while ranges:
        low, high = ranges.pop()
        rows = client.query(
            name,
            filter=" and ".join([*_between(low, high), *([where] if where else [])]),
            output_fields=["key", *fields],
            limit=most,
        )
        if len(rows) < most:
            yield from rows
        else:  # there may be more
            ranges += [(low, (low + high) // 2), ((low + high) // 2, high)]


def all_rows_of(
    client: Any, name: str, fields: list[str], where: str = "", *, expected: int, what: str
) -> Iterator[dict[str, Any]]:
    """All rows of a collection, of which the manifest says how many they are.

    ``what`` names them in the error. Raises IndexFolderError at the end if Milvus gave fewer or
    more.
    """
    found = 0
    for row in rows_of(client, name, fields, where, expected=expected):
        found += 1
        yield row
    if found != expected:
        raise incomplete(found, expected, what)


def incomplete(found: int, expected: int, what: str) -> IndexFolderError:
    """The error if Milvus has another number of rows than it should have."""
    return IndexFolderError(
        f"Milvus returned {found:,} of {expected:,} {what}. Nothing was changed. Run the command "
        "again. If the error remains, the index has lost data: index all collections again, the "
        "first of them with --rebuild"
    )


def _between(low: int, high: int) -> list[str]:
    # Keys are hexadecimal digits, so that nothing has to be quoted.
    after = f'key >= "{low:032x}"' if low else 'key > ""'
    return [after] if high == _KEYS else [after, f'key < "{high:032x}"']


def fits(body: str, groups: int, record_id: str) -> None:
    """Raise CorpusError if the text of a row, or its number of access groups, is too large."""
    size = len(body.encode())
    if size > _TEXT:
        raise CorpusError(
            f"Record {record_id!r} cannot be stored in Milvus: a passage of it, or the data about "
            f"it, takes {size:,} bytes as JSON, and a field of Milvus has at most {_TEXT:,}. "
            "Shorten its title, question, link or other metadata, or use an index folder or "
            "PostgreSQL"
        )
    if groups > _WORDS:
        raise CorpusError(
            f"Record {record_id!r} cannot be stored in Milvus: it has {groups:,} access groups, "
            f"and a field of Milvus has at most {_WORDS:,}. Combine groups, or use an index folder "
            "or PostgreSQL"
        )


def keyed(client: Any, name: str, keys: list[str], fields: list[str]) -> Iterator[dict[str, Any]]:
    """The rows with these keys, except missing ones."""
    for start in range(0, len(keys), _AT_ONCE):
        named = ", ".join(f'"{key}"' for key in keys[start : start + _AT_ONCE])
        yield from client.query(name, filter=f"key in [{named}]", output_fields=["key", *fields])


@contextmanager
def answering(name: str) -> Iterator[None]:
    """Within the block, raise IndexFolderError if Milvus does not answer or answers with an
    error.
    """
    from pymilvus.exceptions import MilvusException

    try:
        yield
    except MilvusException as error:
        # Its message does not contain the address or the token.
        raise IndexFolderError(
            f"{name} did not answer ({type(error).__name__} {error.code}: {error.message}). Make "
            "sure that it runs, and ask again"
        ) from error
