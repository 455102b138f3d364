"""What the reader's middle block knows about a message: its urgency, and self-harm.

The reader's last block represents what it was trained for. Its middle block keeps more of what a
message says, so a small network with one hidden layer reads the mean of that block's states. Fitted
by `python -m training.message_layers`.
"""

from typing import NamedTuple

import numpy as np

from anamnesis.models.classifier import Scores
from anamnesis.models.own_layers import read_layer
from anamnesis.models.reading import URGENCY_LEVELS

WEIGHTS = "message_layers.safetensors"


class MessageOutputs(NamedTuple):
    """The outputs for one message.

    Attributes:
        levels: Scores of ``URGENCY_LEVELS`` (3,), whose softmax gives probabilities.
        harm: Half the log-odds that it mentions self-harm; ``anamnesis.models.harm`` adds the half
            of the words.
    """

    levels: Scores
    harm: float


def message_outputs(state: Scores) -> MessageOutputs:
    """The outputs for the mean state (hidden,) of a message.

    Raises ModelError if the weights are missing or damaged.
    """
    stored = read_layer(WEIGHTS)[0]
    hidden = np.maximum(
        stored["hidden.weight"].astype(np.float32) @ state + stored["hidden.bias"], 0
    )
    outputs = stored["outputs.weight"].astype(np.float32) @ hidden + stored["outputs.bias"]
    number = len(URGENCY_LEVELS)
    return MessageOutputs(outputs[:number], float(outputs[number]))
