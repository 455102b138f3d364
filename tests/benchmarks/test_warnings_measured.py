"""Precision and recall of the patient profile and its warnings."""

import pytest

from benchmarks.warnings import Case, measured, profile_cases, warning_cases


def test_precision_and_recall_are_of_entries() -> None:
    cases = [
        Case("", frozenset("ab"), frozenset("bc")),
        Case("", frozenset("d"), frozenset()),
        Case("", frozenset(), frozenset("e")),
    ]
    assert measured(cases) == pytest.approx({"precision": 1 / 3, "recall": 1 / 3})
    assert measured([Case("", frozenset(), frozenset("e"))]) == {"precision": 0.0}


def test_little_is_read_or_warned_of_wrongly_and_little_is_missed() -> None:
    for cases in (profile_cases(), warning_cases()):
        assert len(cases) > 120
        figures = measured(cases)
        assert figures["precision"] >= 0.97
        assert figures["recall"] >= 0.9
