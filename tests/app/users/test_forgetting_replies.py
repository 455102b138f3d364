"""Replies of models go with the threads and runs that their user deletes."""

import asyncio
import time
from pathlib import Path

import pytest
from langchain_core.outputs import Generation
from langgraph.checkpoint.memory import InMemorySaver

from anamnesis.memory.reply_cache import Replies
from anamnesis.paths import default_memory
from app.cli.main import main
from app.server.callers import with_path
from app.users.forgetting import forget_kept, forget_threads
from tests.app.server.test_checkpoints import asking, two_threads

pytestmark = pytest.mark.usefixtures("new_home")


def cache(owner: str) -> Replies:
    return Replies(default_memory(), owner, time.time() + 1, 7)


def kept() -> list[str]:
    """Whose replies are kept."""
    return [text for text in ("ann", "bea") if cache(text).lookup("asked", "model")]


def keep() -> None:
    for text in ("ann", "bea"):
        cache(text).update("asked", "model", [Generation(text="reply")])
    assert kept() == ["ann", "bea"]


def test_a_thread_that_a_user_deletes_takes_their_replies_with_it() -> None:
    async def run() -> None:
        async with two_threads() as saver:
            with asking("ann"):
                keep()
                # The server itself ends a run without a thread so, by no request for a thread.
                with with_path("/runs/wait"):
                    await saver.adelete_thread("none")
                assert kept() == ["ann", "bea"]
                with with_path("/threads/anns"):
                    await saver.adelete_for_runs(["a"])
                assert kept() == ["bea"]
                keep()
                with with_path("/threads/anns"):
                    await saver.adelete_thread("anns")
                assert kept() == ["bea"]

    asyncio.run(run())


def test_where_nobody_knows_whose_the_thread_was_all_replies_go() -> None:
    async def run() -> None:
        async with two_threads() as saver:
            with asking(None), with_path("/threads/none"):
                keep()
                await saver.adelete_thread("none")

    asyncio.run(run())
    assert kept() == []


def test_threads_of_a_checkpointer_take_their_users_replies_with_them() -> None:
    saver = InMemorySaver()
    config = {"configurable": {"thread_id": "1", "checkpoint_ns": ""}}
    empty = {"v": 1, "id": "1", "ts": "", "channel_values": {}, "channel_versions": {}}
    saver.put(config, {**empty, "versions_seen": {}}, {"user": "ann"}, {})  # type: ignore[arg-type, typeddict-item, typeddict-unknown-key]
    keep()
    assert forget_threads(saver, "ann") == ["1"]
    assert kept() == ["bea"]


def test_they_can_be_deleted_alone(capsys: pytest.CaptureFixture[str]) -> None:
    keep()
    assert main(["memory", "delete", "--replies", "--user", "ann"]) == 0
    assert capsys.readouterr().out == "1 replies of models deleted\n"
    assert kept() == ["bea"]
    assert main(["memory", "delete", "--replies", "--all", "--user", "bea"]) == 2
    assert kept() == ["bea"]


def test_where_none_are_kept_no_file_is_made(new_home: Path) -> None:
    assert forget_kept("ann") == 0
    assert not new_home.exists()
