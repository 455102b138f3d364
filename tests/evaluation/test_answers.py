"""Options, and yes and no, measured on scripted answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from anamnesis.errors import SettingError
from evaluation.answers import evaluate_answers
from evaluation.reading import Question
from evaluation.report import answers_text
from evaluation.results import Execution

OPTIONS = {"A": "one", "B": "two"}
QUESTIONS = [
    Question("first", OPTIONS, "A"),
    Question("second", OPTIONS, "B"),
    Question("third", OPTIONS, "B"),
    Question("fourth", {**OPTIONS, "C": "three", "D": "four"}, "A"),
]


def test_rows_are_measured_and_compared_on_the_same_questions() -> None:
    choices = {"first": "A", "second": "A"}  # one right, one wrong, two open
    result = evaluate_answers(
        QUESTIONS,
        {
            "some": lambda question: choices.get(question.text),
            "all": lambda question: question.answer,
        },
        Execution(resamples=200),
    )
    assert {name: estimate.mean for name, estimate in result.rows["some"].items()} == {
        "accuracy": 0.25,
        # A: one of two found, one of two right; B: none.
        "macro_f1": 0.25,
        "wrong": 0.25,
        "undetermined": 0.5,
        "coverage": 0.5,
        "precision": 0.5,
    }
    assert result.rows["all"]["accuracy"] == (1, 1, 1)
    assert result.chance == (0.5 + 0.5 + 0.5 + 0.25) / 4
    assert result.majority == 0.5
    assert result.used == 4
    [((first, second), found)] = result.comparisons.items()
    assert (first, second, found.difference.mean) == ("some", "all", 0.75)
    assert found.p == pytest.approx(0.25)  # three questions that only the second has right: 2 / 2³


def test_nothing_answered_has_no_precision() -> None:
    result = evaluate_answers(QUESTIONS, {"none": lambda question: None}, Execution(resamples=20))
    assert set(result.rows["none"]) == {
        "accuracy", "macro_f1", "wrong", "undetermined", "coverage"
    }  # fmt: skip
    assert result.rows["none"]["accuracy"] == (0, 0, 0)
    rows = {"all": lambda question: question.answer, "none": lambda question: None}
    assert "–" in answers_text(evaluate_answers(QUESTIONS, rows, Execution(resamples=20)))


def test_the_table_names_chance_rows_and_differences() -> None:
    result = evaluate_answers(
        QUESTIONS, {"a": lambda question: "A", "b": lambda question: "B"}, Execution(resamples=20)
    )
    text = answers_text(result)
    assert text.startswith("4 questions\n")
    assert "chance           0.438" in text
    assert "always the same  0.500" in text
    assert "b − a" in text
    assert result.to_json()["comparisons"][0]["p"] == 1.0


def test_progress_is_reported_and_the_same_seed_gives_the_same_figures() -> None:
    done: list[tuple[int, int]] = []
    rows = {"a": lambda question: "A"}
    first = evaluate_answers(
        QUESTIONS, rows, Execution(seed=3, resamples=50, progress=lambda *at: done.append(at))
    )
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert evaluate_answers(QUESTIONS, rows, Execution(seed=3, resamples=50)) == first


YES_NO = {"A": "Yes", "B": "No."}
NO_YES = {"A": "no", "B": "yes", "C": "maybe"}


def test_yes_and_no_are_distinguished_by_their_words_and_not_by_their_keys() -> None:
    questions = [Question("1", YES_NO, "A"), Question("2", NO_YES, "B"), Question("3", NO_YES, "A")]
    always = {"1": "A", "2": "B", "3": "B"}  # yes, under two keys
    result = evaluate_answers(
        questions, {"yes": lambda question: always[question.text]}, Execution(resamples=20)
    )
    assert result.majority == pytest.approx(2 / 3)
    assert result.rows["yes"]["accuracy"].mean == result.majority
    assert result.rows["yes"]["macro_f1"].mean == pytest.approx((4 / 5 + 0) / 2)


def test_an_answer_that_is_right_nowhere_is_wrong_and_not_undetermined() -> None:
    questions = [Question("1", NO_YES, "A"), Question("2", NO_YES, "B")]
    found = evaluate_answers(
        questions, {"maybe": lambda question: "C"}, Execution(resamples=20)
    ).rows["maybe"]
    assert (found["wrong"].mean, found["undetermined"].mean) == (1, 0)
    assert found["macro_f1"].mean == 0


ANSWERED = st.tuples(st.sampled_from("ABC"), st.sampled_from(["A", "B", "C", None]))


@settings(max_examples=25)
@given(st.lists(ANSWERED, min_size=1, max_size=30))
def test_macro_f1_is_measured_as_scikit_learn_does(pairs: list[tuple[str, str | None]]) -> None:
    options = {"A": "yes", "B": "no", "C": "maybe"}
    questions = [Question(str(n), options, right) for n, (right, _) in enumerate(pairs)]
    choices = {str(n): chosen for n, (_, chosen) in enumerate(pairs)}
    found = evaluate_answers(
        questions, {"a": lambda question: choices[question.text]}, Execution(resamples=1)
    ).rows["a"]
    right = [text for text, _ in pairs]
    chosen = [text or "undetermined" for _, text in pairs]
    labels = np.unique(right)
    expected = f1_score(right, chosen, labels=labels, average="macro", zero_division=0)
    assert found["macro_f1"].mean == pytest.approx(expected)


@pytest.mark.parametrize(
    ("questions", "rows"), [([], {"a": lambda question: "A"}), (QUESTIONS, {})]
)
def test_nothing_to_measure_is_an_error(questions: list[Question], rows: dict) -> None:  # type: ignore[type-arg]
    with pytest.raises(SettingError, match="give at least one of each"):
        evaluate_answers(questions, rows)
