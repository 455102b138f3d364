"""The default run opens no socket, and a question imports no torch."""

import os
import subprocess
import sys
from pathlib import Path

NO_SOCKET = """
import socket, sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind"):
        raise AssertionError(f"the default run used the network: {event} {arguments[1:]}")
    if event == "socket.__new__" and arguments[1] != socket.AF_UNIX:
        raise AssertionError(f"the default run opened a socket: {arguments[1:]}")

sys.addaudithook(refuse)
from app.cli.main import main
"""


def run(code: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", NO_SOCKET + code],
        env={**os.environ, "ANAMNESIS_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_indexing_opens_no_socket(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("question,answer\nWhat is asthma?,Asthma is a disease of the airways.\n")
    ran = run(f"sys.exit(main(['index', 'csv', {str(table)!r}]))", tmp_path / "home")
    assert ran.returncode == 0, ran.stderr


def test_a_question_opens_no_socket_and_imports_no_torch(starter_home: Path) -> None:
    ran = run(
        "status = main(['ask', 'What are the symptoms of asthma?'])\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "sys.exit(status)",
        starter_home,
    )
    assert ran.returncode == 0, ran.stderr
    assert "[1]" in ran.stdout


def test_remembering_and_recalling_open_no_socket_and_import_no_torch(
    starter_home: Path,
) -> None:
    ran = run(
        "asked = ['ask', 'I have asthma, what are its symptoms?', '--user', 'offline']\n"
        "asked += ['--remember']\n"
        "status = main(asked) or main(asked)\n"
        "status = status or main(['memory', 'delete', '--all', '--yes', '--user', 'offline'])\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "sys.exit(status)",
        starter_home,
    )
    assert ran.returncode == 0, ran.stderr
    assert "3 deleted" in ran.stdout  # the exchange, what the user said, the profile


def test_help_imports_none_of_the_heavy_libraries() -> None:
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from app.cli.main import parser; parser().format_help()\n"
            "heavy = {'torch', 'langgraph', 'pydantic', 'numpy', 'faiss'} & set(sys.modules)\n"
            "assert not heavy, heavy",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
