"""The judged answers to typed questions."""

from pathlib import Path

import pytest

from benchmarks.typed_answers import LABELS, compared, lines, rows
from evaluation.urgency import read_messages

MESSAGES = Path(__file__).parents[2] / "benchmarks" / "further_messages.jsonl"


def test_each_answer_has_a_label_and_a_reason_and_a_question_of_the_messages() -> None:
    asked = {" ".join(item.text.split()) for item in read_messages(MESSAGES)}
    found = rows("typed_answers.tsv")
    assert len({row["question"] for row in found}) == len(found) == 130
    assert {row["label"] for row in found} == set(LABELS)
    assert all(row["why"] and row["question"] in asked for row in found)


@pytest.mark.parametrize(
    "name",
    [
        "everyday",
        "practice",
        "week",
        "advice",
        "line",
        "town",
        "plan",
        "island",
        "southern",
        "midlands",
        "coast",
        "harbour",
        "prairie",
        "moor",
        "lake",
        "valley",
        "hills",
        "forest",
        "delta",
    ],
)
def test_each_everyday_question_has_a_label(name: str) -> None:
    found = rows(f"{name}_answers.tsv")
    assert len({row["question"] for row in found}) == len(found) == 100
    assert {row["label"] for row in found} <= set(LABELS)


def test_each_pair_says_which_form_is_better() -> None:
    found = rows("whole_pages.tsv")
    assert {row["set"] for row in found} == {"chosen on", "other", "further", "lower relevance"}
    assert {row["preferred"] for row in found} == {"whole", "sentences", "same"}
    assert {row["sources"] for row in found} == {"one", "several"}
    yes_no = {row[f"{form} misleading"] for row in found for form in ("whole", "sentences")}
    assert yes_no == {"yes", "no"}
    # No question on which a threshold was chosen is in the other set.
    chosen, other = (
        [row["question"] for row in found if (row["set"] == "other") == wanted]
        for wanted in (False, True)
    )
    assert len(set(other)) == len(other)
    assert not set(chosen) & set(other)


def test_the_forms_are_counted() -> None:
    made = [
        {"preferred": "whole", "whole misleading": "no", "sentences misleading": "yes"},
        {"preferred": "same", "whole misleading": "yes", "sentences misleading": "yes"},
    ]
    assert compared("a", made) == (
        "a: 2, whole preferred 1, sentences 0, the same 1; misleading 1 and 2"
    )


def test_each_pair_with_and_without_further_sentences_has_labels() -> None:
    found = rows("further_sentences.tsv")
    assert {row["set"] for row in found} == {"chosen on", "other"}
    assert {row[form] for row in found for form in ("with", "without")} <= set(LABELS)
    assert {row["preferred"] for row in found} == {"with", "without", "same"}


def test_each_answer_changed_by_questions_in_other_words_is_one_of_the_hundred() -> None:
    found = rows("asked_as_answers.tsv")
    every = {row["question"]: row["label"] for row in rows("line_answers.tsv")}
    assert len({row["question"] for row in found} & set(every)) == len(found) == 42
    assert {row[form] for row in found for form in ("with", "without")} <= set(LABELS)
    assert {row["preferred"] for row in found} == {"with", "without", "same"}


@pytest.mark.parametrize(
    ("name", "sets", "number"),
    [
        ("further_pages", ["town"], 29),
        ("more_pages", ["island", "southern"], 33),
        ("latest_pages", ["midlands", "coast"], 59),
        ("first_pages", ["moor", "lake", "valley", "hills", "forest", "delta"], 342),
    ],
)
def test_each_answer_changed_by_further_pages_is_one_of_a_week(
    name: str, sets: list[str], number: int
) -> None:
    found = rows(f"{name}_answers.tsv")
    every = {row["question"] for each in sets for row in rows(f"{each}_answers.tsv")}
    assert len({row["question"] for row in found} & every) == len(found) == number
    assert {row[form] for row in found for form in ("with", "without")} <= set(LABELS)
    assert {row["preferred"] for row in found} == {"with", "without", "same"}


def test_the_labels_with_the_listed_pages_are_counted_below_those_without() -> None:
    shown = list(lines())
    place = next(at for at, line in enumerate(shown) if line.startswith("harbour_answers: "))
    assert "useful 57" in shown[place]
    assert shown[place + 1].startswith("  with the other pages listed: useful 62")


def test_two_judges_compared_the_same_answers_with_another_order_of_sources() -> None:
    found = rows("source_order_answers.tsv")
    asked = [row["question"] for row in found]
    assert asked[:23] == asked[23:]
    assert {row[form] for row in found for form in ("with", "without")} <= set(LABELS)
    assert {row["preferred"] for row in found} == {"with", "without", "same"}
