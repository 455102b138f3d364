"""Which sentences ask."""

import numpy as np

from anamnesis.models.question_sentences import layer_inputs, question_sentences


def test_a_question_mark_is_an_input_of_its_own_also_within_quotes() -> None:
    made = layer_inputs(["It is so.", "Is it so?", "“Is it so?”"], np.zeros((3, 2), np.float32))
    assert made[:, -1].tolist() == [0, 1, 1]
    assert made.shape == (3, 3)


def test_what_asks_is_likelier_than_what_states_also_without_a_question_mark() -> None:
    texts = ["how long does shingles last", "My dad has had shingles since Monday.", "Thank you!"]
    asks, *statements = question_sentences(texts).chances
    assert asks > 0.7 > 0.1 > max(statements)
