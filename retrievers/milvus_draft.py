"""A new generation of a corpus in Milvus, while it is being made."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import numpy as np

from anamnesis.corpus.passage import Passage
from anamnesis.language.text import tokenize, well_formed
from retrievers.build import corpus_hash
from retrievers.dense import Vectors
from retrievers.filter import groups_of
from retrievers.manifest import Collection, EmbedderId, Manifest, new_manifest
from retrievers.milvus_tables import (
    all_rows_of,
    counts_of,
    fits,
    incomplete,
    insert_plain,
    key_of,
    keyed,
    make,
    number_of,
    passages_of,
    records_of,
    words_of,
)

TOKENIZER = "milvus standard, lowercase"
_AT_ONCE = 500
_TEXT = 16_000  # characters that certainly fit into a field
_FIELDS = ["part", "id", "body", "digest", "made", "source", "kind", "everybody", "access",
           "words", "text", "dense"]  # fmt: skip


class Draft:
    """The new generation: its name, its records, and how many passages it has so far."""

    def __init__(self, client: Any, made: EmbedderId) -> None:
        self._client, self._made = client, made
        self.name = uuid4().hex[:12]
        self.records: dict[str, dict[str, Any]] = {}
        self._passages: Counter[str] = Counter()
        self._words: Counter[str] = Counter()
        make(client, self.name, made.dimensions)

    def note(self, record_id: str, record: dict[str, Any]) -> None:
        """Add a record. Raises CorpusError if its data are too long for Milvus."""
        fits(_as_body(record_id, record), 0, record_id)
        self.records[record_id] = record

    def add(self, pages: Sequence[Passage], collection: str, vectors: Vectors) -> None:
        """Add passages of records that were added with ``note``.

        Raises CorpusError if one is too long for Milvus.
        """
        rows = []
        for item, vector in zip(pages, vectors, strict=True):
            words = set(tokenize(item.indexed))
            self._words.update(words)
            groups = groups_of(item.metadata)
            body = json.dumps(item.to_json())
            fits(body, len(groups or ()), item.record_id)
            rows.append({
                "key": key_of(item.id), "part": number_of(collection), "id": item.id,
                "body": body, "digest": item.digest,
                "made": key_of(item.embedded), "source": number_of(item.source),
                "kind": number_of(item.kind), "everybody": groups is None,
                "access": [number_of(each) for each in groups or ()], "words": words_of(words),
                "text": well_formed(item.indexed)[:_TEXT], "dense": _padded(vector),
            })  # fmt: skip
        self._insert(rows, collection)

    def take(self, old: str, collection: str, expected: int) -> None:
        """Copy a whole collection of another generation unchanged.

        Raises IndexFolderError if it does not have the ``expected`` number of passages.
        """
        rows: list[dict[str, Any]] = []
        where = f"part == {number_of(collection)}"
        for row in all_rows_of(
            self._client, passages_of(old), _FIELDS, where, expected=expected,
            what=f"passages of collection {collection!r}",
        ):  # fmt: skip
            page = Passage.from_json(json.loads(row["body"]))
            self._words.update(set(tokenize(page.indexed)))
            rows.append({"key": row["key"], **{field: row[field] for field in _FIELDS}})
            rows[-1]["dense"] = [float(item) for item in row["dense"]]
            for field in ("access", "words"):
                rows[-1][field] = [int(item) for item in row[field]]
            if len(rows) == _AT_ONCE:
                self._insert(rows, collection)
                rows = []
        self._insert(rows, collection)

    def vectors(self, old: str, pages: Sequence[Passage]) -> dict[str, Vectors]:
        """By id, the vectors that another generation has for these passages with the same text."""
        by_key = {key_of(item.id): item for item in pages}
        rows = keyed(self._client, passages_of(old), list(by_key), ["made", "dense"])
        return {
            by_key[row["key"]].id: np.array(row["dense"], np.float32)[: self._made.dimensions]
            for row in rows
            if row["made"] == key_of(by_key[row["key"]].embedded)
        }

    def corpus(self) -> str:
        """SHA-256 over collections, ids and contents; see ``retrievers.build``."""
        rows = ((item["collection"], key, item["content"]) for key, item in self.records.items())
        return corpus_hash(sorted(rows))

    def finish(self) -> Manifest:
        """Write the data that are only known at the end.

        Raises IndexFolderError if passages that were written are missing.
        """
        rows = [(key_of(key), _as_body(key, item)) for key, item in self.records.items()]
        insert_plain(self._client, records_of(self.name), rows)
        insert_plain(self._client, counts_of(self.name), _chunks(self._words))
        for name in (passages_of(self.name), records_of(self.name), counts_of(self.name)):
            self._client.flush(name)
            self._client.load_collection(name)
        self._check_written()
        counts = Counter(item["collection"] for item in self.records.values())
        collections = {
            name: Collection(counts[name], self._passages[name]) for name in sorted(counts)
        }
        return new_manifest(self.name, self._made, self.corpus(), collections, TOKENIZER, {})

    def _check_written(self) -> None:
        [row] = self._client.query(passages_of(self.name), filter="", output_fields=["count(*)"])
        found, expected = int(row["count(*)"]), self._passages.total()
        # A client that repeats an insertion may store a row twice; it is found once.
        if found < expected:
            raise incomplete(found, expected, "passages that were written")

    def _insert(self, rows: list[dict[str, Any]], collection: str) -> None:
        for start in range(0, len(rows), _AT_ONCE):
            self._client.insert(passages_of(self.name), rows[start : start + _AT_ONCE])
        self._passages[collection] += len(rows)


def _as_body(record_id: str, record: Mapping[str, Any]) -> str:
    return json.dumps({"id": record_id, **record})


def _padded(vector: Vectors) -> list[float]:
    return [*map(float, vector), *[0.0] * (2 - len(vector))]


def _chunks(words: Mapping[str, int]) -> list[tuple[str, str]]:
    """The words and their counts, as texts that a field can hold."""
    rows: list[tuple[str, str]] = []
    part: dict[str, int] = {}
    size = 0
    for word, count in sorted(words.items()):
        more = 6 * len(word) + 16  # bytes as JSON at most
        if part and size + more > 30_000:
            rows.append((key_of(word), json.dumps(part)))
            part, size = {}, 0
        part[word] = count
        size += more
    return [*rows, (key_of("\0"), json.dumps(part))] if part else rows
