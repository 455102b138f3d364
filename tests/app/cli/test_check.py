"""``anamnesis check``."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamnesis.corpus.loading import FORMATS, Columns, Loader, Report, Source
from anamnesis.corpus.record import Record
from app.cli.main import main
from nodes.checking.checks import CHECKS

TEXT = "Asthma causes wheezing. Asthma is treated with inhaled medicines."


@pytest.fixture
def page(tmp_path: Path) -> str:
    (tmp_path / "asthma.txt").write_text(TEXT, "utf-8")
    return str(tmp_path / "asthma.txt")


def test_a_supported_answer_is_printed_with_its_source(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "Asthma causes wheezing.", "--document", page]) == 0
    said = capsys.readouterr().out
    assert "✓ supported: Asthma causes wheezing." in said
    assert "source asthma.txt: Asthma causes wheezing." in said


def test_an_answer_is_read_and_given_as_json(
    page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Asthma is cured by 3 spoons of honey. [1]"))
    assert main(["check", "-", "--document", page, "--json", "--critic", "similarity"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["supported"]
    assert "number: 3" in found["statements"][0]["failed_checks"]


@pytest.mark.parametrize("wrong", ["", "blank.txt", "missing.txt"])
def test_what_cannot_be_checked_is_named(
    wrong: str, tmp_path: Path, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "blank.txt").write_text(" \n", "utf-8")
    named = str(tmp_path / wrong) if wrong else page
    assert main(["check", "Asthma." if wrong else " ", "--document", named]) == 2
    assert (wrong or "the answer is empty") in capsys.readouterr().err


def test_a_failed_check_is_printed_as_its_message(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = "Asthma is cured by 3 spoons of honey."
    assert main(["check", wrong, "--document", page, "--critic", "similarity"]) == 1
    assert f"{CHECKS['number'].message}: 3" in capsys.readouterr().out


def test_a_format_of_documents_that_a_program_adds_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def letters(source: Source, report: Report, columns: Columns | None) -> Iterator[Record]:
        text = source.path.read_text("utf-8").removeprefix("Dear reader,")
        yield Record("letter", "Letter", text, kind="document")

    monkeypatch.setitem(FORMATS, "letter", Loader("letters", (".letter",), letters, False, True))
    page = tmp_path / "asthma.letter"
    page.write_text(f"Dear reader,{TEXT}", "utf-8")
    assert main(["check", "Asthma causes wheezing.", "--document", str(page), "--json"]) == 0
    [item] = json.loads(capsys.readouterr().out)["statements"]
    assert item["evidence"]["start"] == 0  # without the salutation
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    assert "pdf, letter" in " ".join(capsys.readouterr().out.split())


def test_a_document_is_read_by_the_loader_of_its_ending(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "asthma.xhtml"
    page.write_text("<html><body><p>Asthma causes wheezing.</p></body></html>", "utf-8")
    given = ["check", "Asthma causes wheezing.", "--document", str(page), "--critic", "similarity"]
    assert main(given) == 0
    assert "<p>" not in capsys.readouterr().out


def test_a_critic_that_does_not_answer_leaves_statements_unchecked(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    critic = ["--critic", "http://127.0.0.1:9?api=tei"]
    said = "Asthma causes wheezing. Asthma is cured by honey."
    assert main(["check", said, "--document", page, *critic]) == 1
    shown = capsys.readouterr().out
    assert "✓ supported: Asthma causes wheezing." in shown
    assert "– unchecked: Asthma is cured by honey." in shown
