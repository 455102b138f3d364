"""Plots of the page of results."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from evaluation import plots


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_few_and_lie_inside(low: float, width: float) -> None:
    high = low + width
    found = plots.ticks(low, high)
    if width > 1e-9 * abs(low):
        assert 2 <= len(found) <= 6
        assert all(low - width / 1e3 <= value <= high + width / 1e3 for value in found)


def test_ticks_are_round() -> None:
    assert plots.ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert plots.ticks(1, 10) == [2, 4, 6, 8, 10]
    assert plots.ticks(3, 3) == [3]


def test_names_in_plots_are_escaped() -> None:
    drawn = plots.lines("<t>", {"a<b": [(0, 1), (1, 2)], "c": [(0, 1)]}, "x&", "y")
    assert "a&lt;b" in drawn
    assert "x&amp;" in drawn
    ElementTree.fromstring(drawn)
    ElementTree.fromstring(plots.boxes("t", {"<": (0, 0, 0, 0, 0)}, "y"))
    ElementTree.fromstring(plots.upset("t", {("<",): 1.0}, ["<"], "y"))


def test_a_line_starts_and_ends_where_its_points_are() -> None:
    drawn = plots.lines("t", {"a": [(0, 0), (1, 1)]}, "x", "y", square=True)
    assert 'd="M46.0,184.0L330.0,10.0"' in drawn
