from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anamnesis.errors import SettingError
from evaluation.significance import (
    Comparison,
    Floats,
    Rows,
    bootstrap_test,
    compare_all,
    compare_with_first,
    holm,
    intervals,
    mcnemar,
    mean_intervals,
    randomisation_test,
)

differences = st.lists(st.floats(-1, 1), min_size=1, max_size=12)


def mean_of(values: list[float]) -> Callable[[Rows], dict[str, float]]:
    return lambda rows: {"mean": float(np.array(values)[rows].mean())}


def compare(first: Floats, second: Floats, seed: int = 0) -> Comparison:
    def test(one: Floats, other: Floats) -> float:
        return randomisation_test(other - one, seed)

    return compare_all({"a": first, "b": second}, test, seed, resamples=500)["a", "b"]


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
    values_array = np.array(values)
    p = randomisation_test(values_array, permutations=200)
    assert 0 < p <= 1
    assert p == randomisation_test(-values_array, permutations=200)


def test_p_is_1_where_nothing_differs() -> None:
    assert randomisation_test(np.zeros(5)) == 1


def test_p_is_near_that_of_all_signs() -> None:
    differences = np.array([0.3, 0.1, -0.2, 0.4, 0.25, 0.05, 0.3, -0.1])
    means = [abs(np.dot(signs, differences)) for signs in product((1, -1), repeat=len(differences))]
    exact = np.mean([mean >= abs(differences.sum()) - 1e-12 for mean in means])
    assert randomisation_test(differences) == pytest.approx(exact, abs=0.02)


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


def test_means_have_the_intervals_of_any_statistic() -> None:
    values = np.random.default_rng(3).random(300)
    [quick] = mean_intervals({"own": values}).values()
    slow = intervals(mean_of(list(values)), 300)["mean"]
    assert quick.mean == pytest.approx(slow.mean)
    assert quick.low == pytest.approx(slow.low, abs=0.003)
    assert quick.high == pytest.approx(slow.high, abs=0.003)


def test_means_that_cannot_be_resampled_are_refused() -> None:
    with pytest.raises(SettingError, match="0 rows"):
        mean_intervals({"own": np.array([])})
    with pytest.raises(SettingError, match="0 resamples"):
        mean_intervals({"own": np.ones(1)}, resamples=0)
    with pytest.raises(SettingError, match="seed"):
        mean_intervals({"own": np.ones(1)}, seed=-1)


@pytest.mark.parametrize(
    ("given_ps", "corrected"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),  # .01·3, .03·2, then .04·1 is less than .06
        ([0.5, 0.6], [1.0, 1.0]),
        ([0.001, 0.001], [0.002, 0.002]),
    ],
)
def test_holm_corrects_for_all_tests(given_ps: list[float], corrected: list[float]) -> None:
    assert holm(given_ps) == pytest.approx(corrected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(values: list[float]) -> None:
    found = holm(values)
    for p, adjusted in zip(values, found, strict=True):
        assert p <= adjusted <= 1
    assert min(found) == pytest.approx(min(1, len(values) * min(values)))
    by_p = [adjusted for _, adjusted in sorted(zip(values, found, strict=True))]
    assert by_p == sorted(by_p)


def test_several_systems_are_compared_two_by_two_and_corrected() -> None:
    base = np.linspace(0, 0.5, 40)
    scores = {"a": base, "b": base + 0.1, "c": base}
    found = compare_all(scores, lambda one, other: 1.0 if (one == other).all() else 0.01)
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [comparison.p_holm for comparison in found.values()] == pytest.approx([0.03, 1, 0.03])
    assert found["b", "c"].difference.mean == pytest.approx(-0.1)
    assert compare_all({"a": base}, lambda one, other: 1.0) == {}


def test_every_system_is_compared_with_the_first_and_corrected_for_all_metrics() -> None:
    plain = np.zeros(12)
    better, same = plain + 1, plain
    found = compare_with_first({"a": {"x": plain, "y": better, "z": same}, "b": {"x": better}}, 1)
    assert list(found["a"]) == [("x", "y"), ("x", "z")]
    assert found["b"] == {}
    comparison = found["a"]["x", "y"]
    assert comparison.difference == (1, 1, 1)
    assert comparison.p == randomisation_test(better, 1)
    assert found["a"]["x", "z"].p == 1
    both = compare_with_first({"a": {"x": plain, "y": better}, "b": {"x": plain, "y": better}}, 1)
    # Two tests: the smaller p counts twice.
    assert [each["x", "y"].p_holm for each in both.values()] == pytest.approx(
        [2 * comparison.p] * 2
    )


def test_rows_of_a_group_are_drawn_together() -> None:
    values = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    # Of two groups both draws can be the same one.
    found = mean_intervals({"mean": values}, groups=["a"] * 3 + ["b"] * 3)["mean"]
    assert found == (0.5, 0, 1)
    apart = mean_intervals({"mean": values}, groups=list("abcdef"))
    assert apart == mean_intervals({"mean": values})
    # A group counts by its rows: (3 + 0) / (3 + 1) where each is drawn once.
    uneven = mean_intervals({"mean": values[:4]}, groups=["a", "a", "a", "b"])["mean"]
    assert uneven == (0.75, 0, 1)


def test_differences_of_a_group_have_the_same_sign() -> None:
    differences = np.full(10, 0.1)
    assert randomisation_test(differences) == pytest.approx(2 / 2**10, abs=0.001)
    grouped = randomisation_test(differences, groups=["a"] * 9 + ["b"])
    assert grouped == pytest.approx(0.5, abs=0.02)  # |9 ± 1| ≥ 10 for two of four signs
    assert randomisation_test(differences, groups=["a"] * 10) == 1


@given(differences)
@settings(max_examples=30)
def test_groups_of_one_change_nothing(values: list[float]) -> None:
    differences = np.array(values)
    groups = list(range(len(differences)))
    p = randomisation_test(differences, permutations=200)
    assert randomisation_test(differences, permutations=200, groups=groups) == p
    found = [
        compare_all(
            {"a": differences * 0, "b": differences},
            lambda one, other: 1.0,
            resamples=50,
            groups=each,
        )
        for each in (None, groups)
    ]
    assert found[0] == found[1]


def test_the_bootstrap_test_is_sure_of_what_no_resample_turns_round() -> None:
    assert bootstrap_test(np.ones(5), 0, 999) == pytest.approx(2 / 1000)
    assert bootstrap_test(np.zeros(5), 0, 999) == 1
    one = np.array([3.0, 1, 2, -1, 4, 1])
    assert bootstrap_test(one, 1, 2000) == bootstrap_test(-one, 1, 2000)
    # Of the four resamples of -1 and 1 three are not above 0, and three not below.
    assert bootstrap_test(np.array([-1.0, 1.0]), 0, 4000) == 1
    # Of the 27 resamples of these three, seven have a sum of 0 or less.
    found = bootstrap_test(np.array([1.0, 1.0, -0.5]), 0, 20_000)
    assert found == pytest.approx(14 / 27, abs=0.03)
    with pytest.raises(SettingError, match="no differences"):
        bootstrap_test(np.empty(0))
