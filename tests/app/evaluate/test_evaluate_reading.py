"""``anamnesis evaluate reading`` and ``urgency`` as their user meets them."""

import re
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from evaluation.results import load
from tests.app.evaluate.conftest import written
from tests.app.evaluate.test_evaluate_helpfulness import CORPUS, QUERIES
from tests.app.measuring import measured

pytestmark = pytest.mark.usefixtures("stand_ins")


def test_a_reader_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    passage = {"heading": "Gout", "sentences": ["It swells.", "Water helps.", "Rest it."]}
    rows = [
        {**passage, "question": "what helps", "answers": [2]},
        {**passage, "question": "must I rest", "answers": [1]},
        {**passage, "question": "is it contagious", "answers": []},
    ]
    file, out = written(tmp_path / "asked.jsonl.gz", *rows), tmp_path / "own.json"
    texts = ["evaluate", "reading", "--questions", file]
    result = measured([*texts, "--out", str(out)], capsys)
    means = {name: estimate["mean"] for name, estimate in result["metrics"].items()}
    assert means == {"auroc": 1, "top_sentence": 0.5, "sentence_f1": 0.5}
    questions = result["configuration"]["questions"]
    assert (questions["answerable"], questions["near_misses"], questions["passages"]) == (2, 1, 1)
    assert result["configuration"]["reranker"]["name"] == "words"
    assert load(out)["per_question"][0]["sentences"] == [0.05, 0.95, 0.05]
    assert main(texts) == 0
    assert "2 answerable questions and 1 near misses on 1 passages" in capsys.readouterr().out
    assert main([*texts, "--held-out"]) == 2
    assert "line 1: its topic is not known" in capsys.readouterr().err


def test_questions_of_another_file_of_passages_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    passages = written(
        tmp_path / "passages.jsonl.gz",
        {"passage": "0", "heading": "Gout", "sentences": ["Water helps."], "focus": "Gout"},
    )
    rows = [{"passage": "0", "question": "what helps", "answers": [1]}]
    texts = ["evaluate", "reading", "--questions", written(tmp_path / "asked.jsonl.gz", *rows)]
    result = measured([*texts, "--passages", passages], capsys)
    assert result["metrics"]["top_sentence"]["mean"] == 1
    assert result["configuration"]["passages"]["file"] == "passages.jsonl.gz"
    assert main(texts) == 2
    assert "asked.jsonl.gz, line 1" in capsys.readouterr().err


def test_the_triage_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"text": "an emergency it is", "level": "emergency", "kind": "stroke"},
        {"text": "a routine it is", "level": "emergency", "kind": "sepsis"},
        {"text": "this is urgent", "level": "urgent"},
        {"text": "urgent, of course", "level": "routine"},
        {"text": "I cannot breathe and my lips are blue", "level": "routine"},
    ]
    texts = ["evaluate", "urgency", "--messages", written(tmp_path / "own.jsonl", *rows)]
    result = measured(texts, capsys)
    means = {name: each["mean"] for name, each in result["metrics"].items()}
    assert means == {"recall_emergency": 0.5, "recall_urgent": 1, "false_alarms": 0}
    assert result["taken"]["routine"] == {"emergency": 0, "urgent": 1, "routine": 1}
    assert result["configuration"]["triage"] == "own"
    assert main(texts) == 0
    assert re.search(r"kind of emergency .*\nsepsis +1 +1\n", capsys.readouterr().out)
    # The patterns see what the stand-in does not.
    alone = measured([*texts, "--triage", "patterns"], capsys)
    assert alone["metrics"]["false_alarms"]["mean"] == 0.5
    assert alone["configuration"]["reader"] is None


@pytest.mark.parametrize(
    ("kind", "option", "row", "said"),
    [
        ("reading", "--questions", {"question": "Q?"}, "own.jsonl, line 1"),
        ("urgency", "--messages", {"text": "m", "level": "grave"}, "own.jsonl, line 1"),
        ("helpfulness", "--queries", {"id": "1", "text": "t"}, "own.jsonl, line 1"),
        ("helpfulness", "--queries", {"text": "t", "relevant": {}}, "own.jsonl, line 1"),
        (
            "helpfulness",
            "--queries",
            {"id": "1", "text": "t", "relevant": {"a": -2}},
            "own.jsonl, line 1: the grade of 'a' is -2",
        ),
        ("helpfulness", "--corpus", {"id": "1"}, "own.jsonl, line 1"),
    ],
)
def test_errors_name_the_line_and_end_with_status_2(
    kind: str,
    option: str,
    row: dict[str, Any],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts = ["evaluate", kind, option, written(tmp_path / "own.jsonl", row)]
    if option == "--queries":
        texts += ["--corpus", written(tmp_path / "corpus.jsonl", *CORPUS)]
    if option == "--corpus":
        texts += ["--queries", written(tmp_path / "queries.jsonl", *QUERIES)]
    assert main(texts) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
    (tmp_path / "own.jsonl").write_text("")
    assert main(texts) == 2
    assert "own.jsonl: the file is empty" in capsys.readouterr().err
