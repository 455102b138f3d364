"""How much is answered, and how much of it wrongly, for every least relevance of a passage.

    python -m benchmarks.coverage --index DIR --queries FILE [--unanswerable] [--weights R,F,S,A]

FILE has queries with ``relevant`` grades, as for ``anamnesis evaluate helpfulness``; one without
any is not to be answered. ``--unanswerable`` adds fifty questions that no medical index answers.
Each query is searched for and read as the graph does it by default. The passage that is quoted
first is right with a grade of 2 or more, wrong with none or 0. Printed for each least relevance:
the shares answered, rightly and wrongly. ``min_relevance`` and the weights that put the relevance
together (``nodes.evidence.OWN``) are chosen on this table, on topics that the reader was not
trained on.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anamnesis.paths import default_index
from evaluation.helpfulness import HELPS
from evaluation.methods import hybrid
from evaluation.questions import UNANSWERABLE
from evaluation.reading import Query, read_queries
from models.reading import Reading
from models.reranker import load_reranker
from nodes.context import Context
from nodes.evidence import OWN, Weights, relevance, together
from retrievers.index import open_index

_LEAST = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Candidate(NamedTuple):
    """A passage that was read: its record, its fused score, and what the reader says."""

    record: str
    fused: float
    reading: Reading


def candidates(index: Path, queries: Sequence[Query], reranker: str) -> list[list[Candidate]]:
    """For each query the passages that the graph would read."""
    context, opened, reader = Context.model_validate({}), open_index(index), load_reranker(reranker)
    found = []
    for place, query in enumerate(queries, 1):
        hits = hybrid(opened, query.text, context)[: context.passages]
        passages = opened.passages([hit["id"] for hit in hits])
        read = reader.read(query.text, [(own.heading, own.text) for own in passages])
        found.append(
            [
                Candidate(hit["record_id"], hit["score"], own)
                for hit, own in zip(hits, read, strict=True)
            ]
        )
        if place % 50 == 0:
            print(f"{place}/{len(queries)}", file=sys.stderr)
    return found


def table(
    queries: Sequence[Query], read: Sequence[Sequence[Candidate]], weights: Weights
) -> Iterator[str]:
    """For each least relevance the shares answered, rightly and wrongly."""
    answerable = sum(max(own.relevant.values(), default=0) >= HELPS for own in queries)
    number = len(queries)
    yield f"{number} queries, {answerable} of them with a record that answers"
    firsts = [
        max(found, key=lambda own: together(own.reading, own.fused, weights)) for found in read
    ]
    grades = np.array(
        [own.relevant.get(top.record, 0) for own, top in zip(queries, firsts, strict=True)]
    )
    chances = np.array([relevance(top.reading, top.fused, weights) for top in firsts])
    for least in _LEAST:
        shown = chances >= least
        right, wrong = (shown & (grades >= HELPS)).sum(), (shown & (grades <= 0)).sum()
        yield (
            f"  least {least:.2f}: answered {shown.mean():.3f}, right {right / number:.3f} "
            f"({right / max(1, answerable):.3f} of the answerable), wrong {wrong / number:.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--index", type=Path, default=None, help="default: that of the data folder")
    parser.add_argument("--queries", type=Path, help="queries with grades, one JSON object a line")
    parser.add_argument("--unanswerable", action="store_true", help="add fifty of no index")
    parser.add_argument(
        "--weights",
        default=",".join(map(str, OWN)),
        help="of reader and fused score, shift, least of the reader alone (nodes.evidence.Weights)",
    )
    parser.add_argument("--reranker", default="own")
    chosen = parser.parse_args()
    queries = list(read_queries(chosen.queries, graded=True)) if chosen.queries else []
    if chosen.unanswerable:
        queries += [Query(f"none-{n}", text, {}) for n, text in enumerate(UNANSWERABLE)]
    read = candidates(chosen.index or default_index(), queries, chosen.reranker)
    reader, fused, shift, alone = map(float, chosen.weights.split(","))
    weights = Weights(reader, fused, shift, alone)
    for line in table(queries, read, weights):
        print(line)


if __name__ == "__main__":
    main()
