"""Vectors of memories in Chroma, by id [H1]; Chroma never gets a text or the name of a user.

Chroma keeps deleted data in its queue and its index files, and a process does not see what another
one has written into the index. Therefore a collection is rewritten when something is deleted, the
files are then swept, and the client is opened again after a write by another process. When Chroma
opens an index, it writes uninitialised memory of the process after the last element
(chroma-core/chroma#7688); this is overwritten with zeros. The index is approximate and can miss
exact matches, so it is not used: the few vectors of a user are compared one by one.
"""

import shutil
import sqlite3
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from anamnesis import MemoryFolderError, SettingError

_CHROMA = "chroma.sqlite3"
_SEGMENTS = "select id from segments where collection = ?"
# The start of an index file's header: version, offset, capacity, elements, bytes per element.
_HEADER = struct.Struct("<i4Q")
_LENGTH = 4  # bytes; the second file has one float32 per element
_REMEDY = (
    "If the disk has room and this account may read {0}, it is damaged: delete that folder. The "
    "vectors are made again from the memories"
)
_BATCH = 1000  # vectors per call; Chroma accepts some 5,000
# One client per folder and process, because Chroma shares state among clients of a path.
_clients: dict[Path, Any] = {}
_cleaned_folders: set[Path] = set()  # folders whose index files this process has cleaned
# Cached vectors, by folder and collection; a write or removal clears them.
_cached_vectors: dict[tuple[Path, str], dict[str, NDArray[np.float32]]] = {}
_MOST_CACHED = 256  # collections


