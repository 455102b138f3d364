"""``anamnesis evaluate memory`` as its user meets it."""

import json
from pathlib import Path

import pytest

from app.cli.main import main
from tests.fakes import HashEmbedder

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "conversations.jsonl"
MEMORY = ["evaluate", "memory", "--conversations", str(EXAMPLE)]


@pytest.fixture(autouse=True)
def _embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.evaluate.memory.load_embedder", HashEmbedder)


def test_every_way_is_measured_on_the_same_questions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MEMORY, "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert list(body["methods"]) == [
        "no memory", "cosine", "MRS default", "MRS freshness", "MRS popularity",
        "MRS feedback-freshness", "MRS feedback", "MRS balanced", "MRS core", "cosine and words",
        "cosine, threshold", "anamnesis, threshold", "anamnesis, adaptive", "anamnesis",
        "all of it",
    ]  # fmt: skip
    assert body["methods"]["anamnesis"]["recall@10"]["mean"] == 1
    assert {comparison["of"] for comparison in body["comparisons"]} == {"anamnesis"}
    used = body["configuration"]
    assert (used["questions"], used["excluded"], used["memories"]) == (3, 0, 8)
    assert (used["unanswerable"], used["resamples"]) == (1, 10_000)
    assert used["methods"]["anamnesis, threshold"] == {
        "ranking": "default", "words": 0.5, "threshold": 0.3,
    }  # fmt: skip
    assert used["methods"]["cosine, threshold"]["threshold"] == 0.4
    found = {name: metrics["recall@5"]["mean"] for name, metrics in body["methods"].items()}
    assert found["anamnesis, threshold"] <= found["anamnesis"]
    assert found["cosine, threshold"] <= found["cosine"]
    assert used["conversations"]["used"] == ["clinic"]


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(MEMORY) == 0
    assert "anamnesis − cosine" in capsys.readouterr().out


@pytest.mark.parametrize("skip", ["1", "-1"])
def test_no_conversation_left_is_said(skip: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MEMORY, "--skip", skip]) == 2
    assert "--skip takes a number from 0 to 0" in capsys.readouterr().err
