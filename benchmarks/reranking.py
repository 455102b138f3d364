"""Reranking measured on LiveQA-Med's judged answers, and its speed.

    python benchmarks/reranking.py --data ../shared/data [--reranker REFERENCE]

For each consumer question (its raw message, then its summary) the judged answers are ordered by
the plain cosine of question and passage, as the dense index has it, and by the reranker; the
first three passages of an answer count, the best one decides. Printed: nDCG@10 with gain
2^(grade-1) - 1, mean reciprocal rank and precision at 1 of answers graded 3 or more; then the
milliseconds to rerank ten passages that were not seen before.
"""

import argparse
import gzip
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from corpus.passage import Passage, split
from corpus.record import Record
from models.embedding import load_embedder
from models.encoder import unit
from models.reranker import DEFAULT_RERANKER, load_reranker


def rows(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def ndcg(grades: list[int], k: int = 10) -> float:
    def gain(ordered: list[int]) -> float:
        return float(sum((2 ** (g - 1) - 1) / np.log2(i + 2) for i, g in enumerate(ordered[:k])))

    return gain(grades) / gain(sorted(grades, reverse=True))


def evaluate(
    questions: list[dict[str, Any]],
    asked: str,
    score: Callable[[str, list[list[Passage]]], list[float]],
    passages: dict[str, list[Passage]],
) -> str:
    gains, ranks = [], []
    for question in questions:
        judged = [(j["answer_id"], max(1, *j["grades"], 1)) for j in question["judgments"]]
        if not question[asked] or max(grade for _, grade in judged) < 2:
            continue
        scores = score(question[asked], [passages[answer] for answer, _ in judged])
        order = sorted(range(len(judged)), key=lambda place: -scores[place])
        grades = [judged[place][1] for place in order]
        gains.append(ndcg(grades))
        if max(grades) >= 3:
            ranks.append(next(i for i, grade in enumerate(grades) if grade >= 3) + 1)
    first = sum(rank == 1 for rank in ranks) / len(ranks)
    mrr = sum(1 / rank for rank in ranks) / len(ranks)
    return f"nDCG@10 {np.mean(gains):.3f}  MRR {mrr:.3f}  P@1 {first:.3f}  (n {len(gains)})"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    options.add_argument("--reranker", default=DEFAULT_RERANKER)
    chosen = options.parse_args()
    embedder, reranker = load_embedder(), load_reranker(chosen.reranker)
    questions = list(rows(chosen.data / "liveqa_med_qrels.jsonl.gz"))
    wanted = {j["answer_id"] for question in questions for j in question["judgments"]}
    passages = {
        row["answer_id"]: split(
            Record(row["answer_id"], row["question"], row["answer"], row["question"]),
            embedder.count_tokens,
            embedder.window,
        )[:3]
        for row in rows(chosen.data / "liveqa_med_answers.jsonl.gz")
        if row["answer_id"] in wanted
    }
    texts = list({p.embedded: None for group in passages.values() for p in group})
    vectors = dict(zip(texts, unit(embedder.embed_documents(texts)), strict=True))

    def by_cosine(query: str, groups: list[list[Passage]]) -> list[float]:
        asked = unit(embedder.embed_queries([query]))[0]
        return [max(float(vectors[p.embedded] @ asked) for p in group) for group in groups]

    def by_reranker(query: str, groups: list[list[Passage]]) -> list[float]:
        found = reranker.score(query, [(p.heading, p.text) for group in groups for p in group])
        scores = iter(found)
        return [max(next(scores) for _ in group) for group in groups]

    times = []
    flat = [p for group in passages.values() for p in group]
    for place in range(0, 400, 10):  # before the evaluation, so that no sentence is known yet
        ten = [(p.heading, p.text) for p in flat[place : place + 10]]
        start = time.perf_counter()
        reranker.score(questions[place % len(questions)]["summary"] or "fever", ten)
        times.append((time.perf_counter() - start) * 1000)
    for asked in ("message", "summary"):
        print(f"{asked:8} cosine    ", evaluate(questions, asked, by_cosine, passages))
        print(f"{asked:8} {reranker.method:10}", evaluate(questions, asked, by_reranker, passages))
    most = np.quantile(times, 0.95)
    print(f"ten new passages: median {np.median(times):.0f} ms, 95 % {most:.0f} ms")


if __name__ == "__main__":
    main()
