"""Vectors made by many workers, and an embedder that returns them."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from anamnesis.corpus.passage import split_all
from anamnesis.errors import ModelError
from anamnesis.models.embedding import Embedder
from anamnesis.models.encoder import Progress
from retrievers.build import content_of
from retrievers.bulk_shards import Shards
from retrievers.bulk_spool import Shard, Spool
from retrievers.dense import VECTORS, Vectors
from retrievers.kept import KEY_BYTES
from retrievers.manifest import EmbedderId
from retrievers.store import key_of, vector_key
from retrievers.vectors import checked


class ShardEmbedder:
    """The task of a worker: embed the passages of a shard and write the shard's file."""

    def __init__(self, work: Path, made: EmbedderId, load: Callable[[], Embedder]) -> None:
        """Raises ModelError if ``load`` returns a different embedder from the one in ``made``."""
        self._spool, self._shards, self._made = Spool(work), Shards(work, made), made
        self._embedder = load()
        if self._embedder.fingerprint != made.fingerprint:
            raise ModelError(
                f"a worker has other files of the embedder {made.reference} than the run that "
                "started it; install the same ones on every machine"
            )

    def __call__(self, shard: Shard) -> int:
        """The number of passages embedded; 0 if the shard's file exists."""
        if self._shards.has(shard.name):
            return 0
        embedder, records = self._embedder, list(self._spool.of(shard))
        passages = list(split_all(records, embedder.count_tokens, embedder.window))
        distinct = {vector_key(entry): entry.embedded for entry in passages}
        # Passages of similar length together, because a batch is padded to its longest.
        ordered = sorted(distinct.items(), key=lambda item: -len(item[1]))
        made = checked(
            embedder.embed_documents([text for _, text in ordered]), len(ordered), self._made
        )
        rows = {key: row for row, (key, _) in enumerate(ordered)}
        vectors = made[[rows[vector_key(entry)] for entry in passages]]
        contents = {record.id: content_of(record) for record in records}
        self._shards.write(shard.name, passages, contents, vectors)
        return len(ordered)


class ReadyVectors:
    """An embedder that returns the vectors of a run, and embeds texts that the run lacks."""

    def __init__(self, embedder: Embedder, shards: Shards, work: Path) -> None:
        """Raises IndexFolderError if a shard cannot be read."""
        self._embedder = embedder
        self.reference, self.fingerprint = embedder.reference, embedder.fingerprint
        self.dimensions, self.window = embedder.dimensions, embedder.window
        self.query_window, self.normalized = embedder.query_window, embedder.normalized
        self.count_tokens, self.embed_queries = embedder.count_tokens, embedder.embed_queries
        # Arrays, because a dictionary with millions of entries would take gigabytes.
        count = shards.rows()
        keys = np.empty(count, f"S{KEY_BYTES}")
        # A file, because the records and the shards are in different orders, and all vectors may
        # not fit into memory. A file has at least one row.
        self._vectors: Vectors = np.lib.format.open_memmap(
            work / VECTORS, "w+", np.float32, (max(count, 1), self.dimensions)
        )
        start = 0
        for item, vectors in shards.read():
            place = slice(start, start := start + len(item))
            keys[place], self._vectors[place] = item, vectors
        self._rows = np.argsort(keys, kind="stable")
        self._keys = keys[self._rows]

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Vectors (n, dimensions) of passages."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        missing = []
        for place, at in enumerate(self._places(texts)):
            if at < 0:
                missing.append(place)
            else:
                vectors[place] = self._vectors[self._rows[at]]
        if progress is not None and len(missing) < len(texts):
            progress(len(texts) - len(missing))
        if missing:
            vectors[missing] = self._embedder.embed_documents(
                [texts[place] for place in missing], progress
            )
        return vectors

    def _places(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """The position of the vector of each text, or -1."""
        keys = np.array([key_of(text) for text in texts], dtype=self._keys.dtype)
        if not len(self._keys):
            return np.full(len(keys), -1, np.int64)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[at] == keys, at, -1)
