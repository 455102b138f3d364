"""Answers in prose, measured on scripted ones."""

from collections.abc import Mapping
from math import exp

import pytest

from anamnesis.corpus.record import Record
from anamnesis.errors import SettingError
from evaluation.chatbot import (
    ChatbotQuestion,
    ChatbotResult,
    Reply,
    draw_questions,
    evaluate_chatbot,
)
from evaluation.report import rows_text
from evaluation.results import Execution

ROWS = {"no memory": 0, "1 memory": 1}


def record(key: str, question: str, focus: str = "Gout") -> Record:
    return Record(key, focus, f"{key} is described.", question, "Mine", focus=focus)


GOUT = [
    record("a", "What is gout?"),
    record("b", "Who gets gout?"),
    record("c", "Is gout bad?", "gout"),
    record("d", "what is  GOUT?"),
]
ALONE = record("e", "What is scurvy?", "Scurvy")
NONE = record("f", "", "Gout")


def test_earlier_questions_are_others_of_the_same_subject() -> None:
    asked = draw_questions([*GOUT, ALONE, NONE], 3, 2)
    assert {question.record.id for question in asked} == {"a", "b", "c"}
    for question in asked:
        assert [each.id for each in question.earlier] == sorted(
            {"a", "b", "c"} - {question.record.id}
        )
    assert draw_questions([*GOUT, ALONE], 3, 2) == asked
    assert {question.record.id for question in draw_questions([*GOUT, ALONE], 4, 0)} == {
        "a",
        "b",
        "c",
        "e",
    }


@pytest.mark.parametrize("sample", [0, -1, 4])
def test_too_few_records_are_reported(sample: int) -> None:
    with pytest.raises(SettingError, match="3 records have a question and 2 others"):
        draw_questions([*GOUT, ALONE], sample, 2)


def measured(
    replies: Mapping[tuple[str, int], Reply], kept: dict[str, object] | None = None
) -> ChatbotResult:
    asked = [ChatbotQuestion(GOUT[0], GOUT[1:3]), ChatbotQuestion(GOUT[1], GOUT[:1])]

    def measure(answer: str, expected: str) -> dict[str, float]:
        assert expected in ("a is described.", "b is described.")
        return {"rouge_l": len(answer) / 10, "bertscore_f1": 0.5}

    return evaluate_chatbot(
        asked,
        GOUT,
        ROWS,
        lambda question, memories: replies[question.record.id, memories],
        lambda question: ["x", "d", "b", "y", "z", "a"],
        measure,
        lambda text: (2.0 * len(text), len(text)),
        Execution(resamples=50, kept=kept),
    )


REPLIES = {
    ("a", 0): Reply("", 0, 0, 900.0),
    ("b", 0): Reply("four", 0, 0, 4000.0),
    ("a", 1): Reply("longer", 1, 1, 3000.0),
    ("b", 1): Reply("even", 2, 1, 800.0),
}


def test_figures_by_hand() -> None:
    result = measured(REPLIES)
    plain, other = (
        {name: estimate.mean for name, estimate in result.methods[row].items()} for row in ROWS
    )
    # Of 'a' and 'd', which has the same question, one is among the first five; 'b' is.
    assert plain["recall@5"] == other["recall@5"] == pytest.approx((1 / 2 + 1) / 2)
    assert plain["precision@5"] == pytest.approx(1 / 5)
    # What states nothing counts 0 among all, and not among the answered.
    assert (plain["answered"], plain["rouge_l"], plain["rouge_l_answered"]) == (0.5, 0.2, 0.4)
    assert (plain["bertscore_f1"], plain["bertscore_f1_answered"]) == (0.25, 0.5)
    assert (other["answered"], other["rouge_l"]) == pytest.approx((1, 0.5))
    assert plain["perplexity"] == pytest.approx(exp(2))
    assert (other["recalled"], other["injected"]) == (1.5, 1)
    # Timed is who is asked first: the second row on the first question, then the first one.
    assert (plain["seconds"], other["seconds"]) == (4, 3)
    assert result.median_ms == {"no memory": 4000, "1 memory": 3000}


def test_every_row_is_compared_with_the_first() -> None:
    result = measured(REPLIES)
    assert list(result.comparisons) == ["rouge_l", "bertscore_f1"]
    found = result.comparisons["rouge_l"]["no memory", "1 memory"]
    assert found.difference.mean == pytest.approx((0.6 + 0) / 2)
    assert found.p_holm >= found.p
    comparisons = result.to_json()["comparisons"]
    assert [(item["metric"], item["of"], item["less"]) for item in comparisons] == [
        ("rouge_l", "1 memory", "no memory"), ("bertscore_f1", "1 memory", "no memory"),
    ]  # fmt: skip
    text = rows_text(result.methods, result.comparisons)
    assert "bertscore_f1: 1 memory − no memory  0.250 [0.000, 0.500]" in text


def test_where_nothing_is_answered_there_is_no_perplexity() -> None:
    result = measured({key: Reply("", 0, 0, 1.0) for key in REPLIES})
    assert "perplexity" not in result.methods["no memory"]
    assert "rouge_l_answered" not in result.methods["no memory"]
    assert result.methods["no memory"]["rouge_l"].mean == 0


def test_what_was_answered_before_is_not_asked_again() -> None:
    kept: dict[str, object] = {}
    first = measured(REPLIES, kept)
    assert sorted(kept) == ["1 1 memory", "1 no memory", "2 1 memory", "2 no memory"]
    assert measured({}, kept) == first
