"""The network on the reader's middle block, fitted on states made by hand."""

from pathlib import Path

import numpy as np
import pytest

from anamnesis.models import message_layers as shipped
from anamnesis.models.message_layers import message_outputs
from anamnesis.models.reading import URGENCY_LEVELS
from training import message_layers
from training.message_layers import fit, main
from training.question_passages import Reading

HARM = "i want to die"
TEXTS = {"emergency": "he is not breathing", "urgent": "a deep cut", "routine": "my knee clicks"}


def states(texts: list[str]) -> np.ndarray:
    """A direction of its own for each kind of text, with noise."""
    rng = np.random.default_rng(5)
    kinds = [HARM, *TEXTS.values()]
    places = [next((n for n, kind in enumerate(kinds) if kind in text), 7) for text in texts]
    return (4 * np.eye(8)[places] + rng.normal(size=(len(texts), 8)) + 3).astype(np.float32)


def test_levels_and_self_harm_are_learned(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = [
        Reading(f"{text} {number}", level=level)
        for number in range(400)
        for level, text in TEXTS.items()
    ]
    made += [Reading(f"{HARM} {n}", level="emergency", kind="self-harm") for n in range(400)]
    monkeypatch.setattr(message_layers, "states", states)
    monkeypatch.setattr(message_layers, "examples", lambda folder: made)
    monkeypatch.setattr(message_layers.urgent, "messages", lambda folder: made)
    monkeypatch.setattr(
        message_layers.urgent, "real_sentences", lambda folder, number: ["thank you"] * 20
    )
    layers = fit(tmp_path)
    assert "AUROC" in capsys.readouterr().out
    monkeypatch.setattr(shipped, "read_layer", lambda name: (layers, {}))
    [harm, *others] = (message_outputs(state) for state in states([HARM, *TEXTS.values(), "x"]))
    assert harm.harm > max(item.harm for item in others)
    levels = [URGENCY_LEVELS[int(item.levels.argmax())] for item in (harm, *others[:3])]
    assert levels == ["emergency", *TEXTS]


def test_a_missing_data_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err
    assert not list(tmp_path.iterdir())
