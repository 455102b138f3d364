"""Hybrid memory-retrieval: answers with no, one and two memories, and retrieval alone [H9]."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from anamnesis.corpus.record import Record
from anamnesis.memory.store import Memories
from anamnesis.models.embedding import load_embedder
from anamnesis.models.likelihood import Likelihood
from anamnesis.models.token_vectors import TokenVectors
from evaluation.chatbot import (
    CUT,
    ChatbotQuestion,
    ChatbotResult,
    Measure,
    draw_questions,
    evaluate_chatbot,
)
from evaluation.methods import Ranker
from evaluation.reproduce.asking import medquad
from evaluation.reproduce.running import Measured, Run
from evaluation.significance import Estimate, mean_intervals
from evaluation.talking import asker, measurer, ranker
from graph import build_graph

ROWS = {"no memory": 0, "1 memory": 1, "2 memories": 2}
COLUMNS = {
    "BERTScore F1": "bertscore_f1",
    "ROUGE-L": "rouge_l",
    "perplexity": "perplexity",
    "seconds": "seconds",
    "answered": "answered",
    "memories in the prompt": "injected",
}


def measure(run: Run) -> Measured:
    """Tables 1 to 3."""
    records = medquad(run)
    index = run.index("medquad", ("medquad", records))
    context = run.context()
    questions = draw_questions(records, run.sizes["questions"], max(ROWS.values()), run.seed)
    # Rows often have equal answers.
    encoder = lru_cache(64)(TokenVectors(str(run.models["bertscore"])))
    model = run.models["perplexity"]
    likely = lru_cache(8)(Likelihood(model)) if model is not None else None
    rank, compare = ranker(index, context), measurer(encoder)
    with TemporaryDirectory(prefix="anamnesis-") as folder:
        talk = build_graph(index=index, memories=Memories(Path(folder), load_embedder()))
        with run.executing("questions") as execution:
            result = evaluate_chatbot(
                questions, records, ROWS, asker(talk, context, context), rank, compare, likely,
                execution,
            )  # fmt: skip
    found = _retrieval(result, questions, records, rank, compare, run)
    tables = {
        "system": {"hybrid memory-retrieval": _cells(result, "2 memories", tuple(COLUMNS)[:4])},
        "memories": {row: _cells(result, row, tuple(COLUMNS)) for row in ROWS},
        "retrieval": {"documents alone": found},
    }
    note = (
        f"{len(questions)} questions over {len(records)} records of {run.files['MedQuAD'].name}. "
        "All records with the same question are relevant."
    )
    return Measured(tables, [note], _deviations(run))


def _cells(result: ChatbotResult, row: str, columns: Sequence[str]) -> dict[str, Estimate]:
    metrics = result.methods[row]
    return {name: metrics[COLUMNS[name]] for name in columns if COLUMNS[name] in metrics}


def _retrieval(
    result: ChatbotResult,
    questions: Sequence[ChatbotQuestion],
    records: Sequence[Record],
    rank: Ranker,
    compare: Measure,
    run: Run,
) -> dict[str, Estimate]:
    """Recall and precision at five; BERTScore of the passages against the expected answer."""
    metrics = result.methods["no memory"]
    texts = {record.id: record.text for record in records}
    first, mean = [], []
    for question in questions:
        found = [texts[key] for key in rank(question.record.question)[:CUT]]
        expected = question.record.text
        values = [compare(text, expected)["bertscore_f1"] for text in found] or [0.0]
        first.append(values[0])
        mean.append(sum(values) / len(values))
    columns = {"first": np.array(first), "mean": np.array(mean)}
    scored: Mapping[str, Estimate] = mean_intervals(columns, run.seed)
    return {
        f"Recall@{CUT}": metrics[f"recall@{CUT}"],
        f"Precision@{CUT}": metrics[f"precision@{CUT}"],
        "BERTScore F1 of the five, mean": scored["mean"],
        "BERTScore F1 of the first": scored["first"],
    }


def _deviations(run: Run) -> list[str]:
    lines = []
    if run.models["generator"] == "extractive":
        lines.append(
            "Without a chat model the evidence is quoted, and memories have no effect: the three "
            "rows differ only in their times."
        )
    if run.models["perplexity"] is None:
        lines.append("Without a language model perplexity is not measured.")
    return lines
