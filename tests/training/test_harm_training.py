"""The layer that finds messages of self-harm, fitted on the project's own messages."""

from pathlib import Path

import numpy as np
import pytest

from training.asked import Reading
from training.harm import fit, main

HARM = ["i want to die", "she took all her pills to end it", "he says he will hang himself"]
OTHER = ["what is gout", "my knee hurts when i run", "is this cream safe for a baby"]


def test_the_layer_tells_the_messages_apart() -> None:
    found = [Reading(text, level="emergency", kind="self-harm") for text in HARM * 8]
    found += [Reading(text, level="routine") for text in OTHER * 8]
    # A message that is kept aside is never trained on; equal ones are kept aside together.
    weight, bias = fit([*found, *aside()])
    assert weight.shape == (384,)
    assert bias.shape == (1,)
    assert weight.dtype == bias.dtype == np.float32


def aside() -> list[Reading]:
    """A message of each kind that is kept aside."""
    from training.urgent import is_dev

    harm = next(text for n in range(99) if is_dev(text := f"i want to die, {n}"))
    other = next(text for n in range(99) if is_dev(text := f"what is gout, {n}"))
    return [Reading(harm, level="emergency", kind="self-harm"), Reading(other, level="routine")]


def test_a_missing_data_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "messages_urgency" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
