"""The command that shows how retrieval behaves: by rank, by list, by size [R8]."""

import argparse
import random
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from anamnesis import SettingError
from anamnesis.corpus.record import Record
from anamnesis.corpus.report import Report
from anamnesis.models.embedding import Embedder
from app.evaluate.retrieval import Methods, RetrievalQueries, retrieval, retrieval_queries
from app.progress import Bars
from evaluation.behaviour import CURVES, curves, overlaps, separate_lists
from evaluation.metrics import CUT
from evaluation.report import table
from evaluation.retrieval import RetrievalResult
from retrievers.build import build
from retrievers.index import Index

_ASKED = 50  # queries that are timed at each size


def behaviour(given: argparse.Namespace) -> int:
    """Measure retrieval, its curves by rank, the overlap of its lists and its time by size."""
    sizes = _sizes(given.sizes)
    records = list(retrieval_queries(given, Report()).records()) if sizes else []
    if sizes and sizes[-1] > len(records):
        raise SettingError(f"--sizes {sizes[-1]}: the corpus has {len(records)} records")

    def further(
        question: RetrievalQueries, methods: Methods, result: RetrievalResult, embedder: Embedder
    ) -> tuple[dict[str, Any], str]:
        drawn = curves(result.rows, given.gain)
        compared = separate_lists(result.rows)
        shared = overlaps(result.rows, compared) if compared else {}
        queries = [item.text for item in question.queries[:_ASKED]]
        timed = times(records, sizes, queries, methods, embedder, given.seed)
        added = {
            "curves": drawn,
            "overlap": [
                {"lists": list(item), "documents": count} for item, count in shared.items()
            ],
            "times": timed,
        }
        parts = []
        for name in CURVES:
            rows = [[f"{name} at", *map(str, range(1, CUT + 1))]]
            for method, item in drawn.items():
                rows.append([method, *(f"{value:.3f}" for _, value in item[name])])
            parts.append(table(rows))
        rows = [["lists that have it", "documents per query"]]
        parts.append(table(rows + [[" + ".join(item), f"{n:.2f}"] for item, n in shared.items()]))
        if timed:
            names = list(timed[0]["ms"])
            rows = [["records", *(f"{name}, median ms" for name in names)]]
            for item in timed:
                rows.append([str(item["records"]), *(f"{item['ms'][name]:.1f}" for name in names)])
            parts.append(table(rows))
        return added, "\n\n".join(parts)

    return retrieval(given, further)


def times(
    records: list[Record],
    sizes: list[int],
    queries: list[str],
    methods: Methods,
    embedder: Embedder,
    seed: int,
) -> list[dict[str, Any]]:
    """Median milliseconds of a query by method and number of records, drawn with the seed."""
    mixed = random.Random(seed).sample(records, len(records))
    found = []
    for size in sizes:
        with TemporaryDirectory(prefix="anamnesis-") as temporary:
            build(mixed[:size], Path(temporary), embedder, "times", Bars())
            index = Index.open(Path(temporary), embedder)
            seconds: dict[str, float] = {}
            for name, rank in methods(index).items():
                rank(queries[0])  # loading is not part of a query's time
                spent = []
                for query in queries:
                    start = time.perf_counter()
                    # A reranker caches the pairs that it has scored; adding the size makes them
                    # new.
                    rank(f"{query} {size}")
                    spent.append((time.perf_counter() - start) * 1000)
                seconds[name] = median(spent)
            index.close()
        found.append({"records": size, "ms": seconds})
    return found


def _sizes(given: str | None) -> list[int]:
    try:
        found = sorted({int(item) for item in given.split(",")}) if given else []
    except ValueError:
        found = [0]
    if found and found[0] < 1:
        raise SettingError(f"--sizes takes numbers from 1 up, with commas between them: {given!r}")
    return found
