"""Opens the index at a folder or an address, for reading and for writing.

An engine on a server is one entry of ``ENGINES``: its class takes the address and has the methods
of ``Engine``. Its module is imported only when an address names it.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from anamnesis.address import Address, Location
from anamnesis.errors import IndexFolderError, SettingError
from anamnesis.models.embedding import DEFAULT_EMBEDDER, Embedder
from anamnesis.models.once import LoadedObjects
from retrievers.corpus import Corpus, Generation, Writer
from retrievers.file_writer import FileWriter
from retrievers.index import Index, open_index
from retrievers.manifest import MANIFEST, Manifest, read_manifest


class Engine(Protocol):
    """A server that holds an index. Safe to use from several threads."""

    def corpus(self) -> Generation:
        """The index in its present state; IndexFolderError if there is none."""

    def manifest(self) -> Manifest | None:
        """The manifest of its present contents; None before anything was written."""

    def writer(self, embedder: Callable[[], Embedder] | None = None) -> Writer:
        """The writer. ``embedder`` is called if there is anything to embed."""

    def close(self) -> None:
        """Close all connections."""


class Kind(NamedTuple):
    """An engine's class, and the extra of pip with the packages that it needs."""

    module: str
    name: str
    extra: str


ENGINES = {
    "postgresql": Kind("retrievers.postgres", "PostgresEngine", "postgres"),
    "postgres": Kind("retrievers.postgres", "PostgresEngine", "postgres"),
    "milvus": Kind("retrievers.milvus", "MilvusEngine", "milvus"),
}
"""The engines by the scheme of their addresses."""

_engines: LoadedObjects[Address, Engine] = LoadedObjects()


def open_corpus(where: Location, embedder: Embedder | None = None) -> Corpus:
    """The index at a folder or an address, in its present state.

    ``embedder`` embeds the queries; None: the one that the manifest names. Each process connects to
    an engine once. Raises IndexFolderError if there is no index or it cannot be used, SettingError
    for an address of an unknown scheme.
    """
    if isinstance(where, Path):
        return open_index(where, embedder)
    found = engine_at(where).corpus()
    return cast(Corpus, found if embedder is None else found.with_embedder(embedder))


def manifest_at(where: Location) -> Manifest | None:
    """The manifest of the index at a folder or an address; None if there is no index."""
    if isinstance(where, Path):
        return read_manifest(where) if (where / MANIFEST).exists() else None
    return engine_at(where).manifest()


def writer_at(where: Location, embedder: Callable[[], Embedder]) -> Writer:
    """The writer of the index at a folder or an address; ``embedder`` is called when needed."""
    if isinstance(where, Path):
        return FileWriter(where, embedder, Index)
    return engine_at(where).writer(embedder)


def engine_at(address: Address) -> Engine:
    """The engine of an address, after connecting to it. Raises as ``open_corpus`` does."""
    kind = ENGINES.get(address.scheme)
    if kind is None:
        known = ", ".join(f"{scheme}://" for scheme in ENGINES)
        raise SettingError(
            f"no engine has the scheme {address.scheme}://; give a folder, or an address that "
            f"begins with one of {known}"
        )

    def connected() -> Engine:
        try:
            return cast(Engine, getattr(import_module(kind.module), kind.name)(address))
        except ModuleNotFoundError as error:
            raise IndexFolderError(
                f"{address.scheme}:// needs the package {error.name}: "
                f"pip install 'anamnesis[{kind.extra}]'"
            ) from error

    return _engines.get_or_load(address, connected)


def embedder_of(where: Location, named: str | None, rebuild: bool = False) -> str:
    """The embedder for indexing: the named one, otherwise the index's, otherwise the default."""
    # An existing index keeps its embedder.
    there = None if rebuild else manifest_at(where)
    return named or (there.embedder.reference if there else DEFAULT_EMBEDDER)
