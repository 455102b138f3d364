"""The training sentences of the layer that finds questions in messages."""

import random
from pathlib import Path

import pytest

from training.asks import hurried, main


def test_a_hurried_writer_leaves_the_mark_out_and_may_begin_otherwise() -> None:
    rng = random.Random(1)
    made = {hurried("How is gout treated?", rng) for _ in range(50)}
    assert "How is gout treated" in made
    assert "and How is gout treated" in made
    assert all("?" not in text for text in made)
    assert {hurried("And is it bad?", rng) for _ in range(50)} == {"And is it bad", "is it bad"}


def test_a_missing_data_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "meqsum" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
