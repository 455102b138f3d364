"""The order of the evidence."""

from hypothesis import given
from hypothesis import strategies as st

from nodes.evidence import FUSED_WEIGHT, blended


def test_a_sure_reader_decides_and_an_unsure_one_lets_the_lists_speak() -> None:
    assert blended(0.5, 0.0) == 0.0
    assert blended(0.5, 1.0) == FUSED_WEIGHT
    assert blended(0.99, 0.0) > blended(0.2, 1.0)
    assert blended(0.55, 0.2) < blended(0.45, 1.0)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_blending_keeps_the_order_of_each_part(one: float, other: float, fused: float) -> None:
    low, high = sorted((one, other))
    assert blended(low, fused) <= blended(high, fused)
    assert blended(fused, low) <= blended(fused, high)
