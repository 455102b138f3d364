"""The training sentences of the layer that finds questions on a missed or repeated dose."""

from pathlib import Path

import pytest

from training.dose_mishap import SENTENCES, main
from training.own_record import read


def test_the_sentences_are_read_with_their_labels() -> None:
    texts, labels = read(SENTENCES)
    assert len(texts) == len(set(texts)) == len(labels)
    assert 100 < labels.sum() < len(texts) / 2


def test_a_missing_data_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "asked" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
