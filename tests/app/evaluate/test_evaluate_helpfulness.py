"""``anamnesis evaluate helpfulness`` as its user meets it."""

import re
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from evaluation.results import load
from tests.app.evaluate.conftest import written
from tests.app.measuring import measured

pytestmark = pytest.mark.usefixtures("stand_ins")

CORPUS: list[dict[str, Any]] = [
    {"id": "gout", "question": "What is gout?", "text": "Gout is a swelling of a joint."},
    {"id": "mumps", "title": "Mumps", "text": "Mumps is a swelling of the cheeks."},
    {"id": "rabies", "title": "Rabies", "text": "Rabies comes from the bite of an animal."},
]
QUERIES: list[dict[str, Any]] = [
    {"id": "1", "text": "What is gout", "relevant": {"gout": 3, "mumps": 0}},
    {"id": "2", "text": "What is mumps", "relevant": {"mumps": 1}},
    {"id": "3", "text": "What is rabies", "relevant": {"gout": 2}},
    {"id": "4", "text": "What is scurvy", "relevant": {}},
]


def helpfulness(folder: Path, *options: str) -> list[str]:
    corpus = written(folder / "corpus.jsonl.gz", *CORPUS)
    queries = written(folder / "queries.jsonl.gz", *QUERIES)
    texts = ["evaluate", "helpfulness", "--corpus", corpus, "--queries", queries]
    return [*texts, "--set", "triage.classifier=patterns", *options]


def test_answers_are_graded_by_what_they_cite_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "own.json"
    result = measured(helpfulness(tmp_path, "--out", str(out)), capsys)
    means = {name: estimate["mean"] for name, estimate in result["metrics"].items()}
    assert means == {"right": 0.25, "related": 0.25, "wrong": 0.25, "silent": 0.25, "score": 1}
    assert sum(result["outcomes"].values()) == 4
    configuration = result["configuration"]
    assert configuration["corpus"]["documents"] == 3
    assert configuration["queries"]["used"] == 4
    assert configuration["embedder"]["fingerprint"] == "hash-1"
    assert configuration["settings"]["triage"]["classifier"] == "patterns"
    rows = load(out)["per_question"]
    assert [row["judged"] for row in rows] == ["right", "related", "wrong", "silent"]
    assert [row["cited"] for row in rows] == ["gout", "mumps", "rabies", None]
    assert [row["grade"] for row in rows] == [3, 1, None, None]
    assert rows[0]["text"].startswith("Gout is a swelling of a joint.")
    assert rows[3]["outcome"] == "abstained"
    page = tmp_path / "own.html"
    assert main(["report", str(out), "-o", str(page)]) == 0
    assert "What became of the queries" in page.read_text("utf-8")


def test_the_text_says_what_became_of_the_queries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(helpfulness(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "3 records read" in out
    assert "4 queries" in out
    assert re.search(r"right +0\.250 \[", out)
    assert re.search(r"answered: supported +3", out)


def test_an_index_is_kept_and_that_of_others_is_left_alone(
    tmp_path: Path, starter_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "index"
    first, again = (
        measured(helpfulness(tmp_path, "--index", str(folder)), capsys) for _ in range(2)
    )
    assert first == again
    assert (folder / "manifest.json").is_file()
    assert main(helpfulness(tmp_path, "--index", str(starter_home / "index"))) == 2
    assert "contains other documents" in capsys.readouterr().err
