"""Dense retrieval: exact inner products over vectors on disk, by FAISS [R2, S2, H3].

The vectors are one memory-mapped array, which FAISS searches like an ``IndexFlatIP``. From
``COARSE_FROM`` rows on there is also a copy in half precision, which is scanned in a quarter of the
time. It proposes candidates, which are compared exactly, and a bound on the rounding error proves
that no other row could be among the best. If the proof fails, all rows are scanned.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retrievers.ranking import Scored

Vectors = npt.NDArray[np.float32]

VECTORS = "vectors.npy"
COARSE = "coarse.faiss"
COARSE_ERROR = "coarse_error.npy"

COARSE_FROM = 20_000
_CANDIDATES = 4  # coarse candidates per requested row
_MINIMUM = 64
_UNIT_ROUNDOFF = 2.0**-24


class DenseIndex:
    """Vectors on disk, opened memory-mapped. Safe to search from several threads."""

    def __init__(self, folder: Path, facts: int = 0) -> None:
        """Open the vectors that ``write_dense`` wrote into ``folder``, without the last ``facts``.

        OSError or ValueError if they are missing or invalid.
        """
        vectors = open_vectors(folder)
        self.vectors = vectors[: len(vectors) - facts]
        self._file = folder / COARSE
        self._coarse: Any = None
        self._error: float | None = None
        if self._file.exists():
            self._error = float(np.load(folder / COARSE_ERROR, allow_pickle=False)[0])

    def __len__(self) -> int:
        """The number of vectors."""
        return len(self.vectors)

    def search(self, vector: Vectors, k: int) -> list[Scored]:
        """The ``k`` rows with the highest inner products, best first; equal ones in the order of
        rows.

        ``vector`` has shape (dimensions,).
        """
        k = min(k, len(self))
        if k < 1:
            return []
        query = np.ascontiguousarray(vector, np.float32).reshape(1, -1)
        found = self._search_coarse(query, k) or self._search_all(query, k)
        return sorted(found, key=lambda scored: (-scored.score, scored.row))[:k]

    def _search_all(self, query: Vectors, k: int) -> list[Scored]:
        import faiss

        scores, rows = faiss.knn(query, self.vectors, k, metric=faiss.METRIC_INNER_PRODUCT)
        return [Scored(*pair) for pair in zip(rows[0].tolist(), scores[0].tolist(), strict=True)]

    def _search_coarse(self, query: Vectors, k: int) -> list[Scored] | None:
        """All candidates with exact scores; None if they may lack one of the best ``k``."""
        asked = max(_CANDIDATES * k, _MINIMUM)
        if self._error is None or asked >= len(self) or not self._opened():
            return None
        coarse, found = self._coarse.search(query, asked)
        rows = np.sort(found[0])
        scores = self.vectors[rows] @ query[0]
        least = np.partition(scores, -k)[-k]
        # The rows left out have at most this exact score.
        most_left_out = coarse[0, -1] + self._error * np.linalg.norm(query)
        if not least > most_left_out:
            return None
        return [Scored(*pair) for pair in zip(rows.tolist(), scores.tolist(), strict=True)]

    def _opened(self) -> bool:
        if self._coarse is None:
            import faiss

            try:
                self._coarse = faiss.read_index(str(self._file), faiss.IO_FLAG_MMAP_IFC)
            except RuntimeError:
                # A newer generation replaced this one and its files were deleted: the vectors are
                # still mapped, and give the same results more slowly.
                self._error = None
        return self._coarse is not None


def open_vectors(folder: Path) -> Vectors:
    """The vectors that ``write_dense`` wrote, memory-mapped; OSError or ValueError if none."""
    return np.asarray(np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False))


def write_dense(
    blocks: Iterable[Vectors], rows: int, dimensions: int, folder: Path, facts: int = 0
) -> None:
    """Write ``rows`` vectors, given in blocks of shape (n, dimensions), into ``folder``.

    The last ``facts`` of them are facts, which a ``DenseIndex`` does not search.
    """
    left = rows - facts
    coarse = _Coarse(dimensions) if left >= COARSE_FROM else None
    header = {"descr": "<f4", "fortran_order": False, "shape": (rows, dimensions)}
    # Not through a memory map: if the disk is full, a write fails, but a map kills the process.
    with (folder / VECTORS).open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for block in blocks:
            file.write(np.ascontiguousarray(block, "<f4").tobytes())
            if coarse is not None and left > 0:
                coarse.add(block[:left])
            left -= len(block)
    if coarse is not None:
        coarse.write(folder)


class _Coarse:
    """The copy in half precision while it is being made."""

    def __init__(self, dimensions: int) -> None:
        import faiss

        self._index = faiss.IndexScalarQuantizer(
            dimensions, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        self._lost = 0.0
        self._longest = 0.0

    def add(self, block: Vectors) -> None:
        self._index.train(block)  # trains nothing, but must be called
        self._index.add(block)
        with np.errstate(over="ignore", invalid="ignore"):
            lost = block - block.astype(np.float16).astype(np.float32)
            self._lost = np.maximum(self._lost, np.linalg.norm(lost, axis=1).max(initial=0))
        self._longest = max(self._longest, np.linalg.norm(block, axis=1).max(initial=0))

    def write(self, folder: Path) -> None:
        import faiss

        # Two float32 sums of products, one of them exact but for its own rounding.
        rounding = 2 * self._index.d * _UNIT_ROUNDOFF * self._longest
        np.save(folder / COARSE_ERROR, np.array([self._lost + rounding]), allow_pickle=False)
        try:
            faiss.write_index(self._index, str(folder / COARSE))
        except RuntimeError as error:
            raise OSError(f"{folder / COARSE}: {error}") from error
