"""The vectors of the records: one collection per owner; missing vectors are made again.

All functions run inside a transaction of the database, which excludes others.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anamnesis.memory.database import records, state
from anamnesis.memory.matching import forget_words
from anamnesis.memory.record import Memory, Scope
from anamnesis.memory.vectors import Vectors

# The number of writes when the vectors were last read in this process, by folder.
_read_at: dict[Path, int] = {}


class Embedder(Protocol):
    """The part of an embedder that memories need: vectors of float32, one row per text."""

    @property
    def fingerprint(self) -> str: ...  # noqa: D102
    def embed_queries(self, texts: list[str]) -> NDArray[np.float32]: ...  # noqa: D102


class Index:
    """Vectors of one folder's memories by an embedder, synchronised with the records."""

    def __init__(self, folder: Path, embedder: Embedder, server: str | None) -> None:
        self._folder = folder
        self._embedder = embedder
        self._vectors = Vectors(folder, server)

    def embed(self, memories: Sequence[Memory]) -> dict[str, NDArray[np.float32]]:
        """Vectors of memories by id."""
        if not memories:
            return {}
        rows = self._embedder.embed_queries([memory.text for memory in memories])
        return {memory.id: row for memory, row in zip(memories, rows, strict=True)}

    def refresh(self, base: sqlite3.Connection) -> None:
        """Read the files again if another process has written since."""
        writes = state(base, "writes")
        if _read_at.get(self._folder) != writes:
            self._vectors.reopen()
            forget_words()
            _read_at[self._folder] = writes

    def note_write(self, writes: int) -> None:
        """Note a write of this process, after which the files need not be read again."""
        _read_at[self._folder] = writes

    def put(self, scope: Scope, owner: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Add vectors of an owner's memories."""
        self._vectors.put(self._name(scope, owner), vectors)

    def nearest(
        self, scope: Scope, owner: str, asked: NDArray[np.float32], among: Sequence[str], n: int
    ) -> list[tuple[str, float]]:
        """The ``n`` nearest of the ids in ``among`` with their cosines, best first."""
        return self._vectors.nearest(self._name(scope, owner), asked, among, n)

    def synchronise(self, base: sqlite3.Connection, scope: Scope, owner: str) -> None:
        """Make sure that every record, and nothing else, has a vector of this embedder."""
        rows = set(ids_of(base, scope, owner))
        if self._vectors.ids(self._name(scope, owner)) != rows:
            self.rewrite(base, scope, owner)

    def rewrite(
        self, base: sqlite3.Connection, scope: Scope, owner: str, changed: Sequence[str] = ()
    ) -> None:
        """Rewrite a collection: drop vectors without a record, embed records without a vector."""
        forget_words()
        name, rows = self._name(scope, owner), set(ids_of(base, scope, owner))
        left = {
            item: vector
            for item, vector in self._vectors.all(name).items()
            if item in rows and item not in changed
        }
        every = records(base, *_condition(scope, owner), strict=False)
        missing = [memory for memory in every if memory.id not in left]
        left |= self.embed(missing)
        # Collections of other embedders are dropped too: their vectors cannot be compared.
        self._vectors.drop(name.rpartition("-")[0] + "-")
        self._vectors.put(name, left)

    def sweep(self) -> None:
        """Erase every byte of removed vectors."""
        self._vectors.sweep()

    def _name(self, scope: Scope, owner: str) -> str:
        whose = _hash(owner) if scope == "private" else "all"
        return f"{scope}-{whose}-{_hash(self._embedder.fingerprint)}"


def ids_of(base: sqlite3.Connection, scope: Scope, owner: str) -> list[str]:
    """The ids of the records whose vectors are in one collection."""
    condition, values = _condition(scope, owner)
    return [row[0] for row in base.execute(f"select id from memories where {condition}", values)]


def _condition(scope: Scope, owner: str) -> tuple[str, list[str]]:
    if scope == "private":
        return "scope = 'private' and owner = ?", [owner]
    return "scope = 'expert'", []


def _hash(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()
