from evaluation.report import estimate, rounded, table
from evaluation.significance import Estimate


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert table([["a", "long", "c"], ["wide", "b", ""]]) == "a     long  c\nwide  b"


def test_a_figure_stands_with_its_interval_and_what_is_undefined_as_a_dash() -> None:
    assert estimate(Estimate(0.5, 0.25, 1)) == "0.500 [0.250, 1.000]"
    assert estimate(Estimate(-0.0001, -0.5, 0)) == "0.000 [-0.500, 0.000]"
    assert estimate(None) == "–"


def test_numbers_lose_false_digits_and_nothing_else_changes() -> None:
    given = {"a": [1 / 3, 2], "b": {"c": True, "d": None, "e": ("x", 0.1 + 0.2)}}
    assert rounded(given) == {"a": [0.333333, 2], "b": {"c": True, "d": None, "e": ["x", 0.3]}}
