"""When a run began, by its id."""

import time
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

from nodes.remembering.start_time import requested_at


def runtime(run: str | None) -> Any:
    return SimpleNamespace(execution_info=SimpleNamespace(run_id=run))


def uuid7(seconds: float) -> str:
    return str(UUID(int=int(seconds * 1000) << 80 | 7 << 76 | 2 << 62))


def test_an_id_with_its_time_is_believed_of_the_past() -> None:
    assert requested_at(runtime(uuid7(1_700_000_000.123))) == 1_700_000_000.123


@pytest.mark.parametrize(
    "run",
    [None, "", "no id", str(uuid4()), uuid7(time.time() + 3600), "0" * 32],
    ids=["none", "blank", "no id", "random", "of the future", "zeros"],
)
def test_any_other_run_begins_now(run: str | None) -> None:
    before = time.time()
    assert before <= requested_at(runtime(run)) <= time.time()


def test_without_an_execution_it_is_now() -> None:
    before = time.time()
    nothing: Any = SimpleNamespace(execution_info=None)
    assert before <= requested_at(nothing) <= time.time()
