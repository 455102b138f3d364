import pytest

from anamnesis.models.breaker import Breaker
from tests.fakes import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(failures=3, rest=30, patience=10, most=4, clock=clock)


def call(breaker: Breaker, *, answered: bool) -> None:
    ticket = breaker.begin()
    assert ticket is not None
    breaker.end(ticket, answered=answered)


def test_a_model_that_was_never_tried_is_tried_by_one_caller_alone(breaker: Breaker) -> None:
    assert breaker.state == "half-open"
    first = breaker.begin()
    assert first is not None
    assert breaker.begin() is None
    breaker.end(first, answered=True)
    assert breaker.state == "closed"
    assert None not in [breaker.begin() for _ in range(4)]
    assert breaker.begin() is None  # as many as may be at once


def test_a_first_call_that_fails_opens_it_and_a_rest_lets_one_pass(
    breaker: Breaker, clock: Clock
) -> None:
    call(breaker, answered=False)
    assert breaker.state == "open"
    assert breaker.begin() is None
    clock.now += 29
    assert breaker.rests() == 1
    assert breaker.begin() is None
    clock.now += 1
    assert breaker.state == "half-open"
    call(breaker, answered=False)
    assert breaker.state == "open"
    clock.now += 30
    call(breaker, answered=True)
    assert breaker.state == "closed"


def test_one_that_answered_is_left_alone_after_failures_in_a_row(breaker: Breaker) -> None:
    call(breaker, answered=True)
    for answered in (False, False, True, False, False):
        call(breaker, answered=answered)
    assert breaker.state == "closed"
    call(breaker, answered=False)
    assert breaker.state == "open"


def test_one_that_fell_silent_gets_no_further_call_until_it_answers(
    breaker: Breaker, clock: Clock
) -> None:
    call(breaker, answered=True)
    waiting = breaker.begin()
    assert waiting is not None
    clock.now += 9
    other = breaker.begin()
    assert other is not None
    clock.now += 2
    assert breaker.state == "half-open"
    assert breaker.begin() is None
    breaker.end(other, answered=True)
    assert breaker.state == "closed"  # what was answered meanwhile shows that it lives
    assert breaker.begin() is not None


def test_one_that_is_always_slow_is_not_taken_for_silent(breaker: Breaker, clock: Clock) -> None:
    slow = breaker.begin()
    clock.now += 20
    assert slow is not None
    breaker.end(slow, answered=True)
    assert breaker.begin() is not None
    clock.now += 40
    assert breaker.begin() is not None
    clock.now += 21
    assert breaker.begin() is None
