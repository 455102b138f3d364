"""The measure by which patterns and readers are found too slow."""

from collections.abc import Callable

import pytest

from tests import hostile
from tests.hostile import LONG, LONGEST, slow, slowest


def measured(
    monkeypatch: pytest.MonkeyPatch, cost: Callable[[int], float]
) -> Callable[[str], object]:
    """A call that seems to take so many seconds for a text of so many characters.

    Not measured: what else the machine does would be measured too.
    """
    monkeypatch.setattr(hostile, "seconds_of", lambda _, arguments: cost(len(arguments)))
    return len


def text(length: int) -> str:
    return "a" * length


def test_what_grows_as_the_square_of_its_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    early = measured(monkeypatch, lambda length: length**2 * 1e-11)
    assert "for ten of 2,000" in slow(early, text, LONG)
    late = measured(monkeypatch, lambda length: length**2 * 1e-13)
    assert "for ten of 20,000" in slow(late, text)


@pytest.mark.parametrize("power", [1.7, 1.8, 2.0])
def test_so_is_what_grows_more_than_four_times_as_fast_as_its_text_in_long_texts_alone(
    power: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cost(length: int) -> float:
        return 6e-8 * length * max(1, length / LONG) ** (power - 1)

    assert "for ten of 20,000" in slow(measured(monkeypatch, cost), text)


def test_the_slowest_of_several_texts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def cost(_: object, text: str) -> float:
        return 1e-7 * len(text) * (2 * max(1, len(text) / LONG) if "a" in text else 1)

    monkeypatch.setattr(hostile, "seconds_of", cost)
    every = [("", piece, "") for piece in "bcade"]
    assert slowest(len, every).startswith("'a")
    assert not slowest(len, every[:2])


def test_what_is_linear_and_outgrows_the_caches_is_not() -> None:
    assert not slow(lambda text: [(place, char) for place, char in enumerate(text)], text)
    assert not slow(lambda text: sorted(map(float, range(len(text)))), text)
    assert not slow(lambda text: sum(range(20 * len(text))), text, LONGEST)


def test_a_machine_that_slows_every_long_call_by_a_factor_is_not_blamed_on_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(length: int) -> float:
        return length * (5e-6 if length > LONG / 2 else 1e-6)

    assert not slow(measured(monkeypatch, interrupted), text)
