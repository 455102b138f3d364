"""Multiple choice measured on scripted answers."""

import pytest

from anamnesis.errors import SettingError
from evaluation.answers import evaluate_answers
from evaluation.reading import Question
from evaluation.report import answers_text

OPTIONS = {"A": "one", "B": "two"}
QUESTIONS = [
    Question("first", OPTIONS, "A"),
    Question("second", OPTIONS, "B"),
    Question("third", OPTIONS, "B"),
    Question("fourth", {**OPTIONS, "C": "three", "D": "four"}, "A"),
]


def test_rows_are_measured_and_compared_on_the_same_questions() -> None:
    told = {"first": "A", "second": "A"}  # one right, one wrong, two open
    result = evaluate_answers(
        QUESTIONS,
        {"some": lambda question: told.get(question.text), "all": lambda question: question.answer},
        resamples=200,
    )
    assert {name: own.mean for name, own in result.rows["some"].items()} == {
        "accuracy": 0.25,
        "wrong": 0.25,
        "undetermined": 0.5,
        "coverage": 0.5,
        "precision": 0.5,
    }
    assert result.rows["all"]["accuracy"] == (1, 1, 1)
    assert result.chance == (0.5 + 0.5 + 0.5 + 0.25) / 4
    assert result.used == 4
    [((first, second), found)] = result.comparisons.items()
    assert (first, second, found.difference.mean) == ("some", "all", 0.75)
    assert found.p == pytest.approx(0.25)  # three questions that only the second has right: 2 / 2³


def test_nothing_answered_has_no_precision() -> None:
    result = evaluate_answers(QUESTIONS, {"none": lambda question: None}, resamples=20)
    assert set(result.rows["none"]) == {"accuracy", "wrong", "undetermined", "coverage"}
    assert result.rows["none"]["accuracy"] == (0, 0, 0)
    assert "–" in answers_text(evaluate_answers(
        QUESTIONS, {"all": lambda own: own.answer, "none": lambda own: None}, resamples=20
    ))  # fmt: skip


def test_the_table_names_chance_rows_and_differences() -> None:
    result = evaluate_answers(QUESTIONS, {"a": lambda own: "A", "b": lambda own: "B"}, resamples=20)
    told = answers_text(result)
    assert told.startswith("4 questions\n")
    assert "chance  0.438" in told
    assert "b − a" in told
    assert result.to_json()["comparisons"][0]["p"] == 1.0


def test_progress_is_told_and_the_same_seed_gives_the_same_figures() -> None:
    done: list[tuple[int, int]] = []
    rows = {"a": lambda own: "A"}
    first = evaluate_answers(
        QUESTIONS, rows, seed=3, resamples=50, progress=lambda *at: done.append(at)
    )
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert evaluate_answers(QUESTIONS, rows, seed=3, resamples=50) == first


@pytest.mark.parametrize(("questions", "rows"), [([], {"a": lambda own: "A"}), (QUESTIONS, {})])
def test_nothing_to_measure_is_an_error(questions: list[Question], rows: dict) -> None:  # type: ignore[type-arg]
    with pytest.raises(SettingError, match="give at least one of each"):
        evaluate_answers(questions, rows)
