"""The server's SQLite files: what is kept of a thread, whose it is, and what deletion leaves."""

import asyncio
import stat
import time
from pathlib import Path
from typing import Any, TypedDict, cast
from uuid import UUID

import pytest
from langgraph.graph import END, START, StateGraph
from starlette.authentication import SimpleUser, UnauthenticatedUser

from app.server.app import mend
from app.server.persistence import Checkpointer, checkpointer, kept_threads, store, threads_file

pytestmark = pytest.mark.usefixtures("new_home")

SECRET = "zebrafish" * 50


class Said(TypedDict):
    text: str


class Named(SimpleUser):
    @property
    def identity(self) -> str:
        return self.username


async def turn(saver: Checkpointer, thread: str, run: str, user: Any = None) -> None:
    builder = StateGraph(Said)
    builder.add_node("say", lambda state: {"text": state["text"].upper()})
    builder.add_edge(START, "say")
    builder.add_edge("say", END)
    fields = {"thread_id": thread, "langgraph_auth_user": user}
    # What the request says of the owner does not count.
    metadata = {"run_id": run, "owner": "eve"}
    config: Any = {"configurable": fields, "metadata": metadata}
    await builder.compile(checkpointer=saver).ainvoke({"text": SECRET}, config)


async def ids(saver: Checkpointer, thread: str) -> list[str]:
    asked: Any = {"configurable": {"thread_id": thread}}
    return [
        checkpoint.config["configurable"]["checkpoint_id"]
        async for checkpoint in saver.alist(asked)
    ]


def files(new_home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in new_home.iterdir())


def test_a_threads_owner_is_who_was_authenticated(new_home: Path) -> None:
    async def run() -> None:
        async with checkpointer() as saver:
            await turn(saver, "1", "a", Named("ann"))
            await turn(saver, "2", "b", UnauthenticatedUser())
            await turn(saver, "3", "c")

    assert list(kept_threads()) == []
    asyncio.run(run())
    assert [(kept.thread, kept.owner) for kept in kept_threads()] == [
        ("1", "ann"),
        ("2", None),
        ("3", None),
    ]
    assert stat.S_IMODE(threads_file().stat().st_mode) == 0o600


class Listed:
    """The server's list of threads."""

    def __init__(self, **values: Any) -> None:
        self.there = {thread: {"values": state_values} for thread, state_values in values.items()}
        self.threads = self

    async def create(
        self, *, thread_id: str, graph_id: str, metadata: dict[str, str], if_exists: str
    ) -> None:
        assert if_exists == "do_nothing"
        thread = {"graph_id": graph_id, "metadata": metadata, "values": None}
        self.there.setdefault(thread_id, thread)

    async def search(self, *, limit: int, offset: int, select: list[str]) -> list[dict[str, Any]]:
        found = [
            {"thread_id": key, "values": thread["values"]} for key, thread in self.there.items()
        ]
        return found[offset : offset + limit]

    async def delete(self, thread: str) -> None:
        del self.there[thread]


def test_a_list_that_a_kill_left_behind_is_brought_in_line_with_the_files() -> None:
    async def run() -> Listed:
        async with checkpointer() as saver:
            await turn(saver, "known", "a", Named("ann"))
            await turn(saver, "lost", "b", Named("ann"))
        # 'gone' was deleted after the list was written, 'empty' holds nothing yet.
        many = {f"empty{number}": None for number in range(150)}
        listed = Listed(known={"text": "KEPT"}, gone={"text": SECRET}, **many)
        await mend(cast(Any, listed))
        return listed

    there = asyncio.run(run()).there
    assert "gone" not in there
    assert len(there) == 152
    assert there["known"] == {"values": {"text": "KEPT"}}
    assert there["lost"]["metadata"] == {"owner": "ann"}
    assert there["lost"]["graph_id"] == "anamnesis"


def test_a_deleted_thread_leaves_no_byte(new_home: Path) -> None:
    async def run() -> None:
        async with checkpointer() as saver:
            await turn(saver, "1", "a")
            assert SECRET.encode() in files(new_home)
            await saver.adelete_thread("1")
            assert SECRET[:9].encode() not in files(new_home)
            assert await ids(saver, "1") == []

    asyncio.run(run())


def test_the_checkpoints_of_a_run_are_deleted_and_no_others(new_home: Path) -> None:
    async def run() -> None:
        async with checkpointer() as saver:
            await turn(saver, "1", "a")
            first = await ids(saver, "1")
            await turn(saver, "1", "b")
            await turn(saver, "2", "b' or 1=1 --")
            await saver.adelete_for_runs(["b"])
            assert await ids(saver, "1") == first
            assert len(await ids(saver, "2")) == len(first)

    asyncio.run(run())


