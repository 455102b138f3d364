"""Methods that must be awaited, called where nothing awaits."""

import asyncio
import threading
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from anamnesis.awaiting import EitherWay, awaiting_in, result_of


class Both:
    """Has a method, which may not be implemented, and the one to await."""

    def __init__(self, plain: bool = False, awaited: bool = True) -> None:
        self.plain, self.awaited = plain, awaited
        self.calls: list[str] = []

    def find(self, word: str, k: int = 1) -> str:
        self.calls.append("plain")
        if not self.plain:
            raise NotImplementedError
        return word * k

    async def afind(self, word: str, k: int = 1) -> str:
        self.calls.append("awaited")
        if not self.awaited:
            raise NotImplementedError
        await asyncio.sleep(0)
        return word * k


def test_the_method_to_await_replaces_one_that_is_not_implemented_and_is_then_called_at_once() -> (
    None
):
    given, way = Both(), EitherWay()
    assert [way.call(given, "find", "a", k=2) for _ in range(2)] == ["aa", "aa"]
    assert given.calls == ["plain", "awaited", "awaited"]
    given = Both(plain=True)
    assert EitherWay().call(given, "find", "a") == "a"
    assert given.calls == ["plain"]


def test_an_object_with_neither_is_named_with_both() -> None:
    for given in (Both(awaited=False), type("Lacking", (), {"find": Both(False).find})()):
        way = EitherWay()
        for _ in range(2):
            named = f"{type(given).__name__} implements neither find nor afind"
            with pytest.raises(NotImplementedError, match=named):
                way.call(given, "find", "a")


class Unscored(VectorStore):
    """A store that gives no scores, and counts how often it is asked for them."""

    asked = 0

    def similarity_search_with_score(self, *given: Any, **more: Any) -> Any:
        self.asked += 1
        raise NotImplementedError

    def similarity_search(self, query: str, k: int = 4, **more: Any) -> list[Document]:
        return []

    @classmethod
    def from_texts(cls, *given: Any, **more: Any) -> Any:
        return cls()


def test_what_langchain_awaits_by_calling_the_other_is_not_called() -> None:
    store = Unscored()
    with pytest.raises(NotImplementedError):
        EitherWay().call(store, "similarity_search_with_score", "a")
    assert store.asked == 1


def test_errors_and_results_are_those_of_what_was_awaited() -> None:
    async def fails() -> None:
        raise ConnectionError("no answer")

    with pytest.raises(ConnectionError, match="no answer"):
        result_of(fails())

    async def loop() -> Any:
        return asyncio.get_running_loop()

    # One loop for all calls, of any thread: the connections of a client belong to a loop.
    found = [result_of(loop())]
    thread = threading.Thread(target=lambda: found.append(result_of(loop())))
    thread.start()
    thread.join()
    assert found[0] is found[1]


def test_within_an_awaited_graph_it_is_awaited_in_the_loop_of_the_caller() -> None:
    async def loop() -> Any:
        return asyncio.get_running_loop()

    async def caller() -> None:
        with awaiting_in(asyncio.get_running_loop()):
            assert await asyncio.to_thread(lambda: result_of(loop())) is asyncio.get_running_loop()
            with awaiting_in(None):
                other = await asyncio.to_thread(lambda: result_of(loop()))
        assert other is not asyncio.get_running_loop()

    asyncio.run(caller())
