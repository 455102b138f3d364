"""``anamnesis evaluate answers`` as its user meets it."""

import json
from pathlib import Path

import pytest

from anamnesis.errors import SettingError
from app.cli import main
from app.evaluating_answers import rows

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
ANSWERS = ["evaluate", "answers", "--questions", str(EXAMPLES / "questions.jsonl")]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("answers") / "index")
    triplets, aliases = (str(EXAMPLES / f"{name}.tsv") for name in ("triplets", "aliases"))
    own = ["--index", folder]
    assert main(["index", "facts", triplets, "--aliases", aliases, *own]) == 0
    assert main(["index", "jsonl", str(EXAMPLES / "corpus.jsonl"), *own]) == 0
    return folder


def test_facts_are_compared_with_none(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ANSWERS, "--index", index, "--facts-k", "1,4", "--dataset", "mine"]) == 0
    told = capsys.readouterr().out
    assert "4 questions" in told
    for row in ("chance", "no facts", "1 facts", "4 facts", "4 facts − no facts"):
        assert f"\n{row} " in told


def test_the_figures_come_with_what_they_were_measured_with(
    index: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*ANSWERS, "--index", index, "--preset", "mkrag", "--sample", "2", "--json"]
    assert main(command) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told["rows"]) == ["no facts", "8 facts"]
    configuration = told["configuration"]
    assert configuration["questions"]["used"] == configuration["questions"]["sample"] == 2
    assert configuration["facts"] == 10
    assert configuration["settings"]["no facts"]["methods"] == ["dense"]
    assert configuration["settings"]["8 facts"]["methods"] == ["dense", "facts"]
    assert configuration["settings"]["8 facts"]["memory"] is False
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out) == told


def test_the_rows_are_all_ways_by_all_numbers() -> None:
    found = rows({"preset": "mkrag"}, "4, 16", "broad,names")
    assert list(found) == [
        "no facts", "4 facts, broad", "16 facts, broad", "4 facts, names", "16 facts, names",
    ]  # fmt: skip
    assert (found["16 facts, broad"].facts_k, found["16 facts, broad"].fact_search) == (16, "broad")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--facts-k", "0"], "--facts-k takes numbers from 1 to 100"),
        (["--facts-k", "four"], "--facts-k takes numbers from 1 to 100"),
        (["--fact-search", "all"], "--fact-search broad, refined and names"),
        (["--sample", "0"], "--sample takes a number from 1 up"),
        (["--dataset", "none"], "no record of dataset 'none'"),
        (["--set", 'methods=["facts"]'], "needs a list of passages"),
    ],
)
def test_wrong_options_are_told(
    index: str, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*ANSWERS, "--index", index, *arguments]) == 2
    assert told in capsys.readouterr().err


def test_an_index_without_facts_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("question,answer\nWhat is gout?,A painful disease of joints.\n")
    own = ["--index", str(tmp_path / "own")]
    assert main(["index", "csv", str(tmp_path / "a.csv"), *own]) == 0
    assert main([*ANSWERS, *own]) == 2
    assert "has no facts to compare with" in capsys.readouterr().err


def test_settings_that_are_none_are_told() -> None:
    with pytest.raises(SettingError):
        rows({"methods": ["facts"]}, None, None)
