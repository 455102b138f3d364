"""Low and high results of tests in questions and headings."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamnesis import CorpusError
from anamnesis.corpus import result_values
from anamnesis.corpus.result_values import directions, measured, opposite_result, rows


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("my ferritin came back at 8", {"ferritin": "low"}),
        ("On Eltroxin 75 for years, my TSH has just come back at 6.2.", {"TSH": "high"}),
        ("bp 85/50 and dizzy", {"blood pressure": "low"}),
        ("potassium 5,7", {"potassium": "high"}),
        ("platelets of 1,200", {"platelets": "high"}),
        ("Haemoglobin 92, potassium 4.2", {"hemoglobin": "low"}),
        ("calcium 9.4", {}),  # normal in mg/dL
        ("glucose 51 mg/dl", {"blood sugar": "low"}),
        ("blood sugar 24 this morning", {"blood sugar": "high"}),
        ("platelets 2.5 lakh", {}),
        ("ferritin 41 years old 8", {"ferritin": "low"}),
        ("vit d 1000 iu a day", {}),
        ("took 400 mg of magnesium", {}),
        ("low ferritin", {}),
        ("ferritin? I am 8 weeks pregnant", {}),
        ("ferritin 8, then ferritin 600", {}),
        ("", {}),
    ],
)
def test_a_value_after_the_name_of_a_test_is_low_or_high(text: str, found: object) -> None:
    assert measured(text) == found


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ("What does a slightly raised ALT mean?", {"ALT": "high"}),
        ("What are the symptoms of Hypokalemia ?", {"potassium": "low"}),
        ("My platelet count is slightly low or high, such as 130 or 480", {}),
        ("Is a blood pressure of 90/60 too low?", {"blood pressure": "low"}),
        ("What is ferritin?", {}),
    ],
)
def test_a_heading_speaks_of_a_low_or_a_high_result(heading: str, found: object) -> None:
    assert directions(heading) == found


@pytest.mark.parametrize(
    ("question", "heading", "result"),
    [
        ("ferritin 9, why", "My ferritin is high: is that dangerous?", "high ferritin"),
        ("ferritin 9, why", "My ferritin is low: is that dangerous?", None),
        ("ferritin 9, why", "My TSH is high: is that dangerous?", None),
        ("TSH 6.2, sodium 128", "Low TSH and low sodium", None),
        ("TSH 6.2", "My TSH is slightly low", "low TSH"),
    ],
)
def test_a_page_on_the_opposite_result_is_recognised(
    question: str, heading: str, result: str | None
) -> None:
    assert opposite_result(question, heading) == result


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    assert set(measured(f"TSH {text}").values()) <= {"low", "high"}


def test_the_values_of_a_test_are_apart() -> None:
    for test in rows():
        every = sorted(item for values in test.values.values() for item in values)
        assert all(least < most for least, most in every), test.name
        assert all(one[1] < other[0] for one, other in pairwise(every)), test.name


def test_a_damaged_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_values, "lines", lambda table: [(3, "TSH\ttsh\tlow\t\t\t\tx")])
    rows.cache_clear()
    try:
        with pytest.raises(CorpusError, match=r"result_values\.tsv, line 3"):
            rows()
    finally:
        rows.cache_clear()
