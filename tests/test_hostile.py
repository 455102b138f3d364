"""The measure by which patterns and readers are found too slow."""

from collections.abc import Callable

import pytest

from tests import hostile
from tests.hostile import LONG, LONGEST, slow


def working(cost: Callable[[int], float]) -> Callable[[str], object]:
    """A call that takes a text of so many characters so many rounds."""
    return lambda text: sum(range(int(cost(len(text)))))


def text(length: int) -> str:
    return "a" * length


def test_what_grows_as_the_square_of_its_text_is_found() -> None:
    assert "for ten of 4,000" in slow(working(lambda length: length**2 / 1_000), text, LONG)
    assert "for ten of 40,000" in slow(working(lambda length: length**2 / 100_000), text)


@pytest.mark.parametrize("power", [1.7, 1.8, 2.0])
def test_so_is_what_grows_more_than_four_times_as_fast_as_its_text_in_long_texts_alone(
    power: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cost(length: int) -> float:
        return 3 * length * max(1, length / LONG) ** (power - 1)

    # Not measured: what else the machine does would be measured too.
    monkeypatch.setattr(hostile, "seconds_of", lambda _, own: cost(len(own)) * 2e-8)
    assert "for ten of 40,000" in slow(len, text)


def test_what_is_linear_and_outgrows_the_caches_is_not() -> None:
    assert not slow(lambda own: [(place, char) for place, char in enumerate(own)], text)
    assert not slow(lambda own: sorted(map(float, range(len(own)))), text)
    assert not slow(working(lambda length: 20 * length), text, LONGEST)


def test_a_machine_that_slows_every_long_call_by_a_factor_is_not_blamed_on_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(_: object, own: str) -> float:
        return len(own) * (5e-6 if len(own) > LONG / 2 else 1e-6)

    monkeypatch.setattr(hostile, "seconds_of", interrupted)
    assert not slow(len, text)
