"""Facts: how often the right one is found for a lay question, and the time.

    python -m benchmarks.facts --index DIR

DIR is an index of facts that has those of ``triplets.tsv.gz``; see ``anamnesis index facts``.

Recall: sixty questions, each of which uses an alias of at least one of the two names of its fact;
the share whose fact is among the first eight, by vectors only and together with names.

Time: two-step search for a question with four options. Wall-clock and processor milliseconds (equal
on an idle machine with one thread), and the share of each part.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command_line import command_line
from benchmarks.fact_questions import QUESTIONS
from evaluation.significance import intervals
from retrievers.dense import Vectors
from retrievers.facts import FactIndex, FactQuery, FactSearch
from retrievers.index import Index, open_index
from retrievers.search import search

FIRST = 8


def recall(index: Index, how: FactSearch) -> str:
    found = []
    for question, *names in QUESTIONS:
        hits = search(index, question, ("facts",), facts_k=FIRST, fact_search=how)
        got = [{side[0] for side in item.names} for item in index.passages([h["id"] for h in hits])]
        found.append(set(names) in got)
    right = np.array(found)
    found_share = intervals(lambda rows: {"recall": float(right[rows].mean())}, len(right))[
        "recall"
    ]
    missed = "; ".join(q for (q, *_), hit in zip(QUESTIONS, found, strict=True) if not hit)
    interval = f"[{found_share.low:.3f}, {found_share.high:.3f}]"
    return f"{found_share.mean:.3f} {interval}  missed: {missed or 'none'}"


class Clock:
    """Wall-clock and processor milliseconds of calls."""

    def __init__(self) -> None:
        self.found: list[tuple[float, float]] = []

    def __call__(self, call: Callable[[], Any]) -> Any:
        """The result of the call; its time is recorded."""
        wall, cpu = time.perf_counter(), time.process_time()
        given = call()
        spent = time.perf_counter() - wall, time.process_time() - cpu
        self.found.append((spent[0] * 1000, spent[1] * 1000))
        return given

    def __str__(self) -> str:
        wall, cpu = np.array(self.found[1:]).T  # the first one opens the files
        return (
            f"p50 {np.median(wall):.1f} ms, p95 {np.percentile(wall, 95):.1f} ms; "
            f"processor p50 {np.median(cpu):.1f} ms"
        )


def timed(index: Index, facts: FactIndex) -> None:
    clocks = {name: Clock() for name in ("two-step search", "embedding", "vectors alone")}

    def embed(texts: Sequence[str]) -> Vectors:
        found: Vectors = clocks["embedding"](lambda: index.embedder.embed_queries(texts))
        return found

    for place, (question, *_) in enumerate(QUESTIONS):
        options = [QUESTIONS[(place + step) % len(QUESTIONS)][1] for step in range(4)]
        query = FactQuery(question, options)
        clocks["two-step search"](lambda q=query: facts.search(q, FIRST, embed))
        vectors = index.embedder.embed_queries([question, *options])
        clocks["vectors alone"](
            lambda q=query, v=vectors: facts.search(
                q._replace(how="refined"), FIRST, lambda texts: v
            )
        )
    print(f"{len(facts)} facts, four options")
    for name, clock in clocks.items():
        print(f"{name}: {clock}")


def main() -> None:
    options = command_line(__doc__)
    options.add_argument("--index", type=Path, required=True, help="index of facts")
    index = open_index(options.parse_args().index)
    if index.fact_index is None:
        raise SystemExit("the index holds no facts; see anamnesis index facts")
    timed(index, index.fact_index)
    ways: dict[str, FactSearch] = {"vectors": "refined", "vectors and names": "names"}
    for name, how in ways.items():
        print(f"{name}: recall@{FIRST} {recall(index, how)}")


if __name__ == "__main__":
    main()
