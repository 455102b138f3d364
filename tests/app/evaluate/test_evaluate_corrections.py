"""``anamnesis evaluate corrections`` as its user meets it."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main

pytestmark = pytest.mark.usefixtures("at_starter", "few_resamples")
EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
MODEL = ["--model", "ollama:mine", "--set", "retrieval.min_relevance=0", "--critic", "none"]


def measured(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["evaluate", *arguments, "--json"]) == 0
    body: dict[str, Any] = json.loads(capsys.readouterr().out)
    body["means"] = {
        row: {name: estimate["mean"] for name, estimate in found.items()}
        for row, found in body["methods"].items()
    }
    return body


CORRECTIONS = ["corrections", "--questions", str(EXAMPLES / "exam.jsonl"), "--sample", "1"]


@pytest.mark.usefixtures("chat")
def test_a_correction_reaches_its_user_and_nobody_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = measured([*CORRECTIONS, *MODEL], capsys)
    means = result["means"]
    assert result["corrected"] == {"asked": 1, "related": 1}
    injected = {row: mean["injected"] for row, mean in means.items()}
    assert injected == {
        "baseline": 0, "same question": 1, "related question": 1, "another user": 0,
        "expert's note": 1,
    }  # fmt: skip
    assert means["another user"]["recalled"] == 0
    assert means["same question"]["words"] > 10
    assert means["baseline"]["wrong"] == 1
    assert result["turns"] == {"first": 0, "second": 0, "neither": 1}
    assert result["configuration"]["generator"] == "ollama:mine"
    assert result["configuration"]["questions"]["explained"] == 4


def test_a_quoted_answer_is_not_changed_by_a_memory(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *CORRECTIONS]) == 0
    printed = capsys.readouterr().out
    assert "right at first 0, after the correction 0, at neither 1" in printed
    assert "aics: same question − baseline      0.000 [0.000, 0.000]   1.0000" in printed


RECORDS = str(EXAMPLES / "records.jsonl")
CHATBOT = ["chatbot", "--questions", RECORDS, "--corpus", RECORDS]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (["--memories", "0,many"], "--memories takes numbers from 0 to 20"),
        (["--memories", "21"], "--memories takes numbers from 0 to 20"),
        (["--sample", "9"], "9 questions cannot be drawn: 3 records"),
        (["--sample", "1", "--perplexity-model", "openai:mine"], "does not return the likelihood"),
    ],
)
def test_wrong_options_of_corrections_are_refused(
    more: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", *CHATBOT, *more]) == 2
    assert expected in capsys.readouterr().err
