"""What ``anamnesis evaluate`` is asked for in tests, and its result."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
CORPUS, QUERIES, PAIRS = (
    str(EXAMPLES / f"{name}.jsonl") for name in ("corpus", "queries", "pairs")
)
RETRIEVAL = ["evaluate", "retrieval", "--corpus", CORPUS, "--queries", QUERIES]
CRITIC = ["evaluate", "critic", "--pairs", PAIRS]


def measured(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    body: dict[str, Any] = json.loads(capsys.readouterr().out)
    for metrics in body["methods"].values() if "methods" in body else [body["metrics"]]:
        for metric in metrics.values():
            assert set(metric) == {"mean", "low", "high"}
    return body
