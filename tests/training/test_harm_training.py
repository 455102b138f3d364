"""The layer on the words of self-harm, fitted on a few messages."""

from pathlib import Path

import numpy as np
import pytest

from anamnesis.models.ngrams import COLUMNS
from training.harm import fit, main
from training.question_passages import Reading
from training.urgent import is_dev

HARM = ["i want to die", "she took all her pills to end it", "he says he will hang himself"]
OTHER = ["what is gout", "my knee hurts when i run", "is this cream safe for a baby"]


def test_the_layer_has_the_shape_of_the_words() -> None:
    found = [Reading(text, level="emergency", kind="self-harm") for text in HARM * 8]
    found += [Reading(text, level="routine") for text in OTHER * 8]
    layer = fit([*found, *aside()], ["she uses a cream twice a day"])
    assert {name: item.shape for name, item in layer.items()} == {
        "words": (2 * COLUMNS,), "bias": (1,)
    }  # fmt: skip
    assert all(np.isfinite(item).all() for item in layer.values())


def aside() -> list[Reading]:
    """A held-out message of each kind."""
    harm = next(text for n in range(99) if is_dev(text := f"i want to die, {n}"))
    other = next(text for n in range(99) if is_dev(text := f"what is gout, {n}"))
    return [Reading(harm, level="emergency", kind="self-harm"), Reading(other, level="routine")]


def test_a_missing_data_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "messages_urgency" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
