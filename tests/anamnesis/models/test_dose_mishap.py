"""The classifier of questions on a missed or repeated dose, with the shipped weights."""

from pathlib import Path

import pytest

from anamnesis.models.dose_mishap import LEAST, about_dose_mishap, is_mishap_page

QUESTIONS = Path(__file__).parents[3] / "benchmarks" / "dose_mishap_questions.tsv"


@pytest.mark.parametrize(
    "heading",
    [
        "What should I do if I miss a dose of ramipril?",
        "I gave my daughter her antibiotic twice by mistake. What should I do?",
    ],
)
def test_the_heading_of_a_page_on_a_missed_or_repeated_dose_is_one(heading: str) -> None:
    assert is_mishap_page(heading)


@pytest.mark.parametrize(
    "heading", ["What are the side effects of ramipril?", "What is gout?", "", "\ud83d"]
)
def test_another_heading_is_none(heading: str) -> None:
    assert not is_mishap_page(heading)


def test_questions_of_another_writer_are_recognised() -> None:
    rows = [line.split("\t") for line in QUESTIONS.read_text("utf-8").splitlines()[1:]][::3]
    found = [(label, about_dose_mishap(question) >= LEAST) for _, label, question in rows]
    mishaps = [taken for label, taken in found if label == "1"]
    others = [taken for label, taken in found if label == "0"]
    assert sum(mishaps) >= 0.9 * len(mishaps)
    assert sum(others) <= 0.3 * len(others)
