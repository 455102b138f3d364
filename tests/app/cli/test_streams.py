"""Commands whose input and output are odd: closed, full, or in another encoding."""

import io
import json
import socket
import sys
from pathlib import Path

import pytest

from app.cli.main import main

pytestmark = pytest.mark.usefixtures("at_starter")

QUESTION = "What are the symptoms of asthma?"
SAID = "Inhaled “medicines” treat asthma 😀."


@pytest.fixture
def page(tmp_path: Path) -> str:
    (tmp_path / "asthma.txt").write_text(SAID, "utf-8")
    return str(tmp_path / "asthma.txt")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_terminal_without_these_characters_gets_them_as_escapes(
    page: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for more in ([], ["--json"]):
        written = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding))
        assert main(["check", SAID, "--document", page, *more]) == 0
        printed = written.getvalue().decode(encoding)
        if more:
            assert json.loads(printed)["statements"][0]["text"] == SAID
        else:
            assert "\\u2713 supported" in printed


@pytest.mark.parametrize("command", [["chat"], ["check", "-", "--document"]])
def test_closed_standard_input_is_reported(
    command: list[str], page: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "stdin", None)
    given = [*command, page] if command[0] == "check" else command
    assert main(given) == 2
    assert "standard input is closed; connect it" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_output_without_room_is_reported(
    page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115
    monkeypatch.setattr(sys, "stdout", full)
    assert main(["check", SAID, "--document", page]) == 2
    assert "make room and repeat" in capsys.readouterr().err
    with pytest.raises(OSError, match="No space left"):
        full.close()


def test_a_conversation_continues_after_a_question_that_is_too_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = f"{QUESTION}\n{'x' * 5000}\nHow is it treated?\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(asked))
    assert main(["chat"]) == 2
    out, err = capsys.readouterr()
    assert "the question has 5,000 characters" in err
    assert "understood as: How is asthma treated?" in out


def test_nothing_is_remembered_for_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["ask", QUESTION], ["chat"], ["trace", "ask", QUESTION]):
        assert main([*command, "--remember"]) == 2
        assert "name one with --user USER" in capsys.readouterr().err


def test_a_model_server_needs_an_address_and_a_token_that_can_be_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    serve = ["models", "serve", "--embedder", "none", "--critic", "none"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for port in (999_999, taken.getsockname()[1]):
            assert main([*serve, "--port", str(port)]) == 2
            assert "--port" in capsys.readouterr().err
    for token in ("", " \n"):
        monkeypatch.setenv("ANAMNESIS_MODELS_TOKEN", token)
        assert main([*serve, "--host", "0.0.0.0"]) == 2
        assert "ANAMNESIS_MODELS_TOKEN is empty; set it" in capsys.readouterr().err


def test_a_server_that_offers_nothing_ends_with_status_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert main(["models", "probe", f"http://127.0.0.1:{port}?api=tei"]) == 1
    assert "did not answer" in capsys.readouterr().out
