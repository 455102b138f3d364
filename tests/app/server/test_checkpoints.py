"""Two users, every method of the server's files: who owns a thread alone writes and deletes it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
from starlette.authentication import SimpleUser
from starlette.exceptions import HTTPException

from app.server import checkpoints, persistence
from app.server.callers import caller, named_thread, with_path
from app.server.checkpoints import Checkpointer
from app.server.persistence import checkpointer, kept_threads, store
from app.users.tokens import user_label
from tests.app.server.test_server_persistence import Named, ids, turn

pytestmark = pytest.mark.usefixtures("new_home")

ID = "2a5d01a9-8f0e-4b5e-9c3e-0123456789ab"
ANN, BEA = Named("ann"), Named("bea")
Method = Callable[[Checkpointer], Awaitable[Any]]


@contextmanager
def asking(name: str | None) -> Iterator[None]:
    """Requests of a user, as the server says whose they are."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (checkpoints, persistence):
            patch.setattr(module, "caller", lambda: name)
        yield


@asynccontextmanager
async def two_threads() -> AsyncIterator[Checkpointer]:
    """Ann's thread with the run ``a``, and Bea's with ``b``."""
    async with checkpointer() as saver:
        await turn(saver, "anns", "a", ANN)
        await turn(saver, "beas", "b", BEA)
        yield saver


def config(thread: str, run: str | None = None, user: SimpleUser | None = None) -> Any:
    keys = {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": "1"}
    return {
        "configurable": {**keys, "langgraph_auth_user": user},
        "metadata": {"run_id": run} if run else {},
    }


CHECKPOINT: Any = {"id": "9", "channel_values": {}, "channel_versions": {}, "versions_seen": {}}

ON_ANOTHERS: dict[str, Method] = {
    "delete": lambda saver: saver.adelete_thread("anns"),
    "prune": lambda saver: saver.aprune(["anns"]),
    "prune with one's own": lambda saver: saver.aprune(["beas", "anns"], strategy="delete"),
    "copy from": lambda saver: saver.acopy_thread("anns", "new"),
    "copy over": lambda saver: saver.acopy_thread("beas", "anns"),
    "read": lambda saver: saver.aget_tuple(config("anns")),
    "list": lambda saver: ids(saver, "anns"),
    "put": lambda saver: saver.aput(config("anns"), CHECKPOINT, {}, {}),
    "put by a run": lambda saver: saver.aput(config("anns", "b", BEA), CHECKPOINT, {}, {}),
    "write": lambda saver: saver.aput_writes(config("anns"), [("text", "stolen")], "task"),
    "write by a run": lambda saver: saver.aput_writes(
        config("anns", "b", BEA), [("text", "stolen")], "task"
    ),
}


@pytest.mark.parametrize("name", ON_ANOTHERS)
def test_no_method_reads_writes_or_deletes_another_users_thread(name: str) -> None:
    async def run() -> None:
        async with two_threads() as saver:
            before = await ids(saver, "anns"), await ids(saver, "beas")
            with asking("bea"), pytest.raises(HTTPException) as refused:
                await ON_ANOTHERS[name](saver)
            assert refused.value.status_code == 404
            assert (await ids(saver, "anns"), await ids(saver, "beas")) == before
            assert await ids(saver, "new") == []
            tuples = [checkpoint async for checkpoint in saver.alist(config("anns"))]
            assert not any(
                write[2] == "stolen" for checkpoint in tuples for write in checkpoint.pending_writes
            )

    asyncio.run(run())
    assert {kept.thread: kept.owner for kept in kept_threads()} == {"anns": "ann", "beas": "bea"}


@pytest.mark.parametrize("by", ["bea", None])
def test_a_run_is_deleted_of_the_thread_that_the_request_names_alone(by: str | None) -> None:
    async def run() -> None:
        async with two_threads() as saver:
            before = await ids(saver, "anns")
            with asking(by), with_path("/threads/beas/runs/a"):
                await saver.adelete_for_runs(["a"])
                assert await ids(saver, "beas")
            assert await ids(saver, "anns") == before

    asyncio.run(run())


def test_a_run_is_deleted_by_its_user_whether_the_request_names_a_thread_or_not() -> None:
    async def run() -> None:
        async with two_threads() as saver:
            with asking("bea"):
                await saver.adelete_for_runs(["a", "b"])
            assert await ids(saver, "anns")
            assert await ids(saver, "beas") == []
            with asking("ann"), with_path("/threads/anns/runs/a"):
                await saver.adelete_for_runs(["a"])
            assert await ids(saver, "anns") == []

    asyncio.run(run())


def test_a_user_does_all_that_with_their_own() -> None:
    async def run() -> None:
        async with two_threads() as saver:
            with asking("ann"):
                await saver.acopy_thread("anns", "copy")
                assert await ids(saver, "copy") == await ids(saver, "anns")
                await saver.aprune(["copy"])
                assert len(await ids(saver, "copy")) == 1
                await saver.aput(config("made"), CHECKPOINT, {}, {})
                assert await saver.aget_tuple({"configurable": {"thread_id": "copy"}})
                await saver.adelete_thread("anns")
                assert await ids(saver, "anns") == []

    asyncio.run(run())
    # What is put in by a request and not by a run is the caller's.
    assert {kept.thread: kept.owner for kept in kept_threads()} == {
        "copy": "ann",
        "made": "ann",
        "beas": "bea",
    }


def test_what_is_from_before_the_first_token_is_nobodys() -> None:
    async def run() -> None:
        async with checkpointer() as saver:
            await turn(saver, "old", "a")
            with asking("ann"), pytest.raises(HTTPException):
                await saver.adelete_thread("old")
            assert await ids(saver, "old")

    asyncio.run(run())


def test_an_item_is_its_users_alone() -> None:
    async def run() -> None:
        anns = (user_label("ann"), "notes")
        async with store() as kept:
            with asking("ann"):
                await kept.aput(anns, "1", {"text": "kept"})
            with asking("bea"):
                for refused in (
                    kept.aput(anns, "1", {"text": "stolen"}),
                    kept.adelete(anns, "1"),
                    kept.aget(anns, "1"),
                    kept.asearch(anns),
                    kept.asearch(()),
                    kept.alist_namespaces(),
                    kept.alist_namespaces(prefix=anns),
                ):
                    with pytest.raises(HTTPException):
                        await refused
            with asking("ann"):
                item = await kept.aget(anns, "1")
                assert item
                assert item.value == {"text": "kept"}
                assert len(await kept.asearch(anns)) == 1
                assert await kept.alist_namespaces(prefix=anns[:1]) == [anns]
                await kept.adelete(anns, "1")
                assert await kept.aget(anns, "1") is None

    asyncio.run(run())


@pytest.mark.parametrize(
    ("path", "thread"),
    [
        ("/threads/2A5D01A9-8F0E-4B5E-9C3E-0123456789AB/runs/1", ID),
        (f"/threads/{ID.replace('-', '')}", ID),
        (f"/below/threads/{ID}/state", ID),
        ("/threads", None),
        ("/memories", None),
    ],
)
def test_the_thread_that_a_path_names(path: str, thread: str | None) -> None:
    with with_path(path):
        assert named_thread() == thread
    assert named_thread() is None


def test_outside_the_server_nobody_asks() -> None:
    assert caller() is None
