"""Storage of the server's threads and store in SQLite files in the data folder.

``langgraph.json`` names ``checkpointer`` and ``store``. The server writes its list of threads only
every ten seconds; ``kept_threads`` returns those that a killed server lost from it.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, NamedTuple

import aiosqlite
from langgraph.store.base import Item, NamespacePath, SearchItem
from langgraph.store.sqlite.aio import AsyncSqliteStore
from starlette.exceptions import HTTPException

from anamnesis import DataFileError
from anamnesis.paths import home
from app.server.callers import caller
from app.server.checkpoints import OWNER, Checkpointer
from app.users.tokens import user_label


def threads_file() -> Path:
    """The file of the checkpoints."""
    return home() / "threads.sqlite"


def store_file() -> Path:
    """The file of the store's items."""
    return home() / "store.sqlite"


@asynccontextmanager
async def checkpointer() -> AsyncIterator[Checkpointer]:
    """The checkpointer of the server."""
    async with _opened(threads_file()) as base:
        saver = Checkpointer(base)
        await saver.setup()
        yield saver


class OwnStore(AsyncSqliteStore):
    """A store in which each user sees and changes only items below their own name.

    A namespace of another user is answered with 404, like a missing item.
    """

    async def aget(self, namespace: tuple[str, ...], key: str, **options: Any) -> Item | None:
        """An item; None if there is none."""
        _check(namespace)
        return await super().aget(namespace, key, **options)

    async def asearch(self, namespace: tuple[str, ...], /, **options: Any) -> list[SearchItem]:
        """The items below a namespace."""
        _check(namespace)
        return await super().asearch(namespace, **options)

    async def alist_namespaces(
        self, *, prefix: NamespacePath | None = None, **options: Any
    ) -> list[tuple[str, ...]]:
        """The namespaces below a prefix."""
        _check(tuple(prefix or ()))
        return await super().alist_namespaces(prefix=prefix, **options)

    async def aput(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: Mapping[str, Any],
        *more: Any,
        **options: Any,
    ) -> None:
        """Store an item."""
        _check(namespace)
        await super().aput(namespace, key, value, *more, **options)

    async def adelete(self, namespace: tuple[str, ...], key: str) -> None:
        """Delete an item."""
        _check(namespace)
        await super().adelete(namespace, key)


def _check(namespace: tuple[str, ...]) -> None:
    """Raise HTTPException unless the namespace is the caller's."""
    user = caller()
    if user is not None and namespace[:1] != (user_label(user),):
        raise HTTPException(404, "Item not found")


@asynccontextmanager
async def store() -> AsyncIterator[OwnStore]:
    """The store of the server."""
    async with _opened(store_file(), isolation_level=None) as base:
        kept = OwnStore(base)
        await kept.setup()
        yield kept


class KeptThread(NamedTuple):
    """A thread according to its checkpoints; ``owner`` is None if no tokens were in use."""

    thread: str
    graph: str | None
    owner: str | None


def kept_threads() -> Iterator[KeptThread]:
    """The threads that have checkpoints."""
    if not threads_file().exists():
        return
    with closing(sqlite3.connect(threads_file(), timeout=30)) as base:
        # A checkpoint that the server wrote by itself may lack both.
        rows = "select thread_id, cast(metadata as text) as metadata from checkpoints"
        graph, owner = (f"max(json_extract(metadata, '$.{key}'))" for key in ("graph_id", OWNER))
        chosen = f"select thread_id, {graph}, {owner} from ({rows}) group by thread_id"
        yield from map(KeptThread._make, base.execute(chosen).fetchall())


@asynccontextmanager
async def _opened(path: Path, **options: Any) -> AsyncIterator[aiosqlite.Connection]:
    await asyncio.to_thread(_check_file, path)
    async with aiosqlite.connect(path, timeout=30, **options) as base:
        await base.execute("pragma secure_delete = on")
        yield base


def _check_file(path: Path) -> None:
    """Create the file if it is missing. Raises DataFileError if it cannot be used."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        with closing(sqlite3.connect(path, timeout=30)) as base:
            (found,) = base.execute("pragma quick_check(1)").fetchone()
    except (OSError, sqlite3.Error) as error:
        raise _damaged(path, error) from error
    if found != "ok":
        raise _damaged(path, found)


def _damaged(path: Path, why: object) -> DataFileError:
    reason = " ".join(str(why).split())
    return DataFileError(
        f"{path} is damaged or cannot be written ({reason}). Restore it from a copy, or move it "
        "away, which loses its contents; then start the server again"
    )
