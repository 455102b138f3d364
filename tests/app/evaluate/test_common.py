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
    told = measured([*RETRIEVAL, "--methods", "reranked"], capsys)["configuration"]
    assert len(told["asked"]) == len(told["reranker"]["fingerprint"]) == 64
    assert told["reranker"]["reference"] == "own"
    sparse = [*RETRIEVAL, "--methods", "sparse"]
    assert measured(sparse, capsys)["configuration"]["asked"] == told["asked"]
    read = app.evaluate.retrieval.read_queries
    monkeypatch.setattr("app.evaluate.retrieval.read_queries", lambda *own: read(*own)[::-1])
    assert measured(sparse, capsys)["configuration"]["asked"] != told["asked"]
    judged = measured([*CRITIC, "--critic", "similarity"], capsys)["configuration"]["critic"]
    assert judged["fingerprint"] == load_embedder().fingerprint
    assert model("llm:openai:gpt-4o")["fingerprint"] is None


@pytest.mark.usefixtures("cheap")
def test_sizes_are_checked_first_and_may_change_when_a_killed_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "own.json"
    own = ["evaluate", "behaviour", *RETRIEVAL[2:], "--methods", "sparse", "--out", str(out)]
    own += ["--index", str(tmp_path / "index")]
    assert main([*own, "--sizes", "99"]) == 2
    assert "12 records" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())  # nothing is measured, nothing indexed
    with monkeypatch.context() as once:
        once.setattr("app.evaluate.behaviour.times", _killed)
        assert main([*own, "--sizes", "4"]) == 130
    monkeypatch.setattr("nodes.evidence.by_method.search", _killed)
    embedders: list[Any] = []
    monkeypatch.setattr("app.evaluate.behaviour.times", lambda *own: embedders.append(own[4]))
    assert main([*own, "--sizes", "5"]) == 0  # no query is asked again
    assert isinstance(embedders[0], HashEmbedder)  # that of the index
    assert load(out)["configuration"]["sizes"] == "5"


def _killed(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("cheap")
def test_a_critic_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    told = measured(CRITIC, capsys)
    for name in ("accuracy", "macro_f1", "ece", "brier", "auroc", "aurc", "f1_neutral"):
        assert 0 <= told["metrics"][name]["mean"] <= 1
    configuration = told["configuration"]
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
    told = measured([*CRITIC, "--with-checks", "--min-probability", "0.4"], capsys)
    assert told["configuration"]["threshold"] == 0.4
    assert told["configuration"]["checks"]
    for name in ("kept", "passed"):
        assert 0 <= told["metrics"][name]["low"] <= told["metrics"][name]["high"] <= 1
    assert main([*CRITIC, "--with-checks"]) == 0
    assert "kept (τ 0.8)" in capsys.readouterr().out


@pytest.mark.usefixtures("cheap")
def test_of_two_critics_it_is_told_how_often_the_second_is_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = measured([*CRITIC, "--with-checks", "--second-critic", "own"], capsys)
    second = told["configuration"]["second_critic"]
    assert (second["unsure_from"], second["unsure_until"]) == (0.1, 0.95)
    assert 0 < told["metrics"]["asked_second"]["mean"] < 1
    assert main([*CRITIC, "--second-critic", "similarity"]) == 2
    assert "name an entailment model" in capsys.readouterr().err
