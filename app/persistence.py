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
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.sqlite.aio import AsyncSqliteStore

from anamnesis.paths import home

_OWNER = "owner"
_RUNS = 10_000  # whose threads are known
_OF_RUN = "json_extract(cast(metadata as text), '$.run_id')"


def threads_file() -> Path:
    """Where checkpoints are kept."""
    return home() / "threads.sqlite"


def store_file() -> Path:
    """Where the items of the store are kept."""
    return home() / "store.sqlite"


class Checkpointer(AsyncSqliteSaver):
    """Checkpoints in SQLite, each with its owner; what is deleted is overwritten.

    A run of a deleted thread, which ends some time after it was stopped, keeps nothing more.
    """

    def __init__(self, conn: aiosqlite.Connection) -> None:
        super().__init__(conn)
        self._threads: dict[str, str] = {}  # of the last runs, by the run's id
        self._gone: set[str] = set()  # those of them whose thread was deleted

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint to go on from: a run begins by asking for it."""
        self._noted(config)
        return await super().aget_tuple(config)

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
        if self._noted(config):
            return {
                **config,
                "configurable": {**config["configurable"], "checkpoint_id": checkpoint["id"]},
            }
        kept = await super().aput(config, checkpoint, told, new_versions)
        await self._forget_if_gone(config)
        return kept

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a step wrote until its checkpoint is kept."""
        if not self._noted(config):
            await super().aput_writes(config, writes, task_id, task_path)
            await self._forget_if_gone(config)

    def _noted(self, config: RunnableConfig) -> bool:
        """Note the run; whether its thread was deleted."""
        run = _run(config)
        if run and run not in self._threads:
            self._threads[run] = str(config["configurable"]["thread_id"])
            if len(self._threads) > _RUNS:
                oldest = next(iter(self._threads))
                del self._threads[oldest]
                self._gone.discard(oldest)
        return run in self._gone

    async def _forget_if_gone(self, config: RunnableConfig) -> None:
        """Delete what was written while the thread was being deleted."""
        if _run(config) in self._gone:
            await self.adelete_thread(str(config["configurable"]["thread_id"]))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread, and leave no byte of it in the file or in its journal."""
        self._gone |= {run for run, thread in self._threads.items() if thread == thread_id}
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


def _run(config: RunnableConfig) -> str | None:
    """The run that a checkpoint is of."""
    run = config["configurable"].get("run_id") or config.get("metadata", {}).get("run_id")
    return str(run) if run else None


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
