"""A corpus in Milvus: a server for very many passages, or one file of milvus-lite [R1, R2].

BM25 is Milvus' own function, vectors are compared exactly, and the lists are fused by this program.
A writer makes the next generation in new collections, then switches an alias to it, which is atomic
in Milvus. Open readers can use the old one for ``GRACE`` more seconds. Facts are kept in an index
folder.

Deleted text is in no answer as soon as the alias is switched. The first question or update after
``GRACE`` seconds drops a replaced generation as a whole, so that no deletion waits for a
compaction. milvus-lite then deletes its files; on a server the garbage collector does.
"""

import json
import logging
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

from anamnesis.address import Address
from anamnesis.errors import IndexFolderError, SettingError
from anamnesis.models.embedding import Embedder
from anamnesis.models.once import LatestObject
from retrievers.corpus import ServerEngine
from retrievers.manifest import Manifest, manifest_of
from retrievers.milvus_reading import MilvusCorpus
from retrievers.milvus_tables import (
    GENERATIONS,
    NOW,
    answering,
    counts_of,
    drop,
    make_plain,
    passages_of,
    records_of,
    rows_of,
)
from retrievers.milvus_writing import MilvusWriter

GRACE = 300.0
"""Seconds for which a replaced generation is kept for its readers."""

_ABANDONED = 86_400.0  # seconds; after them a generation without a manifest is abandoned
_PATIENCE = 10.0  # seconds for a connection


class MilvusEngine(ServerEngine):
    """A Milvus that holds a corpus: opened for reading, and for writing."""

    def __init__(
        self, address: Address | str, embedder: Embedder | None = None, *, grace: float = GRACE
    ) -> None:
        """Connect to ``address``: ``milvus://user:password@host:19530/database`` or
        ``milvus:///folder/file.db``; with ``?secure=true`` by TLS.

        ``embedder`` embeds the queries; None: the one that the manifest names.

        Raises SettingError for an address that cannot be read, IndexFolderError if the server
        cannot be reached or the file is in use. No message has a password.
        """
        from pymilvus import MilvusClient
        from pymilvus.exceptions import MilvusException

        self.where = Address(address) if isinstance(address, str) else address
        self.name = f"Milvus at {self.where}"
        self._embedder, self._grace = embedder, grace
        self._latest = LatestObject[MilvusCorpus]()
        self._swept = 0.0
        given = _arguments(self.where)
        if "://" not in given["uri"]:
            # The client can do without what milvus-lite lacks, but gRPC would print an error for
            # it.
            logging.getLogger("grpc._server").setLevel(logging.CRITICAL)
        try:
            self.client: Any = MilvusClient(**given, timeout=_PATIENCE)
            if not self.client.has_collection(GENERATIONS):
                make_plain(self.client, GENERATIONS)
            self.client.load_collection(GENERATIONS)
        except ModuleNotFoundError:
            raise
        except (MilvusException, OSError, RuntimeError) as error:
            message = getattr(error, "message", "") or type(error).__name__
            raise IndexFolderError(
                f"{self.name} cannot be used: {message}. Make sure that the server runs and "
                "accepts the user and the password; a file is used by one process at a time"
            ) from error

    def corpus(self) -> MilvusCorpus:
        """The current generation. Raises IndexFolderError if there is no index yet."""
        with answering(self.name):
            # After an error, such as a restart, it is opened again: its collections have to be
            # loaded.
            corpus = self._latest.get_or_load(
                lambda kept: kept.generation == self._named_now(), self._open
            )
            if time.monotonic() - self._swept > self._grace / 5:
                self.sweep()
            return corpus

    def _open(self) -> MilvusCorpus:
        found = self.current()
        if found is None:
            raise IndexFolderError(
                f"There is no index in {self.name} yet. Make one with: "
                "anamnesis index FORMAT PATH --index milvus://…"
            )
        if self._embedder is not None:
            self.embedder_of(found[1])
        return MilvusCorpus(self, *found)

    def manifest(self) -> Manifest | None:
        """The manifest of the current generation; None before anything was written."""
        with answering(self.name):
            found = self.current()
        return found[1] if found else None

    def current(self) -> tuple[str, Manifest] | None:
        """The current generation and its manifest."""
        generation = self._generation()
        if generation is None:
            return None
        for name in (passages_of(generation), records_of(generation), counts_of(generation)):
            # After a restart Milvus may have no collection in memory.
            self.client.load_collection(name)
        return generation, manifest_of(self._noted()[generation]["manifest"])

    def drafted(self, generation: str, manifest: Manifest, embedder: Embedder) -> MilvusCorpus:
        """A generation that is not yet the current one."""
        return MilvusCorpus(_Fixed(self, embedder), generation, manifest)

    def writer(self, embedder: Callable[[], Embedder] | None = None) -> MilvusWriter:
        """The writer of the next generation; ``embedder`` is called if it is needed."""
        return MilvusWriter(self, embedder or self.next_embedder)

    def sweep(self) -> None:
        """Delete generations that were replaced ``GRACE`` seconds ago, or left by killed runs."""
        self._swept, now = time.monotonic(), time.time()
        present = self._generation()
        for generation, said in self._noted().items():
            replaced, begun = said.get("replaced"), said.get("begun")
            old = replaced is not None and now - replaced >= self._grace
            left = begun is not None and now - begun >= _ABANDONED
            if generation != present and (old or left):
                drop(self.client, generation)

    def close(self) -> None:
        """Close the connection."""
        self.client.close()

    def _generation(self) -> str | None:
        # For an index that does not exist yet, asking for the alias would be an error.
        written = any("manifest" in item for item in self._noted().values())
        return self._named_now() if written else None

    def _named_now(self) -> str:
        name = str(self.client.describe_alias(alias=NOW)["collection_name"])
        return name.removeprefix("anamnesis_")

    def _noted(self) -> dict[str, dict[str, Any]]:
        self.client.load_collection(GENERATIONS)
        rows = rows_of(self.client, GENERATIONS, ["body"])
        return {row["key"]: json.loads(row["body"]) for row in rows}


class _Fixed:
    """A server of which the embedder of the generation is known."""

    def __init__(self, engine: MilvusEngine, embedder: Embedder) -> None:
        self.client, self.name, self._embedder = engine.client, engine.name, embedder
        self.writer = engine.writer

    def embedder_of(self, manifest: Manifest) -> Embedder:
        return self._embedder


def _arguments(address: Address) -> dict[str, Any]:
    """The arguments of the client. Raises SettingError, which does not repeat the address."""
    try:
        parts = urlsplit(address.reveal())
        port = parts.port
    except ValueError:
        parts, port = urlsplit("milvus:"), None
    if not parts.hostname and parts.path.strip("/") and not parts.netloc:
        return {"uri": unquote(parts.path)}
    if not parts.hostname:
        raise SettingError(
            "the address of Milvus cannot be read; it has the form "
            "milvus://user:password@host:19530/database, or milvus:///folder/file.db for a file"
        )
    secure = "secure=true" in parts.query.split("&")
    given = {"uri": f"{'https' if secure else 'http'}://{parts.hostname}:{port or 19530}"}
    if parts.username:
        given["token"] = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    if parts.path.strip("/"):
        given["db_name"] = unquote(parts.path.strip("/"))
    return given
