from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.errors import SettingError
from evaluation.significance import Rows, compare, intervals, mcnemar, randomisation_test

differences = st.lists(st.floats(-1, 1), min_size=1, max_size=12)


def mean_of(values: list[float]) -> Callable[[Rows], dict[str, float]]:
    return lambda rows: {"mean": float(np.array(values)[rows].mean())}


def test_the_interval_of_a_mean_is_near_that_of_theory() -> None:
    values = [0.0, 1.0] * 200
    found = intervals(mean_of(values), len(values))["mean"]
    assert found.mean == 0.5
    assert found.low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.008)
    assert found.high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.008)


def test_equal_values_have_an_interval_without_width() -> None:
    assert intervals(mean_of([0.25] * 5), 5)["mean"] == (0.25, 0.25, 0.25)


def test_the_same_seed_gives_the_same_numbers_and_another_one_others() -> None:
    values = np.random.default_rng(1).random(20)
    first, second = values, values[::-1].copy()
    assert compare(first, second, seed=7) == compare(first, second, seed=7)
    assert compare(first, second, seed=7) != compare(first, second, seed=8)


def test_what_is_undefined_on_all_rows_is_left_out_and_on_some_is_passed_over() -> None:
    def statistic(rows: Rows) -> dict[str, float]:
        # Defined only where row 0 was drawn: 1.
        some = {"some": 1.0} if 0 in rows else {}
        return {"never": float("nan"), "sometimes": 2.0 if 0 in rows else float("nan")} | some

    assert intervals(statistic, 3) == {"sometimes": (2, 2, 2), "some": (1, 1, 1)}


@given(differences)
@settings(max_examples=30)
def test_p_lies_above_0_and_does_not_depend_on_the_direction(values: list[float]) -> None:
    own = np.array(values)
    p = randomisation_test(own, permutations=200)
    assert 0 < p <= 1
    assert p == randomisation_test(-own, permutations=200)


def test_p_is_1_where_nothing_differs() -> None:
    assert randomisation_test(np.zeros(5)) == 1


def test_p_is_near_that_of_all_signs() -> None:
    own = np.array([0.3, 0.1, -0.2, 0.4, 0.25, 0.05, 0.3, -0.1])
    means = [abs(np.dot(signs, own)) for signs in product((1, -1), repeat=len(own))]
    exact = np.mean([mean >= abs(own.sum()) - 1e-12 for mean in means])
    assert randomisation_test(own) == pytest.approx(exact, abs=0.02)


def test_a_clear_difference_has_a_small_p_and_an_interval_above_0() -> None:
    first = np.linspace(0, 0.5, 40)
    found = compare(first, first + 0.1)
    assert found.difference.mean == pytest.approx(0.1)
    assert found.difference.low > 0
    assert found.p < 0.001


def test_what_cannot_be_resampled_is_refused() -> None:
    with pytest.raises(SettingError, match="0 rows"):
        intervals(mean_of([]), 0)
    with pytest.raises(SettingError, match="0 resamples"):
        intervals(mean_of([1]), 1, resamples=0)
    with pytest.raises(SettingError, match="seed"):
        intervals(mean_of([1]), 1, seed=-1)
    with pytest.raises(SettingError, match="no differences"):
        randomisation_test(np.array([]))


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),  # 2 / 2
        (0, 5, 0.0625),  # 2 / 32
        (1, 9, 0.021484375),  # 2 (1 + 10) / 1024
        (10, 2, 0.03857421875),  # 2 (1 + 12 + 66) / 4096
        (4, 4, 1.0),
    ],
)
def test_mcnemar_counts_what_only_one_has_right(
    only_first: int, only_second: int, p: float
) -> None:
    first = np.array([True] * only_first + [False] * only_second + [True, False])
    second = np.array([False] * only_first + [True] * only_second + [True, False])
    assert mcnemar(first, second) == pytest.approx(p)
    assert mcnemar(second, first) == mcnemar(first, second)


def test_mcnemar_can_take_many_questions() -> None:
    half = np.arange(20_000) < 10_000
    assert mcnemar(half, ~half) == 1.0
    assert mcnemar(half, np.ones_like(half)) == 0.0
