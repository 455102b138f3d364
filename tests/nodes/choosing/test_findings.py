"""What says what is so, and what is about a study's plan or of what may be."""

import pytest

from nodes.choosing.findings import reports_finding

CLAIM = "Zinc shortens colds."


@pytest.mark.parametrize(
    "text",
    [
        "Zinc shortened colds by two days.",
        "Zinc did not shorten colds.",
        "Colds were shorter with zinc (2.1 against 4.0 days).",
        "Methods to shorten colds are few, but zinc does.",
    ],
)
def test_a_finding(text: str) -> None:
    assert reports_finding(text, CLAIM)


@pytest.mark.parametrize(
    "text",
    [
        "We aimed to see if zinc shortens colds.",
        "This study investigated zinc for colds.",
        "Zinc was randomly assigned to 50 people with colds.",
        "METHODS: Zinc for colds, 50 people.",
        "Background: zinc shortens colds.",
        "Does zinc shorten colds?",
        "It is unclear if zinc shortens colds.",
    ],
)
def test_what_was_asked_or_done_is_no_finding(text: str) -> None:
    assert not reports_finding(text, CLAIM)
    assert not reports_finding(text, "Zinc can shorten colds.")


@pytest.mark.parametrize(
    "text",
    [
        "Zinc may shorten colds.",
        "A small trial suggests that zinc shortens colds.",
        "Zinc shows promise for colds.",
        "There are concerns that zinc prolongs colds.",
    ],
)
def test_what_is_supposed_supports_a_possibility_alone(text: str) -> None:
    assert not reports_finding(text, CLAIM)
    assert reports_finding(text, "Zinc can shorten colds.")
