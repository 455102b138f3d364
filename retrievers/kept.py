"""Vectors stored while an index is being made, so that an interrupted run can be resumed."""

import shutil
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from retrievers.dense import Vectors
from retrievers.manifest import EmbedderId, sync

RESUME = "resume"
KEY_BYTES = 16


class ResumableVectors:
    """Vectors by vector key, in numbered files of the folder ``resume``.

    Each file is written completely or not at all. Files of another embedder are ignored.
    """

    def __init__(self, folder: Path, embedder: EmbedderId) -> None:
        """``folder`` is the index folder."""
        self._root = folder / RESUME
        name = blake2b(embedder.fingerprint.encode(), digest_size=KEY_BYTES).hexdigest()
        self._folder = self._root / name
        self._form = np.dtype(
            [("key", np.uint8, (KEY_BYTES,)), ("vector", np.float32, (embedder.dimensions,))]
        )

    def add(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Store the vectors (n, dimensions) of ``keys``."""
        rows = np.empty(len(keys), self._form)
        rows["key"] = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, KEY_BYTES)
        rows["vector"] = vectors
        self._folder.mkdir(parents=True, exist_ok=True)
        number = sum(1 for _ in self._folder.glob("*.npy"))
        new = self._folder / f"{number:06d}.new"
        with new.open("wb") as file:
            np.save(file, rows, allow_pickle=False)
        sync(new)
        new.replace(new.with_suffix(".npy"))

    def read(self) -> Iterator[tuple[list[bytes], Vectors]]:
        """The keys and vectors of each file; damaged files are skipped."""
        for path in sorted(self._folder.glob("*.npy")):
            try:
                rows = np.load(path, mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError):
                continue
            if rows.dtype == self._form:
                yield [key.tobytes() for key in rows["key"]], rows["vector"]

    def clear(self) -> None:
        """Delete all vectors, including those of other embedders."""
        shutil.rmtree(self._root, ignore_errors=True)
