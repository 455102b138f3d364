"""The training sentences of the layer that finds questions about the user's own record."""

from pathlib import Path

import pytest

from training.own_record import SENTENCES, main, read


def test_the_sentences_are_read_with_their_labels() -> None:
    texts, labels = read(SENTENCES)
    assert len(texts) == len(set(texts)) == len(labels)
    assert labels[texts.index("What am I allergic to?")]
    assert not labels[texts.index("Why does my blood type matter?")]


def test_a_missing_data_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "asked" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
