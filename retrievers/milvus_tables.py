"""The collections of Milvus that hold a generation, and how they are named and read.

A key is a hash, so that no id or word has to be quoted in an expression.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any

from anamnesis.errors import IndexFolderError

NOW = "anamnesis_now"
"""The alias of the current generation, that is, of the collection with its passages."""

GENERATIONS = "anamnesis_generations"
MOST = 16_384
"""Maximum results of one search in Milvus."""

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


def rows_of(client: Any, name: str, fields: list[str], where: str = "") -> Iterator[dict[str, Any]]:
    """All rows of a collection, by key."""
    last = ""
    while True:
        # The keys are hashes, so that nothing has to be quoted.
        after = f'key > "{last}"'
        rows = client.query(
            name,
            filter=f"{after} and {where}" if where else after,
            output_fields=["key", *fields],
            limit=MOST,
        )
        rows = sorted(rows, key=lambda row: str(row["key"]))
        yield from rows
        if len(rows) < MOST:
            return
        last = rows[-1]["key"]


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
