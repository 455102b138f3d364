"""Several callers' requests in one run of a model, each with its own results and errors."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.serving.batching import Batcher, BusyError


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(), max_size=9), min_size=1, max_size=8))
def test_each_caller_gets_the_results_of_its_own_items(asked: list[list[int]]) -> None:
    batcher = Batcher[int, int](lambda items: [2 * own for own in items], most=7)
    start = Barrier(len(asked))

    def ask(items: list[int]) -> Sequence[int]:
        start.wait()
        return batcher.ask(items)

    with ThreadPoolExecutor(len(asked)) as pool:
        found = list(pool.map(ask, asked))
    assert [list(own) for own in found] == [[2 * item for item in own] for own in asked]
    assert batcher.runs <= sum(map(bool, asked))
    batcher.close()


def test_what_comes_while_the_model_runs_is_one_run() -> None:
    running, go = Event(), Event()
    sizes = []

    def run(items: Sequence[int]) -> list[int]:
        sizes.append(len(items))
        running.set()
        go.wait(10)
        return list(items)

    batcher = Batcher[int, int](run, most=8, pause=0)
    with ThreadPoolExecutor(6) as pool:
        first = pool.submit(batcher.ask, [0])
        running.wait(10)
        others = [pool.submit(batcher.ask, [n, n]) for n in range(1, 6)]
        while sum(len(job.items) for job in list(batcher._queue)) < 10:
            pass
        go.set()
        assert list(first.result()) == [0]
        assert [list(own.result()) for own in others] == [[n, n] for n in range(1, 6)]
    assert sizes == [1, 8, 2]
    batcher.close()


def test_one_callers_text_is_nobody_elses_error() -> None:
    def run(items: Sequence[str]) -> list[int]:
        return [int(own) for own in items]

    batcher = Batcher[str, int](run, pause=0.05)
    with ThreadPoolExecutor(2) as pool:
        right, wrong = pool.submit(batcher.ask, ["1", "2"]), pool.submit(batcher.ask, ["x"])
        assert list(right.result()) == [1, 2]
        with pytest.raises(ValueError, match="'x'"):
            wrong.result()
    batcher.close()


def test_a_full_queue_refuses_and_a_closed_one_too() -> None:
    go, running = Event(), Event()

    def run(items: Sequence[int]) -> list[int]:
        running.set()
        go.wait(10)
        return list(items)

    batcher = Batcher[int, int](run, pause=0, waiting=1)
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(batcher.ask, [1])]
        running.wait(10)
        jobs.append(pool.submit(batcher.ask, [1, 2]))
        while not batcher._queue:
            pass
        with pytest.raises(BusyError):
            batcher.ask([3])
        go.set()
        assert [list(own.result()) for own in jobs] == [[1], [1, 2]]
    batcher.close()
    with pytest.raises(BusyError):
        batcher.ask([4])
    assert batcher.ask([]) == []
