"""The network on the mean state of the reader's middle block."""

import numpy as np
import pytest

from anamnesis.models import message_layers
from anamnesis.models.message_layers import message_outputs
from anamnesis.models.reader import OwnReader
from anamnesis.models.reading import URGENCY_LEVELS
from anamnesis.models.reranker import load_reranker


def test_the_outputs_are_those_of_a_network_with_one_hidden_layer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layers = {
        "hidden.weight": np.array([[1, 0], [0, -1]], np.float16),
        "hidden.bias": np.array([0.5, 1.0], np.float32),
        "outputs.weight": np.array([[1, 0], [0, 1], [1, 1], [2, -2]], np.float16),
        "outputs.bias": np.array([0, 0, 0, 0.25], np.float32),
    }
    monkeypatch.setattr(message_layers, "read_layer", lambda name: (layers, {}))
    # The hidden layer gives 1.5, and 0 in place of -1.
    found = message_outputs(np.array([1.0, 2.0], np.float32))
    assert found.levels.tolist() == [1.5, 0.0, 1.5]
    assert found.harm == 3.25


@pytest.mark.parametrize(
    ("message", "level"),
    [
        ("he collapsed and is not breathing", "emergency"),
        ("can i take my vitamin d with food", "routine"),
    ],
)
def test_the_middle_block_alone_separates_an_emergency_from_a_question(
    message: str, level: str
) -> None:
    reader = load_reranker("own")
    assert isinstance(reader, OwnReader)
    last, state = reader.message(message)
    assert last.shape == (3,)
    assert state.shape == (384,)
    assert URGENCY_LEVELS[int(message_outputs(state).levels.argmax())] == level
