"""Sums of calls, tokens and prices."""

from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.fields.usage import Spent, add_up, merge, spent, usage

NONE = spent([])


def called(calls: int = 1, price: float | None = 0.5, **more: Any) -> Spent:
    fields = {**NONE, "calls": calls, "price": price, "currency": None if price is None else "EUR"}
    return cast(Spent, {**fields, **more})


# Eighths: sums of these are exact.
PRICES = st.none() | st.integers(0, 40).map(lambda eighths: eighths / 8)
SPENT = st.builds(called, st.integers(0, 9), PRICES, failed=st.integers(0, 9))


def test_nothing_costs_nothing() -> None:
    assert NONE == {
        "calls": 0, "failed": 0, "cached": 0, "prompt_tokens": 0, "reply_tokens": 0,
        "estimated": False, "price": 0, "currency": None,
    }  # fmt: skip


@settings(max_examples=25)
@given(st.lists(SPENT, max_size=5))
def test_a_sum_has_all_counts_and_a_price_only_if_every_part_has_one(parts: list[Spent]) -> None:
    whole = spent(parts)
    assert whole["calls"] == sum(item["calls"] for item in parts)
    assert whole["failed"] == sum(item["failed"] for item in parts)
    prices = [item["price"] for item in parts]
    known = [price for price in prices if price is not None]
    assert whole["price"] == (sum(known) if len(known) == len(prices) else None)
    assert whole["currency"] == ("EUR" if parts and whole["price"] is not None else None)


@settings(max_examples=25)
@given(st.lists(SPENT, max_size=4), st.lists(SPENT, max_size=4))
def test_sums_of_sums_are_sums(some: list[Spent], others: list[Spent]) -> None:
    assert spent([spent(some), spent(others)]) == spent([*some, *others])


def test_one_estimate_makes_the_sum_one() -> None:
    parts = [called(prompt_tokens=7, reply_tokens=2), called(estimated=True, prompt_tokens=4)]
    whole = spent(parts)
    assert (whole["prompt_tokens"], whole["reply_tokens"], whole["estimated"]) == (11, 2, True)
    assert spent([parts[0], called(cached=2)])["cached"] == 2


def test_milliseconds_add_up_until_the_first_step_of_the_next_turn() -> None:
    assert merge({"screen": 1.0, "verify": 2.0}, {"verify": 3.5}) == {"screen": 1.0, "verify": 5.5}
    assert merge({"screen": 1.0, "verify": 2.0}, {"screen": 4.0}) == {"screen": 4.0}


def test_calls_add_up_until_the_first_step_of_the_next_turn() -> None:
    first = add_up({}, {"screen": called(0), "generate": called(2)})
    assert first == {"generate": called(2)}
    both = add_up(first, {"generate": called(1, 0.25)})
    assert (both["generate"]["calls"], both["generate"]["price"]) == (3, 0.75)
    assert add_up(both, {"screen": called(0)}) == {}


def test_a_turn_is_added_to_those_before_it() -> None:
    steps = {"screen": called(0), "generate": called(2), "rewrite": called(1)}
    one = usage(steps, "Croup often passes.")
    assert set(one["steps"]) == {"generate", "rewrite"}
    assert (one["total"]["calls"], one["total"]["price"], one["words"]) == (3, 1.0, 3)
    assert (one["session"]["turns"], one["session"]["calls"]) == (1, 3)
    two = usage(steps, "So it does.", one["session"])["session"]
    assert (two["turns"], two["words"], two["calls"], two["price"]) == (2, 6, 6, 2.0)
    unknown = usage({"generate": called(1, None)}, "", two)["session"]
    assert (unknown["turns"], unknown["price"]) == (3, None)
    assert usage(steps, "", unknown)["session"]["price"] is None
