"""The choice of the weight by which the critic's readings are combined."""

import pytest

from benchmarks.checks import Found
from benchmarks.readings import choose, crossed, shares, supported

NONE = frozenset[str]()


def test_replies_are_paired_and_a_failed_check_counts() -> None:
    found = [
        Found(True, NONE, True, 0.9), Found(False, NONE, True, 0.8),
        Found(True, frozenset({"number"}), True, 0.9), Found(False, NONE, False, 0.2),
    ]  # fmt: skip
    assert supported(found) == [(True, True), (False, False)]
    assert shares(supported(found)) == (0.5, 0.5)


def test_the_weight_that_keeps_most_is_chosen_among_those_that_pass_few() -> None:
    strict, best, loose = [(True, False), (False, False)], [(True, False)] * 2, [(True, True)] * 2
    assert choose({0.5: strict, 0.7: best, 0.9: loose}, [0, 1]) == 0.7
    assert choose({0.5: loose, 0.9: loose}, [0, 1]) == 0.5


def test_the_shares_are_those_of_the_other_half() -> None:
    # On any half the second weight keeps all and passes none.
    by_weight = {0.5: [(False, False)] * 4, 0.7: [(True, False)] * 4}
    assert crossed(by_weight, 3) == (1.0, 0.0)
    # The half with the wrong reply that passes chooses 0.5, the other one 0.7, which lets it pass.
    mixed = {0.5: [(False, False)] * 2, 0.7: [(True, True), (True, False)]}
    assert crossed(mixed, 3) == pytest.approx((0.5, 0.5))
