"""Several callers' requests in one run of a model, each with its own results and errors."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.serving.batching import AbandonedError, Batcher, BusyError, dropped_after


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(), max_size=9), min_size=1, max_size=8))
def test_each_caller_gets_the_results_of_its_own_items(asked: list[list[int]]) -> None:
    batcher = Batcher[int, int](lambda items: [2 * number for number in items], most=7)
    start = Barrier(len(asked))

    def ask(items: list[int]) -> Sequence[int]:
        start.wait()
        return batcher.ask(items)

    with ThreadPoolExecutor(len(asked)) as pool:
        found = list(pool.map(ask, asked))
    assert [list(numbers) for numbers in found] == [
        [2 * item for item in numbers] for numbers in asked
    ]
    assert batcher.runs <= sum(-(-len(numbers) // 7) for numbers in asked)
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
        while sum(len(job.left) for job in list(batcher._queue)) < 10:
            pass
        go.set()
        assert list(first.result()) == [0]
        assert [list(future.result()) for future in others] == [[n, n] for n in range(1, 6)]
    assert sizes == [1, 8, 2]
    batcher.close()


def test_one_callers_text_is_nobody_elses_error() -> None:
    def run(items: Sequence[str]) -> list[int]:
        return [int(text) for text in items]

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
        assert [list(future.result()) for future in jobs] == [[1], [1, 2]]
    batcher.close()
    with pytest.raises(BusyError):
        batcher.ask([4])
    assert batcher.ask([]) == []


class Held:
    """A model whose first run lasts until ``go``; ``runs`` has the items of each run."""

    def __init__(self) -> None:
        self.running, self.go = Event(), Event()
        self.runs: list[list[int]] = []

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.runs.append(list(items))
        self.running.set()
        self.go.wait(10)
        return [2 * item for item in items]


def wait_for(batcher: Batcher[int, int], requests: int) -> None:
    while len(batcher._queue) < requests:
        pass


def test_others_are_served_between_the_parts_of_a_large_request() -> None:
    model = Held()
    batcher = Batcher[int, int](model, most=4, pause=0)
    with ThreadPoolExecutor(3) as pool:
        large = pool.submit(batcher.ask, range(10))
        model.running.wait(10)
        small = [pool.submit(batcher.ask, [20 + n]) for n in range(2)]
        wait_for(batcher, 2)
        model.go.set()
        assert list(large.result()) == [2 * item for item in range(10)]
        assert sorted(int(future.result()[0]) for future in small) == [40, 42]
    first, second, *others = model.runs
    assert (first, sorted(second)) == ([0, 1, 2, 3], [20, 21])
    assert others == [[4, 5, 6, 7], [8, 9]]
    batcher.close()


def test_an_error_in_a_part_ends_its_request_alone() -> None:
    def run(items: Sequence[str]) -> list[int]:
        return [int(text) for text in items]

    batcher = Batcher[str, int](run, most=2)
    with pytest.raises(ValueError, match="'x'"):
        batcher.ask(["1", "2", "x", "4", "5"])
    assert batcher.runs == 2
    assert list(batcher.ask(["1", "2", "3"])) == [1, 2, 3]
    batcher.close()


def test_what_nobody_waits_for_is_not_computed() -> None:
    model, gone = Held(), Event()
    batcher = Batcher[int, int](model, most=4, pause=0, waiting=20)

    def abandoned() -> Sequence[int]:
        with dropped_after(gone):
            return batcher.ask(range(30))

    with ThreadPoolExecutor(3) as pool:
        left = [pool.submit(abandoned)]
        model.running.wait(10)
        left.append(pool.submit(abandoned))
        wait_for(batcher, 1)
        with pytest.raises(BusyError):
            batcher.ask([40])
        gone.set()
        future = pool.submit(batcher.ask, [50])  # the queue is not full: those have gone
        with pytest.raises(AbandonedError):
            left[1].result()
        model.go.set()
        assert list(future.result()) == [100]
        with pytest.raises(AbandonedError):
            left[0].result()
    assert model.runs == [[0, 1, 2, 3], [50]]
    batcher.close()
