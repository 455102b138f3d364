"""``anamnesis index`` as its user meets it."""

import json
from pathlib import Path

import pytest

from app.cli.main import main

pytestmark = pytest.mark.usefixtures("at_starter")


def test_indexing_says_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "faq.csv"
    table.write_text("prompt,reply\nWhat is scurvy?,Scurvy is a lack of vitamin C.\nBad row?,\n")
    arguments = [
        "index", "csv", str(table), "--index", str(tmp_path / "own"), "--column",
        "question=prompt", "--column", "answer=reply", "--json",
    ]  # fmt: skip
    assert main(arguments) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["added"] == 1
    assert sum(body["skipped"].values()) == 1
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["unchanged"] == 1
    assert main(["ask", "What is scurvy?", "--index", str(tmp_path / "own")]) == 0
    assert "vitamin C" in capsys.readouterr().out
    assert main(["index", "info", "--index", str(tmp_path / "own"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["collections"]
    assert main(["index", "remove", "faq", "--index", str(tmp_path / "own")]) == 0


def test_facts_are_indexed_with_their_aliases_and_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kb.tsv").write_text("Omeprazole\tmay_treat\tReflux\nno triplet\n")
    (tmp_path / "also.tsv").write_text("heartburn\tReflux\n")
    texts = ["--index", str(tmp_path / "own")]
    command = ["index", "facts", str(tmp_path / "kb.tsv"), *texts]
    assert main([*command, "--aliases", str(tmp_path / "also.tsv"), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["added"], body["read"], body["skipped"]) == (1, 1, {"not a triplet": 1})
    assert main(["retrieve", "heartburn", "--method", "facts", *texts]) == 0
    assert "Omeprazole may treat Reflux." in capsys.readouterr().out
    assert main(["index", "info", "--json", *texts]) == 0
    assert json.loads(capsys.readouterr().out)["collections"]["kb"]["facts"] is True


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["facts"], "'facts' takes at least one file"),
        (["facts", "nowhere.tsv"], "nowhere.tsv: no such file"),
        (["facts", "nowhere.tsv", "--column", "head=a"], "a mapping is for csv and jsonl"),
        (["facts", "nowhere.tsv", "--date", "2024"], "'facts' takes no date"),
        (["csv", "nowhere.csv", "--aliases", "also.tsv"], "aliases; they are for facts"),
    ],
)
def test_wrong_options_of_facts_are_refused(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["index", *arguments]) == 2
    assert expected in capsys.readouterr().err
