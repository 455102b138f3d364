"""Readers with scripted readings, and what is measured of them."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from anamnesis.errors import SettingError
from anamnesis.models.reading import Reading
from evaluation.question_passages import QuestionPassage
from evaluation.reader import evaluate_reader, of_sentences, sentence_f1
from evaluation.results import Execution
from tests.fakes import ScriptedReader

SENTENCES = ("Aa bb.", "Cc dd.", "Ee ff.")
JOINED = " ".join(SENTENCES)


def scripted(script: dict[str, Reading]) -> ScriptedReader:
    """A reader that gives each question the reading of its script."""

    def rule(question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        assert list(passages) == [("H", JOINED)]
        return [script[question]]

    return ScriptedReader(rule)


def reading(relevance: float, *chances: float, **polar: float) -> Reading:
    spans = [(0, 6), (7, 13), (14, 20)]
    sentences = tuple((*span, chance) for span, chance in zip(spans, chances, strict=True))
    return Reading(relevance, sentences, polar)


def asked(question: str, *answers: int, polar: str | None = None) -> QuestionPassage:
    return QuestionPassage(question, "H", SENTENCES, frozenset(answers), polar)


def test_passages_and_sentences_are_distinguished() -> None:
    reader = scripted(
        {
            "first": reading(0.9, 0.8, 0.6, 0.1, yes=0.7, no=0.2, depends=0.0, open=0.1),
            "second": reading(0.3, 0.3, 0.35, 0.1, yes=0.3, no=0.2, depends=0.0, open=0.5),
            "third": reading(0.8, 0.9, 0.1, 0.1),
            "near miss": reading(0.5, 0.9, 0.9, 0.9),
        }
    )
    questions = [
        asked("first", 0, polar="yes"),
        asked("second", 1, 2, polar="no"),
        asked("third", 2),
        asked("near miss"),
    ]
    result = evaluate_reader(reader, questions, Execution(resamples=50))
    found = {name: estimate.mean for name, estimate in result.metrics.items()}
    assert found["auroc"] == pytest.approx(2 / 3)
    assert found["top_sentence"] == pytest.approx(2 / 3)
    # Two quoted where one answers; none quoted; the wrong one quoted.
    assert found["sentence_f1"] == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert found["verdict"] == 0.5
    assert result.counts == {"answerable": 3, "near_misses": 1, "polar": 2, "passages": 1}
    assert result.rows[1] == {
        "question": "second", "style": "", "answers": [2, 3], "relevance": 0.3,
        "sentences": [0.3, 0.35, 0.1],
        "polar": {"yes": 0.3, "no": 0.2, "depends": 0.0, "open": 0.5},
    }  # fmt: skip
    # All stand on one passage: whatever is drawn, it is the same.
    assert all(metric.low == metric.mean == metric.high for metric in result.metrics.values())


def test_what_is_undefined_is_left_out() -> None:
    reader = scripted({"a": reading(0.9, 0.8, 0.6, 0.1), "b": reading(0.2, 0, 0, 0)})
    only = evaluate_reader(reader, [asked("a", 0, polar="yes")], Execution(resamples=50))
    assert set(only.metrics) == {"top_sentence", "sentence_f1"}
    both = evaluate_reader(reader, [asked("a", 0), asked("b")], Execution(resamples=50))
    assert set(both.metrics) == {"auroc", "top_sentence", "sentence_f1"}
    assert evaluate_reader(reader, [asked("b")], Execution(resamples=50)).metrics == {}
    with pytest.raises(SettingError, match="at least one"):
        evaluate_reader(reader, [])


def test_what_was_read_before_is_not_read_again() -> None:
    script = {"a": reading(0.9, 0.8, 0.6, 0.1, yes=1.0), "b": reading(0.2, 0.1, 0.1, 0.1)}
    questions = [asked("a", 0, polar="yes"), asked("b")]
    kept: dict[str, Any] = {}
    first = evaluate_reader(scripted(script), questions, Execution(resamples=50, kept=kept))
    kept = json.loads(json.dumps(kept))
    del kept["2"]
    reader = scripted(script)
    assert evaluate_reader(reader, questions, Execution(resamples=50, kept=kept)) == first
    assert reader.asked == ["b"]


@pytest.mark.parametrize(
    ("spans", "chances"),
    [
        ([(0, 6, 0.1), (7, 13, 0.2), (14, 20, 0.3)], [0.1, 0.2, 0.3]),
        ([(0, 13, 0.4), (14, 20, 0.3)], [0.4, 0.4, 0.3]),  # two sentences taken for one
        ([(0, 2, 0.1), (3, 6, 0.7), (7, 20, 0.2)], [0.7, 0.2, 0.2]),  # one taken for two
        ([(0, 7, 0.9), (14, 20, 0.2)], [0.9, 0.0, 0.2]),  # the blank between is of none
        ([], [0.0, 0.0, 0.0]),
    ],
)
def test_a_sentence_has_the_greatest_probability_of_what_overlaps_it(
    spans: list[tuple[int, int, float]], chances: list[float]
) -> None:
    assert of_sentences(SENTENCES, Reading(0.5, tuple(spans), {})) == chances


def test_f1_of_sentences() -> None:
    assert sentence_f1(frozenset({0, 1}), [0.5, 0.9, 0.3]) == 1
    assert sentence_f1(frozenset({0, 1}), [0.5, 0.3, 0.9]) == 0.5
    assert sentence_f1(frozenset({0}), [0.3, 0.3, 0.3]) == 0
