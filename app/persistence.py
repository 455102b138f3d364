"""What the server keeps of its threads, and of its store: SQLite files in the data folder.

``langgraph.json`` names ``checkpointer`` and ``store``. The server itself writes its list of
threads every ten seconds only; ``kept_threads`` tells those that a kill has lost from it.
"""

import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, NamedTuple

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.sqlite.aio import AsyncSqliteStore

from anamnesis.paths import home

_OWNER = "owner"
_OF_RUN = "json_extract(cast(metadata as text), '$.run_id')"


def threads_file() -> Path:
    """Where checkpoints are kept."""
    return home() / "threads.sqlite"


def store_file() -> Path:
    """Where the items of the store are kept."""
    return home() / "store.sqlite"


class Checkpointer(AsyncSqliteSaver):
    """Checkpoints in SQLite, each with its owner; what is deleted is overwritten."""

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint; the authenticated user is its owner, whatever the metadata says."""
        user = config["configurable"].get("langgraph_auth_user")
        owner = None if user is None or not user.is_authenticated else str(user.identity)
        told: Any = {**metadata, _OWNER: owner}
        return await super().aput(config, checkpoint, told, new_versions)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread, and leave no byte of it in the file or in its journal."""
        await self.setup()
        await super().adelete_thread(thread_id)
        await self._empty_journal()

    async def adelete_for_runs(self, run_ids: Iterable[str]) -> None:
        """Delete the checkpoints that the runs have written."""
        await self.setup()
        for run in run_ids:
            await self._delete(f"{_OF_RUN} = ?", [run])

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete the threads' checkpoints, with ``keep_latest`` but for the last of each."""
        await self.setup()
        for thread in thread_ids:
            if strategy == "delete":
                await self.adelete_thread(str(thread))
                continue
            await self._delete(
                "thread_id = ? and checkpoint_id not in (select max(checkpoint_id) from "
                "checkpoints where thread_id = ? group by checkpoint_ns)",
                [str(thread), str(thread)],
            )

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread's checkpoints, with their owner, to a thread that has none."""
        await self.setup()
        columns = "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"
        written = "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value"
        async with self.lock:
            for table, own in (("checkpoints", columns), ("writes", written)):
                await self.conn.execute(
                    f"insert into {table} (thread_id, {own}) "
                    f"select ?, {own} from {table} where thread_id = ?",
                    [target_thread_id, source_thread_id],
                )
            await self.conn.commit()

    async def _delete(self, which: str, values: Sequence[str]) -> None:
        async with self.lock:
            await self.conn.execute(
                "delete from writes where (thread_id, checkpoint_ns, checkpoint_id) in "
                f"(select thread_id, checkpoint_ns, checkpoint_id from checkpoints where {which})",
                values,
            )
            await self.conn.execute(f"delete from checkpoints where {which}", values)
            await self.conn.commit()
        await self._empty_journal()

    async def _empty_journal(self) -> None:
        async with self.lock:
            await self.conn.execute("pragma wal_checkpoint(truncate)")


@asynccontextmanager
async def checkpointer() -> AsyncIterator[Checkpointer]:
    """The checkpointer of the server."""
    async with _opened(threads_file()) as base:
        saver = Checkpointer(base)
        await saver.setup()
        yield saver


@asynccontextmanager
async def store() -> AsyncIterator[AsyncSqliteStore]:
    """The store of the server."""
    async with _opened(store_file(), isolation_level=None) as base:
        kept = AsyncSqliteStore(base)
        await kept.setup()
        yield kept


class KeptThread(NamedTuple):
    """A thread as its checkpoints tell it; ``owner`` is None where no tokens were in use."""

    thread: str
    graph: str | None
    owner: str | None


def kept_threads() -> Iterator[KeptThread]:
    """The threads that have checkpoints."""
    if not threads_file().exists():
        return
    with closing(sqlite3.connect(threads_file(), timeout=30)) as base:
        # A checkpoint that the server wrote by itself may tell neither.
        told = "select thread_id, cast(metadata as text) as metadata from checkpoints"
        graph, owner = (f"max(json_extract(metadata, '$.{key}'))" for key in ("graph_id", _OWNER))
        chosen = f"select thread_id, {graph}, {owner} from ({told}) group by thread_id"
        yield from map(KeptThread._make, base.execute(chosen).fetchall())


@asynccontextmanager
async def _opened(path: Path, **options: Any) -> AsyncIterator[aiosqlite.Connection]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    async with aiosqlite.connect(path, timeout=30, **options) as base:
        await base.execute("pragma secure_delete = on")
        yield base
