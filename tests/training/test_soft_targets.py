"""The targets of a further stage are between the labels and what the reader says already."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.anamnesis.models.conftest import tiny_bert  # noqa: F401
from tests.training.test_learn_reader import GOUT, OTHER
from training.examples import LABELS
from training.question_passages import Reading, whole_passage_reading
from training.reader import encode, predict, start_from
from training.soft_targets import softened

WINDOW = 48


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_only_earlier_examples_with_a_passage_are_averaged(
    tiny_bert: Callable[..., Path],  # noqa: F811
    share: float,
) -> None:
    model, tokenizer = start_from(tiny_bert(labels=dict(enumerate(LABELS))))
    examples_asked: list[Any] = [whole_passage_reading(GOUT), whole_passage_reading(OTHER)]
    earlier = [replace(item, earlier=True) for item in examples_asked]
    message = Reading("chest pain", level="urgent", earlier=True)
    readings = [*examples_asked, *earlier, message]
    encoded = encode(tokenizer, readings, WINDOW)
    made = softened(model, readings, encoded, share)
    assert made[:2] == encoded[:2]
    assert made[4] == encoded[4]
    outputs, sentences = predict(model, tokenizer, earlier, WINDOW)
    for before, after, output, chances in zip(
        encoded[2:4], made[2:4], outputs[:, 0].sigmoid().tolist(), sentences, strict=True
    ):
        assert after.relevance == pytest.approx(
            (1 - share) * before.relevance + share * output, abs=1e-5
        )
        expected = [
            (1 - share) * label + share / (1 + math.exp(-chance))
            for label, chance in zip(before.targets[1:], chances, strict=True)
        ]
        assert after.targets[1:] == pytest.approx(expected, abs=1e-5)
        assert after.ids == before.ids
