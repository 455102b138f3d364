"""``anamnesis evaluate robustness`` as its user meets it."""

import json
from pathlib import Path

import pytest

from app.cli.main import main
from evaluation.questions import FALSE_PREMISES, UNANSWERABLE


@pytest.mark.usefixtures("at_starter")
def test_rates_come_from_the_whole_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("evaluation.robustness.UNANSWERABLE", UNANSWERABLE[-2:])
    monkeypatch.setattr("evaluation.robustness.FALSE_PREMISES", FALSE_PREMISES[:1])
    corpus = tmp_path / "own.csv"
    corpus.write_text(
        "question,answer,focus\n"
        "How long does gout last?,An attack of gout usually lasts about 7 days without any "
        "treatment.,Gout\n"
        "What causes scurvy?,Scurvy is caused by a diet that lacks vitamin C for 3 months.,Scurvy\n"
    )
    texts = ["evaluate", "robustness", "--corpus", str(corpus), "--format", "csv", "--sample", "1"]
    assert main([*texts, "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["methods"]["unanswerable"]["right"]["mean"] == 1
    assert body["configuration"]["tried"] == {
        "unanswerable": 2, "false premise": 1, "changed premise": 1, "true premise": 1,
        "contradictory": 1, "irrelevant": 1, "planted": 1, "true": 1,
    }  # fmt: skip
    for shares in body["methods"].values():
        assert sum(estimate["mean"] for estimate in shares.values()) == 1
    assert set(body["premises"]) == {"false premise", "changed premise", "true premise"}
    assert all(sum(premise.values()) == 1 for premise in body["premises"].values())
    assert main([*texts, "--critic", "none"]) == 2
    assert "nothing to measure" in capsys.readouterr().err
    assert main([*texts, "--sample", "9"]) == 2
    assert "cannot be drawn" in capsys.readouterr().err
