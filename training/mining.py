"""Hard negatives: texts that BM25 ranks as relevant but that are not."""

import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Self

from retrievers.sparse import SparseIndex, write_sparse


class Miner:
    """Finds the ``texts`` whose words are nearest to a query. A context manager."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="anamnesis-mining-")
        write_sparse(texts, Path(self._folder.name))
        self._index = SparseIndex(Path(self._folder.name))

    def near(self, query: str, number: int, without: Collection[int]) -> list[int]:
        """Indices of the ``number`` nearest texts that are not in ``without``, nearest first."""
        found = self._index.search(query, number + len(without))
        return [row for row, _ in found if row not in without][:number]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()
