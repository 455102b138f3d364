"""What is loaded once a process."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from anamnesis.errors import ModelError
from anamnesis.models.once import LatestObject, LoadedObjects, loaded_once


def test_of_many_who_ask_at_once_one_loads() -> None:
    loaded, begin, made = LoadedObjects[str, object](), Barrier(8), []

    def load() -> object:
        made.append(object())
        return made[-1]

    def ask(_: int) -> object:
        begin.wait()
        return loaded.get_or_load("key", load)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert len(made) == 1
    assert all(loaded is made[0] for loaded in found)


def test_each_key_has_its_own() -> None:
    loaded = LoadedObjects[str, str]()
    assert [loaded.get_or_load(key, lambda key=key: key.upper()) for key in ("a", "b", "a")] == [
        "A", "B", "A",
    ]  # fmt: skip


def test_what_failed_is_tried_again() -> None:
    loaded = LoadedObjects[str, str]()

    def fails() -> str:
        raise ModelError("no weights")

    with pytest.raises(ModelError, match="no weights"):
        loaded.get_or_load("key", fails)
    assert loaded.get_or_load("key", lambda: "model") == "model"


def test_an_object_is_loaded_again_when_it_is_replaced_dropped_or_failed() -> None:
    latest, now, made = LatestObject[str](), ["1"], list[str]()

    def ask() -> str:
        return latest.get_or_load(lambda text: text == now[0], load)

    def load() -> str:
        made.append(now[0])
        if now[0] == "damaged":
            raise ModelError("damaged")
        return now[0]

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: ask(), range(4))) == {"1"}
    now[0] = "damaged"
    for _ in range(2):
        with pytest.raises(ModelError, match="damaged"):
            ask()
    now[0] = "2"
    assert [ask(), ask()] == ["2", "2"]
    assert [latest.drop(), latest.drop(), ask()] == ["2", None, "2"]
    assert made == ["1", "damaged", "damaged", "2", "2"]


def test_an_object_is_loaded_again_if_nobody_knows_whether_it_is_the_latest() -> None:
    latest = LatestObject[object]()

    def unknown(is_latest: object) -> bool:
        raise ModelError("no answer")

    first = latest.get_or_load(unknown, object)
    with pytest.raises(ModelError, match="no answer"):
        latest.get_or_load(unknown, object)
    assert latest.get_or_load(unknown, object) is not first


class Slow:
    def __init__(self) -> None:
        self.begin, self.loads = Barrier(4), 0

    @loaded_once
    def model(self) -> object:
        self.loads += 1
        if self.loads == 1:
            raise ModelError("no weights")
        return object()


def test_a_property_is_loaded_once_for_each_object_and_again_after_an_error() -> None:
    one, other = Slow(), Slow()

    def ask(_: int) -> object:
        one.begin.wait()
        return one.model

    for item in (one, other):
        with pytest.raises(ModelError, match="no weights"):
            item.model  # noqa: B018 - loading it is what is tested
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(ask, range(4)))
    assert found == {one.model}
    assert one.loads == 2
    assert other.model not in found
