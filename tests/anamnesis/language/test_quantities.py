"""Amounts in texts, and when two of them are the same."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis.language.quantities import (
    Quantity,
    any_unit,
    old,
    quantities,
    same_amount,
    with_plain_dates,
)


def one(text: str) -> Quantity:
    """The only amount of a text that is asked for."""
    [found] = [quantity for quantity in quantities(text) if quantity.asked]
    return found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("0.5 g", "500 mg"),
        ("500 mcg", "0.5 milligrams"),
        ("1.5 litres", "1,500 ml"),
        ("24 hours", "1 day"),
        ("24 hrs", "1 day"),
        ("90 min", "1.5 h"),
        ("2 weeks", "fourteen days"),
        ("18 months", "1.5 years"),
        ("20%", "one in five"),
        ("1 in 5", "20 percent"),
        ("2 out of 10", "20 per cent"),
        ("38 °C", "100.4 °F"),
        ("twenty-five days", "25 days"),
        ("two hundred people", "200 people"),
        ("2 million", "2,000,000"),
        ("2.54 cm", "1 inch"),
        ("about 33%", "one in three"),
    ],
)
def test_the_same_amount_in_other_words_is_the_same(first: str, second: str) -> None:
    assert same_amount(one(first), one(second))
    assert same_amount(one(second), one(first))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("5 mg", "5 g"),
        ("5 mg", "50 mg"),
        ("5 mg/kg", "5 mg"),
        ("3 days", "3 weeks"),
        ("4 weeks", "1 month"),
        ("12 hours", "1 day"),
        ("one in five", "one in four"),
        ("20%", "21%"),
        ("38 °C", "39 °C"),
        ("38 °C", "38 °F"),
        ("-5 °C", "5 °C"),
        ("1,000 people", "10,000 people"),
    ],
)
def test_another_amount_is_another(first: str, second: str) -> None:
    assert not same_amount(one(first), one(second))


def test_the_bounds_of_a_range_share_its_unit() -> None:
    for text in ("5-10 mg", "5 to 10 mg", "between 5 and 10 mg", "5–10 mg"):
        assert [(quantity.value, quantity.kind) for quantity in quantities(text)] == [
            (5, "mass"),
            (10, "mass"),
        ]


def test_what_is_often_no_number_is_not_asked_for() -> None:
    for text in ("one of the signs", "a day", "all three help", "the two differ", "half of them"):
        assert not any(quantity.asked for quantity in quantities(text))


def test_half_and_quarter_are_shares() -> None:
    for text, percent in (("Half of patients", 50), ("a quarter of all", 25)):
        assert [quantity.value for quantity in quantities(text) if quantity.kind == "share"] == [
            percent
        ]
    [thirds] = [
        quantity for quantity in quantities("two-thirds of women") if quantity.kind == "share"
    ]
    assert thirds.value == pytest.approx(66.67, abs=0.01)


def test_a_year_is_no_whole_that_something_is_a_part_of() -> None:
    assert [quantity.kind for quantity in quantities("30 in 2010")] == ["", ""]


def test_dates_are_read_in_either_form() -> None:
    assert with_plain_dates("on 2010-03-02") == "on 2 March 2010"
    assert [quantity.number for quantity in quantities("2010-03-02")] == [2, 2010]


@given(st.integers(1, 100_000))
def test_milligrams_and_grams_convert(amount: int) -> None:
    assert same_amount(one(f"{amount} g"), one(f"{amount * 1000} mg"))
    assert not same_amount(one(f"{amount} g"), one(f"{amount} mg"))


@given(st.integers(1, 60), st.sampled_from([("week", "days", 7), ("day", "hours", 24)]))
def test_stretches_of_time_convert(count: int, units: tuple[str, str, int]) -> None:
    long, short, times = units
    assert same_amount(one(f"{count} {long}s"), one(f"{count * times} {short}"))


@given(st.integers(1, 9), st.integers(10, 1000))
def test_a_share_in_numbers_is_that_share_in_percent(part: int, whole: int) -> None:
    [share] = [
        quantity for quantity in quantities(f"{part} in {whole} people") if quantity.kind == "share"
    ]
    assert share.value == pytest.approx(100 * part / whole)


@given(st.text(max_size=200))
def test_every_amount_is_the_same_as_itself(text: str) -> None:
    for quantity in quantities(text):
        assert same_amount(quantity, quantity)


def test_a_unit_has_every_spelling_of_it() -> None:
    doses = any_unit("mg", "tablet", without="milligram")
    assert [re.fullmatch(doses, unit) is not None for unit in ("mg", "tablets", "milligram")] == [
        True,
        True,
        False,
    ]
    assert all(re.fullmatch(any_unit("mcg"), unit) for unit in ("mcg", "micrograms", "µg"))
    assert not re.fullmatch(any_unit(without="month year"), "years")
    with pytest.raises(KeyError):
        any_unit("furlong")


@pytest.mark.parametrize("written", ["years old", "yr-old", "yrs. old", "y/o", "year olds"])
def test_the_spellings_of_an_age(written: str) -> None:
    assert re.fullmatch(rf"[ -]?{old('year')}", written)
    assert not re.fullmatch(old("month", "week"), written)
