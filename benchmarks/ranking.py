"""Ranking quality: each list alone, fused, and re-ranked.

    python -m benchmarks.ranking SET --data ../shared/data --index DIR [--reranker REFERENCE]

``liveqa``: consumer messages (LiveQA-Med) over the pool of judged answers; ``liveqa-summary``:
their one-line summaries. ``medquad``: MedQuAD's own questions on topics that the project's model
was not trained on; a record is relevant if it has the query's focus, the query's own record is
left out (row R7): 1,000 queries. ``scifact`` and ``nfcorpus``: BEIR's test queries.

DIR keeps the index of the set and is used again. Printed: each method's metrics with their
bootstrap intervals, paired p-values, and median latency.
"""

import argparse
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

from corpus.loading import read
from corpus.record import Record
from corpus.topics import is_held_out
from evaluation.liveqa import Asked, liveqa_pool, liveqa_queries
from evaluation.methods import METHODS, rankers
from evaluation.reading import Query, read_queries
from evaluation.report import retrieval_text
from evaluation.retrieval import evaluate_retrieval
from models.embedding import load_embedder
from nodes.context import Context
from retrievers.build import build
from retrievers.index import Index, open_index
from training.medquad import medquad

QUERIES = 1_000


def medquad_queries(records: list[Record], seed: int) -> list[Query]:
    """Questions of records whose topic has other records too; the relevant ones are those."""
    by_focus: defaultdict[str, list[str]] = defaultdict(list)
    for record in records:
        by_focus[record.focus.casefold()].append(record.id)
    times = Counter(record.question for record in records)
    asked = [
        own
        for own in records
        if is_held_out(own) and len(by_focus[own.focus.casefold()]) > 1 and times[own.question] == 1
    ]
    found = []
    # No question twice: the intervals take the queries for independent.
    for record in random.Random(seed).sample(asked, QUERIES):
        same = [key for key in by_focus[record.focus.casefold()] if key != record.id]
        found.append(Query(record.id, record.question, dict.fromkeys(same, 1.0)))
    return found


def opened(folder: Path, records: list[Record]) -> Index:
    if not folder.is_dir():
        build(records, folder, load_embedder(), "benchmark")
    return open_index(folder)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    sets = ("liveqa", "liveqa-summary", "medquad", "scifact", "nfcorpus")
    options.add_argument("set", choices=sets)
    options.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    options.add_argument("--index", type=Path, required=True, help="folder that keeps the index")
    options.add_argument("--reranker", default=Context().reranker)
    options.add_argument("--methods", default=",".join(METHODS))
    options.add_argument("--seed", type=int, default=2026)
    options.add_argument("--passages", type=int, help="fused passages that are re-ranked")
    chosen = options.parse_args()
    if chosen.set.startswith("liveqa"):
        records = liveqa_pool(chosen.data / "liveqa_med_answers.jsonl.gz")
        asked: Asked = "message" if chosen.set == "liveqa" else "summary"
        queries = liveqa_queries(chosen.data / "liveqa_med_qrels.jsonl.gz", asked)
    elif chosen.set == "medquad":
        records = medquad(chosen.data)
        queries = medquad_queries(records, chosen.seed)
    else:
        records = list(read("beir", [chosen.data / f"ir_{chosen.set}_corpus.jsonl.gz"]))
        queries = read_queries(chosen.data / f"ir_{chosen.set}_queries.jsonl.gz", "test")
    index = opened(chosen.index, records)
    context = Context.model_validate({"passages": chosen.passages} if chosen.passages else {})
    methods = rankers(index, chosen.methods.split(","), chosen.reranker, context)
    result = evaluate_retrieval(
        index,
        queries,
        methods,
        own_left_out=chosen.set == "medquad",
        seed=chosen.seed,
        progress=lambda done, all: print(f"\r{done}/{all}", end="", file=sys.stderr),
    )
    print(file=sys.stderr)
    print(retrieval_text(result))


if __name__ == "__main__":
    main()
