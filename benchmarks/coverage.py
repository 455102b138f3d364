"""How much is answered, and how much of it wrongly, for every least relevance of a passage.

    python -m benchmarks.coverage --index DIR --queries FILE [--weights 0,1,2] [--unanswerable]

FILE has queries with ``relevant`` grades, as for ``anamnesis evaluate helpfulness``; one without
any is not to be answered. ``--unanswerable`` adds fifty questions that no medical index answers.
Each query is searched for and read as the graph does it by default. The passage that is quoted
first is right with a grade of 2 or more, wrong with none or 0. Printed for each weight of the fused
list beside the reader and each least relevance: the shares answered, rightly and wrongly.
``FUSED_WEIGHT`` and ``min_relevance`` are chosen on this table, on topics that the reader was not
trained on.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anamnesis.paths import default_index
from evaluation.helpfulness import HELPS
from evaluation.methods import hybrid
from evaluation.questions import UNANSWERABLE
from evaluation.reading import Query, read_queries
from models.reranker import load_reranker
from nodes.context import Context
from nodes.evidence import blended
from nodes.extract import OTHERS
from retrievers.index import open_index

_LEAST = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Candidate(NamedTuple):
    """A passage that was read: its record, place in the lists, and relevance."""

    record: str
    fused: float
    relevance: float


def candidates(index: Path, queries: Sequence[Query], reranker: str) -> list[list[Candidate]]:
    """For each query the passages that the graph would read."""
    context, opened, reader = Context.model_validate({}), open_index(index), load_reranker(reranker)
    found = []
    for place, query in enumerate(queries, 1):
        hits = hybrid(opened, query.text, context)[: context.passages]
        passages = opened.passages([hit["id"] for hit in hits])
        read = reader.read(query.text, [(own.heading, own.text) for own in passages])
        most = max((hit["score"] for hit in hits), default=0.0) or 1.0
        found.append(
            [
                Candidate(hit["record_id"], hit["score"] / most, own.relevance)
                for hit, own in zip(hits, read, strict=True)
            ]
        )
        if place % 50 == 0:
            print(f"{place}/{len(queries)}", file=sys.stderr)
    return found


def first(read: Sequence[Candidate], weight: float, kept: int, least: float) -> Candidate | None:
    """The passage that would be quoted first: of the first ``kept`` the first that is relevant."""
    order = sorted(read, key=lambda own: -blended(own.relevance, own.fused, weight))[:kept]
    mark = max(least, OTHERS * max((own.relevance for own in order), default=0.0))
    return next((own for own in order if own.relevance >= mark), None)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--index", type=Path, default=None, help="default: that of the data folder")
    parser.add_argument("--queries", type=Path, help="queries with grades, one JSON object a line")
    parser.add_argument("--unanswerable", action="store_true", help="add fifty of no index")
    parser.add_argument("--weights", default="0,1,2,4", help="of the fused list, commas between")
    parser.add_argument("--reranker", default="own")
    chosen = parser.parse_args()
    queries = list(read_queries(chosen.queries, graded=True)) if chosen.queries else []
    if chosen.unanswerable:
        queries += [Query(f"none-{n}", text, {}) for n, text in enumerate(UNANSWERABLE)]
    read = candidates(chosen.index or default_index(), queries, chosen.reranker)
    kept = Context.model_validate({}).evidence_passages
    answerable = sum(max(own.relevant.values(), default=0) >= HELPS for own in queries)
    print(f"{len(queries)} queries, {answerable} of them with a record that answers")
    number = len(queries)
    for weight in map(float, chosen.weights.split(",")):
        print(f"weight {weight:g}")
        for least in _LEAST:
            tops = [first(found, weight, kept, least) for found in read]
            shown = np.array([top is not None for top in tops])
            both = zip(queries, tops, strict=True)
            grades = np.array([own.relevant.get(top.record, 0) if top else 0 for own, top in both])
            right, wrong = (shown & (grades >= HELPS)).sum(), (shown & (grades <= 0)).sum()
            print(
                f"  least {least:.2f}: answered {shown.mean():.3f}, right {right / number:.3f} "
                f"({right / max(1, answerable):.3f} of the answerable), wrong {wrong / number:.3f}"
            )


if __name__ == "__main__":
    main()