class Vectors:
    """Collections of vectors in a folder, or on a Chroma server (``http://host:port``).

    Calls must not overlap with those of another process or thread: the caller holds a lock. Raises
    SettingError for an invalid address.
    """

    def __init__(self, folder: Path, server: str | None) -> None:
        self._folder = folder
        self._address = _address(server) if server else None
        self._remote: Any = None

    def reopen(self) -> None:
        """Clear the cache; the next call reads the files."""
        self._drop_cached("")
        client = _clients.pop(self._folder, None)
        if client is not None:
            client.close()

    def ids(self, name: str) -> set[str]:
        """The ids of the vectors in a collection; empty if it does not exist."""
        with self._blanking(name) as found:
            return set(found.get(include=[])["ids"]) if found is not None else set()

    def all(self, name: str) -> dict[str, NDArray[np.float32]]:
        """The vectors in a collection by id."""
        with self._blanking(name) as found:
            if found is None:
                return {}
            got = found.get(include=["embeddings"])
            return dict(zip(got["ids"], got["embeddings"], strict=True))

    def put(self, name: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Add vectors, or replace those with the same ids."""
        self._drop_cached(name)
        if vectors:
            self._client().get_or_create_collection(
                name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
            )
            ids, rows = list(vectors), np.stack(list(vectors.values()))
            with self._blanking(name) as found:
                for start in range(0, len(ids), _BATCH):
                    some = slice(start, start + _BATCH)
                    found.upsert(ids=ids[some], embeddings=rows[some])

    def nearest(
        self, name: str, vector: NDArray[np.float32], among: Sequence[str], n: int
    ) -> list[tuple[str, float]]:
        """The ``n`` nearest of the ids in ``among`` with their cosines, best first; exact."""
        held = _cached_vectors.get((self._folder, name), {})
        if not held.keys() >= set(among):
            held = self.all(name)
            if len(_cached_vectors) >= _MOST_CACHED:
                _cached_vectors.clear()
            _cached_vectors[self._folder, name] = held
        ids = [item for item in among if item in held]
        if not ids:
            return []
        rows = np.stack([held[item] for item in ids])
        lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(vector)
        cosines = rows @ vector / np.maximum(lengths, 1e-12)
        best = np.argsort(-cosines, kind="stable")[:n]
        return [(ids[place], float(cosines[place])) for place in best]

    def drop(self, prefix: str) -> None:
        """Remove every collection whose name begins with this text."""
        self._drop_cached(prefix)
        client = self._client()
        for collection in client.list_collections():
            if collection.name.startswith(prefix):
                client.delete_collection(collection.name)

    def sweep(self) -> None:
        """Erase every byte of removed data in the folder; a server must do this itself."""
        if self._address or not (self._folder / _CHROMA).exists():
            return
        self.reopen()
        with closing(sqlite3.connect(self._folder / _CHROMA, timeout=30)) as base:
            base.execute("pragma temp_store=memory")
            base.execute("vacuum")
            used = {row[0] for row in base.execute("select id from segments")}
        kept = []
        for path in self._folder.iterdir():
            if path.name in used:
                kept.append(path)
            elif path.is_dir():
                shutil.rmtree(path)
        for path in kept:
            _blank(path)

    @contextmanager
    def _blanking(self, name: str) -> Iterator[Any]:
        """A collection or None; uninitialised memory that its index writes is erased at the end."""
        found = self._collection(name)
        try:
            yield found
        except BaseException:
            with suppress(Exception):
                self._blank(found)
            raise
        self._blank(found)

    def _blank(self, collection: Any) -> None:
        if collection is not None and not self._address:
            with closing(sqlite3.connect(self._folder / _CHROMA, timeout=30)) as base:
                segments = base.execute(_SEGMENTS, [str(collection.id)]).fetchall()
            for (segment,) in segments:
                _blank(self._folder / segment)

    def _drop_cached(self, prefix: str) -> None:
        for folder, name in list(_cached_vectors):
            if folder == self._folder and name.startswith(prefix):
                del _cached_vectors[folder, name]

    def _collection(self, name: str) -> Any:
        from chromadb.errors import NotFoundError

        try:
            return self._client().get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def _client(self) -> Any:
        if self._address:
            self._remote = self._remote or _open_client(self._address)
            return self._remote
        if self._folder not in _clients:
            self._folder.mkdir(parents=True, exist_ok=True)
            if self._folder not in _cleaned_folders:
                # An earlier process may have been killed before it erased them.
                for path in self._folder.iterdir():
                    _blank(path)
                _cleaned_folders.add(self._folder)
            try:
                _clients[self._folder] = _open_client(self._folder)
            except Exception as error:  # Chroma raises many kinds of errors
                _forget_half_opened(self._folder)
                raise MemoryFolderError(
                    f"the vectors of memories in {self._folder} cannot be opened ({error}). "
                    f"{_REMEDY.format(self._folder)}"
                ) from error
        return _clients[self._folder]


def _blank(segment: Path) -> None:
    """Write zeros after the last element in the index files of a folder, if it has any."""
    header = segment / "header.bin"
    if not header.exists():
        return
    raw = header.read_bytes()
    version, _, _, elements, size = _HEADER.unpack_from(raw.ljust(_HEADER.size, b"\0"))
    if version != 1:
        # The position of the last element is unknown, so the data cannot be erased reliably.
        raise MemoryFolderError(
            f"{header} is of another version of Chroma's index files ({version}, not 1); "
            "install chromadb 1.5, which writes and reads version 1. "
            f"{_REMEDY.format(segment.parent)}"
        )
    widths = {segment / "data_level0.bin": size, segment / "length.bin": _LENGTH}
    for path, width in widths.items():
        with path.open("r+b") as file:
            file.seek(elements * width)
            rest = file.read()
            if rest.count(0) != len(rest):
                file.seek(elements * width)
                file.write(bytes(len(rest)))


def _open_client(place: Path | tuple[str, int, bool]) -> Any:
    import chromadb
    from chromadb.config import Settings

    # No settings from a file in the working folder.
    settings = Settings(_env_file=None, anonymized_telemetry=False)
    if isinstance(place, Path):
        return chromadb.PersistentClient(place, settings)
    host, port, ssl = place
    return chromadb.HttpClient(host, port, ssl, settings=settings)


def _forget_half_opened(folder: Path) -> None:
    """Make Chroma open a folder again the next time: it remembers a failed attempt."""
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient._identifier_to_system.pop(str(folder), None)


def _address(server: str) -> tuple[str, int, bool]:
    try:
        parts = urlsplit(server)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise SettingError(
            f"the memory server must be an address such as http://host:8000: {server!r}"
        )
    return parts.hostname, port or 8000, parts.scheme == "https"
