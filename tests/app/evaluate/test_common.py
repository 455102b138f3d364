"""``anamnesis evaluate critic``, and a killed run, which goes on where it was."""

import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import app.evaluate.retrieval
from anamnesis.models.embedding import load_embedder
from app.cli.main import main
from app.evaluate.common import model
from evaluation.results import digest, load
from evaluation.significance import RESAMPLES
from retrievers.manifest import read_manifest
from retrievers.search import search
from tests.app.measuring import CRITIC, PAIRS, RETRIEVAL, measured
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.usefixtures("at_starter")


@pytest.mark.usefixtures("cheap")
def test_a_killed_run_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "own.json"
    kept = [*RETRIEVAL, "--methods", "sparse,dense", "--index", str(tmp_path / "index")]
    kept += ["--out", str(out)]
    calls = 0

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == dies_at:
            raise KeyboardInterrupt
        return search(*arguments, **options)

    monkeypatch.setattr("nodes.evidence.by_method.search", counted)
    dies_at = 7
    assert main(kept) == 130
    assert not out.exists()
    assert main([*kept, "--gain", "exponential"]) == 2
    assert "another configuration" in capsys.readouterr().err
    calls, dies_at = 0, 0
    assert main(kept) == 0
    assert calls == 2 * 5  # by two methods, without the three queries that were done
    capsys.readouterr()
    found = load(out)
    assert found["protocol"] == "retrieval"
    assert len(found["per_question"]) == 8
    assert found["configuration_sha256"] == digest(found["configuration"])
    assert found["manifests"] == [asdict(read_manifest(tmp_path / "index"))]
    assert found["methods"] == measured(kept, capsys)["methods"]
    assert not list(tmp_path.glob("*.rows"))


@pytest.mark.usefixtures("cheap")
def test_rows_of_other_questions_or_models_are_not_taken_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = measured([*RETRIEVAL, "--methods", "reranked"], capsys)["configuration"]
    assert len(configuration["asked"]) == len(configuration["reranker"]["fingerprint"]) == 64
    assert configuration["reranker"]["reference"] == "own"
    sparse = [*RETRIEVAL, "--methods", "sparse"]
    assert measured(sparse, capsys)["configuration"]["asked"] == configuration["asked"]
    read = app.evaluate.retrieval.read_queries
    monkeypatch.setattr(
        "app.evaluate.retrieval.read_queries", lambda *arguments: read(*arguments)[::-1]
    )
    assert measured(sparse, capsys)["configuration"]["asked"] != configuration["asked"]
    judged = measured([*CRITIC, "--critic", "similarity"], capsys)["configuration"]["critic"]
    assert judged["fingerprint"] == load_embedder().fingerprint
    assert model("llm:openai:gpt-4o")["fingerprint"] is None


@pytest.mark.usefixtures("cheap")
def test_sizes_are_checked_first_and_may_change_when_a_killed_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "own.json"
    texts = ["evaluate", "behaviour", *RETRIEVAL[2:], "--methods", "sparse", "--out", str(out)]
    texts += ["--index", str(tmp_path / "index")]
    assert main([*texts, "--sizes", "99"]) == 2
    assert "12 records" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())  # nothing is measured, nothing indexed
    with monkeypatch.context() as once:
        once.setattr("app.evaluate.behaviour.times", _killed)
        assert main([*texts, "--sizes", "4"]) == 130
    monkeypatch.setattr("nodes.evidence.by_method.search", _killed)
    embedders: list[Any] = []
    monkeypatch.setattr(
        "app.evaluate.behaviour.times", lambda *arguments: embedders.append(arguments[4])
    )
    assert main([*texts, "--sizes", "5"]) == 0  # no query is asked again
    assert isinstance(embedders[0], HashEmbedder)  # that of the index
    assert load(out)["configuration"]["sizes"] == "5"


def _killed(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("cheap")
def test_a_critic_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    result = measured(CRITIC, capsys)
    for name in ("accuracy", "macro_f1", "ece", "brier", "auroc", "aurc", "f1_neutral"):
        assert 0 <= result["metrics"][name]["mean"] <= 1
    configuration = result["configuration"]
    assert configuration["command"] == "evaluate critic"
    assert configuration["labels"] == {"entailment": 4, "neutral": 3, "contradiction": 3}
    assert configuration["pairs"] == {
        "file": "pairs.jsonl",
        "sha256": hashlib.sha256(Path(PAIRS).read_bytes()).hexdigest(),
        "split": None,
        "used": 10,
    }
    assert configuration["critic"]["name"] == "words"
    assert configuration["threshold"] == 0.8
    assert (configuration["seed"], configuration["resamples"]) == (0, RESAMPLES)
    assert configuration["program"]


@pytest.mark.usefixtures("cheap")
def test_a_critic_is_measured_with_the_checks(capsys: pytest.CaptureFixture[str]) -> None:
    result = measured([*CRITIC, "--with-checks", "--min-probability", "0.4"], capsys)
    assert result["configuration"]["threshold"] == 0.4
    assert result["configuration"]["checks"]
    for name in ("kept", "passed"):
        assert 0 <= result["metrics"][name]["low"] <= result["metrics"][name]["high"] <= 1
    assert main([*CRITIC, "--with-checks"]) == 0
    assert "kept (τ 0.8)" in capsys.readouterr().out


@pytest.mark.usefixtures("cheap")
def test_of_two_critics_the_share_that_the_second_is_asked_is_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = measured([*CRITIC, "--with-checks", "--second-critic", "own"], capsys)
    second = result["configuration"]["second_critic"]
    assert (second["unsure_from"], second["unsure_until"]) == (0.1, 0.95)
    assert 0 < result["metrics"]["asked_second"]["mean"] < 1
    assert main([*CRITIC, "--second-critic", "similarity"]) == 2
    assert "name an entailment model" in capsys.readouterr().err
