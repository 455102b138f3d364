"""Checkpoints in SQLite, each with its owner, who alone may write and delete it.

The server checks the owner of a thread before it calls a method. It is checked here again, because
a request may name a thread and a run that do not belong together.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from math import ceil
from time import time
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from starlette.exceptions import HTTPException

from anamnesis import DataFileError
from app.server.callers import caller, named_thread, owner_of
from app.users.forgetting import forget_kept
from nodes.remembering.start_time import time_of_run

OWNER = "owner"
"""The key in a checkpoint's metadata for its owner."""

_RUNS = 10_000  # runs whose threads are known
_THREADS = 10_000  # threads whose owners are known
_WAIT = 30  # seconds to wait for a reader
_METADATA = "cast(metadata as text)"
_OWNER_OF = f"json_extract({_METADATA}, '$.{OWNER}')"


class Checkpointer(AsyncSqliteSaver):
    """Checkpoints in SQLite, each with its owner; deleted data is overwritten.

    A thread of another user is answered with 404, like a missing one. A run of a deleted thread,
    which ends some time after it was stopped, stores nothing more.
    """

    def __init__(self, conn: aiosqlite.Connection) -> None:
        super().__init__(conn)
        self._threads: dict[str, str] = {}  # the threads of the last runs, by the run's id
        self._gone: set[str] = set()  # those of these runs whose thread was deleted
        self._deleted: dict[str, float] = {}  # deletion times of the last threads, in Unix seconds
        self._owners: dict[str, str] = {}  # owners of threads that were checked
        # Held during each write or deletion: nothing is written after a deletion.
        self._order = asyncio.Lock()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint from which a run continues; every run starts by reading it."""
        self._noted(config)
        await self._check(str(config["configurable"]["thread_id"]), _user(config))
        return await super().aget_tuple(config)

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """The checkpoints of a thread, newest first."""
        if config is not None:
            await self._check(str(config["configurable"]["thread_id"]), _user(config))
        async for found in super().alist(config, **options):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; the authenticated user is its owner, whatever the metadata says."""
        keys, owner = config["configurable"], _user(config)
        owned: Any = {**metadata, OWNER: owner}
        async with self._order:
            if self._noted(config):
                return {**config, "configurable": {**keys, "checkpoint_id": checkpoint["id"]}}
            await self._check(str(keys["thread_id"]), owner)
            kept = await super().aput(config, checkpoint, owned, new_versions)
            await self._drop_writes(keys)
            return kept

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store the writes of a step until its checkpoint is stored."""
        async with self._order:
            if not self._noted(config):
                await self._check(str(config["configurable"]["thread_id"]), _user(config))
                await super().aput_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread, and leave no byte of it in the file or its journal."""
        await self.setup()
        async with self._order:
            await self._check(thread_id, caller())
            if named_thread() is not None:  # the server itself ends runs without a thread this way
                await asyncio.to_thread(forget_kept, caller())
            self._gone |= {run for run, thread in self._threads.items() if thread == thread_id}
            # A run may have been taken from the list without having read a checkpoint yet.
            self._deleted[thread_id] = ceil(time() * 1000) / 1000
            if len(self._deleted) > _THREADS:
                del self._deleted[next(iter(self._deleted))]
            self._owners.pop(thread_id, None)
            await super().adelete_thread(thread_id)
            await self._empty_journal()

    async def adelete_for_runs(self, run_ids: Iterable[str]) -> None:
        """Delete the checkpoints that the runs have written.

        Only those of the thread that the request names, if any, and of the caller's own threads.
        """
        await self.setup()
        named = named_thread()
        for run in run_ids:
            of_run, values = f"json_extract({_METADATA}, '$.run_id') = ?", [run]
            if named is not None:
                of_run, values = f"thread_id = ? and {of_run}", [named, run]
            chosen = f"select distinct thread_id from checkpoints where {of_run}"
            async with self._order:
                async with self.lock, self.conn.execute(chosen, values) as found:
                    threads = [str(thread) for (thread,) in await found.fetchall()]
                for thread in threads:
                    if not await self._foreign(thread, caller()):
                        await self._delete(f"thread_id = ? and {of_run}", [thread, *values])
        if named is not None:
            await asyncio.to_thread(forget_kept, caller())

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete the threads' checkpoints; with ``keep_latest`` all but the last of each thread."""
        await self.setup()
        threads = [str(thread) for thread in thread_ids]
        for thread in threads:  # all are checked before any is deleted
            await self._check(thread, caller())
        for thread in threads:
            if strategy != "keep_latest":
                await self.adelete_thread(thread)
                continue
            async with self._order:
                await self._delete(
                    "thread_id = ? and checkpoint_id not in (select max(checkpoint_id) from "
                    "checkpoints where thread_id = ? group by checkpoint_ns)",
                    [thread, thread],
                )

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread's checkpoints, with their owner, to a thread without checkpoints."""
        await self.setup()
        columns = "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"
        written = "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value"
        async with self._order:
            await self._check(source_thread_id, caller())
            await self._check(target_thread_id, caller())
            async with self.lock:
                for table, item in (("checkpoints", columns), ("writes", written)):
                    await self.conn.execute(
                        f"insert into {table} (thread_id, {item}) "
                        f"select ?, {item} from {table} where thread_id = ?",
                        [target_thread_id, source_thread_id],
                    )
                await self.conn.commit()

    def _noted(self, config: RunnableConfig) -> bool:
        """Remember the run. Returns whether its thread was deleted."""
        run = _run(config)
        if run and run not in self._threads:
            thread = str(config["configurable"]["thread_id"])
            self._threads[run] = thread
            if time_of_run(run) <= self._deleted.get(thread, 0):
                self._gone.add(run)
            if len(self._threads) > _RUNS:
                oldest = next(iter(self._threads))
                del self._threads[oldest]
                self._gone.discard(oldest)
        return run in self._gone

    async def _check(self, thread: str, user: str | None) -> None:
        """Raise HTTPException unless the thread is the user's or does not exist."""
        if await self._foreign(thread, user):
            raise HTTPException(404, f"Thread with ID {thread} not found")

    async def _foreign(self, thread: str, user: str | None) -> bool:
        """Whether the thread exists and is not the user's; without tokens there is one user."""
        if user is None:
            return False
        if thread not in self._owners:
            await self.setup()
            chosen = f"select count(*), max({_OWNER_OF}) from checkpoints where thread_id = ?"
            async with self.lock, self.conn.execute(chosen, [thread]) as found:
                count, owner = await found.fetchone() or (0, None)
            if not count or owner is None:
                return bool(count)
            if len(self._owners) >= _THREADS:
                self._owners.clear()
            self._owners[thread] = str(owner)
        return self._owners[thread] != user

    async def _drop_writes(self, before: dict[str, Any]) -> None:
        """Delete the writes of the steps before a checkpoint once the next checkpoint holds them.

        An interrupted run continues from its last checkpoint, and time travel repeats the steps
        after an earlier one: neither reads these writes.
        """
        if not before.get("checkpoint_id"):
            return
        async with self.lock:
            await self.conn.execute(
                "delete from writes where thread_id = ? and checkpoint_ns = ? "
                "and checkpoint_id = ?",
                [before["thread_id"], before.get("checkpoint_ns", ""), before["checkpoint_id"]],
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
        """Empty the journal, which otherwise still holds deleted data."""
        async with self.lock:
            for _ in range(_WAIT * 10):
                async with self.conn.execute("pragma wal_checkpoint(truncate)") as cursor:
                    row = await cursor.fetchone()
                if row is None or not row[0]:
                    return
                await asyncio.sleep(0.1)
        raise DataFileError(
            "what was deleted is still in the journal of threads.sqlite, which another program "
            "reads; close that program and delete again"
        )


def _user(config: RunnableConfig) -> str | None:
    """The user of the run, or the caller outside a run."""
    return owner_of(config["configurable"].get("langgraph_auth_user")) or caller()


def _run(config: RunnableConfig) -> str | None:
    """The run that wrote a checkpoint."""
    run = config["configurable"].get("run_id") or config.get("metadata", {}).get("run_id")
    return str(run) if run else None
