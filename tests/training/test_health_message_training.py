"""The training messages of the layer that finds messages about somebody's health."""

from pathlib import Path

import pytest

from training.health_message import main


def test_a_missing_data_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 1
    assert "messages_urgency" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
