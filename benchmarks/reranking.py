"""The time of a reranker for ten new passages.

    python -m benchmarks.reranking [--data DIR] [--reranker REFERENCE]

Passages are LiveQA-Med's judged answers, questions its summaries. The quality of the order is
measured by `anamnesis evaluate retrieval --protocol liveqa --reranker REFERENCE`.
"""

import time

import numpy as np

from anamnesis.corpus.passage import split_all
from anamnesis.models.embedding import load_embedder
from anamnesis.models.reranker import DEFAULT_RERANKER, load_reranker
from benchmarks.command_line import command_line
from evaluation.liveqa import liveqa_pool, liveqa_queries

PASSAGES, AT_ONCE = 400, 10


def main() -> None:
    options = command_line(__doc__, "data")
    options.add_argument("--reranker", default=DEFAULT_RERANKER)
    chosen = options.parse_args()
    data, embedder = chosen.data, load_embedder()
    reranker = load_reranker(chosen.reranker)
    pool = liveqa_pool(data / "liveqa_med_answers.jsonl.gz")
    passages = list(split_all(pool, embedder.count_tokens, embedder.window))[:PASSAGES]
    asked = [item.text for item in liveqa_queries(data / "liveqa_med_qrels.jsonl.gz", "summary")]
    times = []
    for turn, place in enumerate(range(0, len(passages), AT_ONCE)):
        ten = [(item.heading, item.text) for item in passages[place : place + AT_ONCE]]
        start = time.perf_counter()
        reranker.score(asked[turn % len(asked)], ten)
        times.append((time.perf_counter() - start) * 1000)
    print(
        f"{reranker.name}, {AT_ONCE} new passages: median {np.median(times):.0f} ms, "
        f"p95 {np.quantile(times, 0.95):.0f} ms"
    )


if __name__ == "__main__":
    main()
