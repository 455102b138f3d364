"""Sparse search compared with rank-bm25, on the same records and questions.

    python -m benchmarks.sparse [--data DIR] [--questions 120] [--k 30]

Records are MedQuAD's (question and answer, as in [R1]), from ``medquad.jsonl.gz`` in the data
folder (``--data``, ``ANAMNESIS_DATA`` or ``../shared/data``). The questions are twenty consumer
questions and questions of the corpus itself. Printed: time to write and to open the index, the
times of both searches in turn (each evicts the other's data from the processor's cache) and their
ratio, those of ours alone, and the largest difference of any score.
"""

import gzip
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
from rank_bm25 import BM25Okapi

from anamnesis.language.text import tokenize
from benchmarks.command_line import command_line
from benchmarks.questions import QUESTIONS
from retrievers.sparse import SparseIndex, write_sparse

_T = TypeVar("_T")


def timed(what: Callable[[], _T]) -> tuple[float, _T]:
    """Milliseconds of a call, and its result."""
    start = time.perf_counter()
    result = what()
    return (time.perf_counter() - start) * 1000, result


def spread(times: list[float]) -> str:
    cut = statistics.quantiles(times, n=20)
    return f"median {statistics.median(times):.3f} ms, p95 {cut[-1]:.3f} ms"


def main() -> None:
    options = command_line(__doc__, "data")
    options.add_argument("--questions", type=int, default=120)
    options.add_argument("--k", type=int, default=30)
    given = options.parse_args()

    with gzip.open(given.data / "medquad.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    texts = [f"{row['question']} {row['answer']}" for row in rows]
    drawn = random.Random(0).sample(rows, max(0, given.questions - len(QUESTIONS)))
    questions = [*QUESTIONS, *(row["question"] for row in drawn)]
    print(f"{len(texts):,} records, {len(questions)} questions, the best {given.k} asked for")

    spent, reference = timed(lambda: BM25Okapi([tokenize(text) for text in texts]))
    print(f"rank-bm25 made in {spent / 1000:.1f} s")
    with tempfile.TemporaryDirectory() as folder:
        spent, _ = timed(lambda: write_sparse(texts, Path(folder)))
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        print(f"index written in {spent / 1000:.1f} s, {size / 1e6:.0f} MB")
        spent, index = timed(lambda: SparseIndex(Path(folder)))
        first, _ = timed(lambda: index.search(questions[0], given.k))
        print(f"opened in {spent:.1f} ms, first search {first:.1f} ms")

        theirs: list[float] = []
        ours: list[float] = []
        worst = 0.0
        for question in questions:
            spent, scores = timed(lambda q=question: reference.get_scores(tokenize(q)))
            sorting, _ = timed(lambda s=scores: np.argsort(s)[::-1][: given.k])
            theirs.append(spent + sorting)
            ours.append(timed(lambda q=question: index.search(q, given.k))[0])
            found = np.zeros(len(texts))
            for row, score in index.search(question, len(texts)):
                found[row] = score
            worst = max(worst, float(np.abs(found - np.maximum(scores, 0)).max()))
        alone = [timed(lambda q=question: index.search(q, given.k))[0] for question in questions]
    print(f"rank-bm25: {spread(theirs)}")
    print(f"anamnesis: {spread(ours)} in turn with it, {spread(alone)} alone")
    print(f"ratio of the medians: {statistics.median(theirs) / statistics.median(ours):.0f}")
    print(f"largest difference of a score, over all records and questions: {worst:.1e}")


if __name__ == "__main__":
    main()
