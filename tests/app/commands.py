"""How a command ends that cannot do what it is asked for."""

import pytest

from app.cli.main import main


def assert_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The command ends with status 2, says why in ``message``, and prints nothing else."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
