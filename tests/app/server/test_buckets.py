import pytest

from app.server.buckets import Buckets, Delays, OpenCounter
from tests.fakes import Clock


def test_a_bucket_gives_what_it_holds_and_fills_again() -> None:
    clock = Clock()
    bucket = Buckets(3, 60, clock)
    assert [bucket.take("ann") for _ in range(4)] == [0, 0, 0, 20]
    assert bucket.take("eve") == 0
    clock.now += 5
    assert bucket.take("ann") == pytest.approx(15)
    clock.now += 15
    assert [bucket.take("ann") for _ in range(2)] == [0, 20]
    clock.now += 3600
    assert [bucket.take("ann") for _ in range(4)] == [0, 0, 0, 20]


def test_who_fails_waits_ever_longer_and_is_forgiven_in_the_end() -> None:
    clock = Clock()
    delays = Delays(3, clock)
    waits = []
    for _ in range(12):
        wait = delays.wait("a")
        waits.append(wait)
        clock.now += wait
        assert delays.wait("a") == 0
        delays.failed("a")
    assert waits == [0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert delays.wait("b") == 0
    clock.now += 3600
    assert delays.wait("a") == 0
    for _ in range(3):
        delays.failed("a")
    delays.undo_failure("a")
    assert delays.wait("a") == 0


def test_what_is_open_is_counted_until_it_ends() -> None:
    there = OpenCounter()
    assert [there.begin("ann", 2) for _ in range(3)] == [True, True, False]
    there.end("ann")
    assert there.begin("ann", 2)