def test_a_copy_of_a_thread_has_its_owner_and_its_steps(new_home: Path) -> None:
    async def run() -> None:
        async with checkpointer() as saver:
            await turn(saver, "1", "a", Named("ann"))
            last: Any = {"configurable": {"thread_id": "1", "checkpoint_ns": ""}}
            last["configurable"]["checkpoint_id"] = (await ids(saver, "1"))[0]
            await saver.aput_writes(last, [("text", SECRET)], "broken off")
            await saver.acopy_thread("1", "2")
            assert await ids(saver, "2") == await ids(saver, "1")
            await saver.adelete_thread("1")
            asked: Any = {"configurable": {"thread_id": "2"}}
            kept = [checkpoint async for checkpoint in saver.alist(asked)]
            assert kept[0].checkpoint["channel_values"]["text"] == SECRET.upper()
            assert any(checkpoint.pending_writes for checkpoint in kept)

    asyncio.run(run())
    assert [kept[::2] for kept in kept_threads()] == [("2", "ann")]


def test_a_run_that_begins_only_once_its_thread_is_deleted_keeps_nothing(new_home: Path) -> None:
    def asked(seconds: float) -> str:
        return str(UUID(int=int(seconds * 1000) << 80 | 7 << 76 | 2 << 62))

    async def run() -> None:
        async with checkpointer() as saver:
            before = asked(time.time())
            await saver.adelete_thread("1")
            await turn(saver, "1", before)
            assert await ids(saver, "1") == []
            assert SECRET.encode() not in files(new_home)
            await turn(saver, "2", asked(time.time() - 1))
            assert await ids(saver, "2")
            # A run that was asked for later is of a new thread of that name.
            await asyncio.sleep(0.01)
            await turn(saver, "1", asked(time.time()))
            assert await ids(saver, "1")

    asyncio.run(run())


def test_what_a_step_wrote_is_kept_until_the_next_checkpoint_holds_it(new_home: Path) -> None:
    async def run() -> None:
        async with checkpointer() as saver:
            builder = StateGraph(Said)
            builder.add_node("say", lambda state: {"text": state["text"].upper()})
            builder.add_node("fail", lambda state: {"text": state["nothing"]})  # type: ignore[typeddict-item]
            builder.add_node("other", lambda state: {})
            builder.add_edge(START, "say")
            builder.add_edge("say", "fail")
            builder.add_edge("say", "other")
            graph = builder.compile(checkpointer=saver)
            config: Any = {"configurable": {"thread_id": "1"}}
            with pytest.raises(KeyError):
                await graph.ainvoke({"text": SECRET}, config)
            writes = [checkpoint.pending_writes async for checkpoint in saver.alist(config)]
            assert writes[0]
            assert not any(writes[1:])
            # Time travel does a step again, which needs what it was given and not what it wrote.
            early = [snapshot async for snapshot in graph.aget_state_history(config)][-2]
            assert early.next == ("say",)
            with pytest.raises(KeyError):
                await graph.ainvoke(None, early.config)
            assert (await graph.aget_state(config)).values["text"] == SECRET.upper()

    asyncio.run(run())


def test_pruning_keeps_the_last_checkpoint_or_nothing(new_home: Path) -> None:
    async def run() -> None:
        async with checkpointer() as saver:
            await turn(saver, "1", "a")
            await turn(saver, "2", "b")
            last, kept = (await ids(saver, "1"))[0], await ids(saver, "2")
            await saver.aprune(["1"])
            assert await ids(saver, "1") == [last]
            assert await ids(saver, "2") == kept
            await saver.aprune(["2"], strategy="delete")
            assert await ids(saver, "2") == []

    asyncio.run(run())


def test_an_item_of_the_store_outlives_the_server_and_is_gone_when_deleted(new_home: Path) -> None:
    async def keep() -> None:
        async with store() as kept:
            await kept.aput(("user", "notes"), "1", {"text": SECRET})

    async def read() -> None:
        async with store() as kept:
            item = await kept.aget(("user", "notes"), "1")
            assert item
            assert item.value == {"text": SECRET}
            await kept.adelete(("user", "notes"), "1")
            assert await kept.aget(("user", "notes"), "1") is None

    asyncio.run(keep())
    asyncio.run(read())
    assert SECRET[:9].encode() not in files(new_home)


def test_a_run_whose_thread_was_deleted_meanwhile_keeps_nothing(new_home: Path) -> None:
    async def run() -> None:
        async with checkpointer() as saver:

            async def deleted(state: Said) -> Said:
                await saver.adelete_thread("1")
                return {"text": state["text"] + "!"}

            builder = StateGraph(Said)
            builder.add_node("first", deleted)
            builder.add_node("second", lambda state: {"text": state["text"] + "?"})
            builder.add_edge(START, "first")
            builder.add_edge("first", "second")
            builder.add_edge("second", END)
            config: Any = {"configurable": {"thread_id": "1"}, "metadata": {"run_id": "a"}}
            await builder.compile(checkpointer=saver).ainvoke({"text": SECRET}, config)
            assert await ids(saver, "1") == []
            assert SECRET.encode() not in files(new_home)
            # Another run of a new thread of that name is kept.
            await turn(saver, "1", "b")
            assert await ids(saver, "1")

    asyncio.run(run())
