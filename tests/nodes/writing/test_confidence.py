"""The lines of an answer's text that say how far to trust it."""

from typing import Any, cast

from nodes.state import Answer
from nodes.writing.confidence import confidence_lines, withheld_lines


def answer(support: float | None, relevance: float | None, **more: Any) -> Answer:
    found = {
        "outcome": "answered",
        "statements": [{"text": "Gout hurts."}],
        "confidence": {"support": support, "relevance": relevance},
    }
    return cast(Answer, {**found, **more})


def test_both_parts_are_named_and_neither_is_certain() -> None:
    assert confidence_lines(answer(1.0, 0.962)) == [
        "Confidence: over 99% that the sources say all of this (support), "
        "96% that this answers the question (relevance)"
    ]


def test_what_was_not_measured_is_left_out() -> None:
    [line] = confidence_lines(answer(None, 0.4))
    assert line == "Confidence: 40% that this answers the question (relevance)"
    assert confidence_lines(answer(None, None)) == []
    assert confidence_lines(answer(1.0, 0.9, statements=[])) == []
    assert confidence_lines(answer(1.0, 0.9, outcome="urgent")) == []


def test_what_answers_another_question_is_not_called_unconfirmed() -> None:
    kind = {"code": "kind", "found": "type 1"}
    one = {"text": "x", "verdict": "unsupported", "failed": [kind], "near": None}
    other = {**one, "failed": [kind, {"code": "number", "found": "5 mg"}]}
    assert withheld_lines(answer(None, None, withheld=[one, other, one])) == [
        "\nNot shown: 1 statement of the draft that the sources do not confirm.",
        "\nNot shown: 2 statements about a different type or medicine than the question asks "
        "about.",
    ]
