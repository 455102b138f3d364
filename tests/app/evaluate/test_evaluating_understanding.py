"""``anamnesis evaluate helpfulness``, ``reading`` and ``urgency`` as their user meets them."""

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from anamnesis.language.text import sentences, tokenize
from anamnesis.models.reading import URGENCY_KINDS, Reading, Triage
from app.cli.main import main
from evaluation.results import load
from tests.app.measuring import measured
from tests.fakes import FakeCritic, ScriptedReader, shared_words


def words_shared(question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
    """A passage, and a sentence, answers if it has the question's last word."""
    word = tokenize(question)[-1]
    found = []
    for heading, text in passages:
        own = tuple(
            (start, end, 0.95 if word in tokenize(text[start:end]) else 0.05)
            for start, end in sentences(text)
        )
        within = word in tokenize(f"{heading} {text}")
        found.append(Reading(0.95 if within else 0.05, own, {}))
    return found


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


@pytest.fixture(autouse=True)
def stand_ins(cheap: None, at_starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "nodes.parts.load_reranker", lambda *_: ScriptedReader(words_shared, "words")
    )
    monkeypatch.setattr("nodes.parts.load_critic", lambda *_: FakeCritic(shared_words, "words"))
    monkeypatch.setattr(
        "app.evaluate.reading.load_reranker", lambda *_: ScriptedReader(words_shared, "words")
    )
    monkeypatch.setattr("app.evaluate.reading.load_triage", triage_of)


def triage_of(name: str) -> Any:
    def triage(message: str) -> Triage:
        levels = {own: float(own in message) for own in ("emergency", "urgent", "routine")}
        return Triage(levels, {**dict.fromkeys(URGENCY_KINDS, 0.0), "medical": 1.0})

    return triage if name == "own" else None


def written(file: Path, *rows: Any) -> str:
    text = "".join(json.dumps(own) + "\n" for own in rows)
    file.write_bytes(
        gzip.compress(text.encode(), mtime=0) if file.suffix == ".gz" else text.encode()
    )
    return str(file)


def helpfulness(folder: Path, *options: str) -> list[str]:
    corpus = written(folder / "corpus.jsonl.gz", *CORPUS)
    queries = written(folder / "queries.jsonl.gz", *QUERIES)
    own = ["evaluate", "helpfulness", "--corpus", corpus, "--queries", queries]
    return [*own, "--set", "triage.classifier=patterns", *options]


def test_answers_are_graded_by_what_they_cite_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "own.json"
    told = measured(helpfulness(tmp_path, "--out", str(out)), capsys)
    means = {name: own["mean"] for name, own in told["metrics"].items()}
    assert means == {"right": 0.25, "related": 0.25, "wrong": 0.25, "silent": 0.25, "score": 1}
    assert sum(told["outcomes"].values()) == 4
    configuration = told["configuration"]
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


def test_the_text_tells_what_became_of_the_queries(
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


def test_a_reader_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    passage = {"heading": "Gout", "sentences": ["It swells.", "Water helps.", "Rest it."]}
    rows = [
        {**passage, "question": "what helps", "answers": [2]},
        {**passage, "question": "must I rest", "answers": [1]},
        {**passage, "question": "is it contagious", "answers": []},
    ]
    file, out = written(tmp_path / "asked.jsonl.gz", *rows), tmp_path / "own.json"
    own = ["evaluate", "reading", "--questions", file]
    told = measured([*own, "--out", str(out)], capsys)
    means = {name: own["mean"] for name, own in told["metrics"].items()}
    assert means == {"auroc": 1, "top_sentence": 0.5, "sentence_f1": 0.5}
    questions = told["configuration"]["questions"]
    assert (questions["answerable"], questions["near_misses"], questions["passages"]) == (2, 1, 1)
    assert told["configuration"]["reranker"]["name"] == "words"
    assert load(out)["per_question"][0]["sentences"] == [0.05, 0.95, 0.05]
    assert main(own) == 0
    assert "2 answerable questions and 1 near misses on 1 passages" in capsys.readouterr().out
    assert main([*own, "--held-out"]) == 2
    assert "line 1: its topic is not known" in capsys.readouterr().err


def test_questions_of_another_file_of_passages_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    passages = written(
        tmp_path / "passages.jsonl.gz",
        {"passage": "0", "heading": "Gout", "sentences": ["Water helps."], "focus": "Gout"},
    )
    rows = [{"passage": "0", "question": "what helps", "answers": [1]}]
    own = ["evaluate", "reading", "--questions", written(tmp_path / "asked.jsonl.gz", *rows)]
    told = measured([*own, "--passages", passages], capsys)
    assert told["metrics"]["top_sentence"]["mean"] == 1
    assert told["configuration"]["passages"]["file"] == "passages.jsonl.gz"
    assert main(own) == 2
    assert "asked.jsonl.gz, line 1" in capsys.readouterr().err


def test_the_triage_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"text": "an emergency it is", "level": "emergency", "kind": "stroke"},
        {"text": "a routine it is", "level": "emergency", "kind": "sepsis"},
        {"text": "this is urgent", "level": "urgent"},
        {"text": "urgent, of course", "level": "routine"},
        {"text": "I cannot breathe and my lips are blue", "level": "routine"},
    ]
    own = ["evaluate", "urgency", "--messages", written(tmp_path / "own.jsonl", *rows)]
    told = measured(own, capsys)
    means = {name: each["mean"] for name, each in told["metrics"].items()}
    assert means == {"recall_emergency": 0.5, "recall_urgent": 1, "false_alarms": 0}
    assert told["taken"]["routine"] == {"emergency": 0, "urgent": 1, "routine": 1}
    assert told["configuration"]["triage"] == "own"
    assert main(own) == 0
    assert re.search(r"kind of emergency .*\nsepsis +1 +1\n", capsys.readouterr().out)
    # The patterns see what the stand-in does not.
    alone = measured([*own, "--triage", "patterns"], capsys)
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
    own = ["evaluate", kind, option, written(tmp_path / "own.jsonl", row)]
    if option == "--queries":
        own += ["--corpus", written(tmp_path / "corpus.jsonl", *CORPUS)]
    if option == "--corpus":
        own += ["--queries", written(tmp_path / "queries.jsonl", *QUERIES)]
    assert main(own) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
    (tmp_path / "own.jsonl").write_text("")
    assert main(own) == 2
    assert "own.jsonl: the file is empty" in capsys.readouterr().err
