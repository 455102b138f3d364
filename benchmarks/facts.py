"""Facts: how often the right one is found for a layperson's question, and how long it takes.

    python -m benchmarks.facts --data ../shared/data --index DIR [--number N] [--rows N]

Recall: sixty questions, each of which calls at least one of the two things of its fact by an alias;
the share whose fact is among the first eight, by vectors alone and with names beside them. The
index holds the facts asked for and ``--number`` others of ``triplets.tsv.gz``, drawn from those
that have a thing in common with a fact asked for, then from the rest (default: all). DIR keeps it,
and it is used again.

Time: two-step search for four options, the questions' embedding included, over ``--rows`` facts
with the names of all triplet files and random vectors: a scan takes as long whatever they say.
"""

import argparse
import random
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.fact_questions import QUESTIONS
from corpus.record import Record
from corpus.triplets import read_facts
from evaluation.significance import intervals
from models.embedding import Embedder, load_embedder
from retrievers.build import build
from retrievers.dense import VECTORS
from retrievers.facts import FactIndex, FactSearch
from retrievers.index import Index
from retrievers.names import write_names
from retrievers.search import search

FIRST = 8
FILES = ("triplets", "triplets_hetionet", "triplets_disease_ontology")


def pair(fact: Record) -> frozenset[str]:
    return frozenset(str(fact.metadata[side]) for side in ("head", "tail"))


def chosen(facts: list[Record], number: int | None) -> list[Record]:
    """The facts asked for, and ``number`` others: those that share a thing with one first."""
    asked = {frozenset(names) for _, *names in QUESTIONS}
    things = frozenset().union(*asked)
    own = [fact for fact in facts if pair(fact) in asked]
    others = [fact for fact in facts if pair(fact) not in asked]
    random.Random(0).shuffle(others)
    others.sort(key=lambda fact: not pair(fact) & things)
    return own + others[:number]


def recall(index: Index, how: FactSearch) -> str:
    found = []
    for question, *names in QUESTIONS:
        hits = search(index, question, ("facts",), facts=FIRST, fact_search=how)
        got = [{side[0] for side in own.names} for own in index.passages([h["id"] for h in hits])]
        found.append(set(names) in got)
    right = np.array(found)
    own = intervals(lambda rows: {"recall": float(right[rows].mean())}, len(right))["recall"]
    missed = "; ".join(q for (q, *_), hit in zip(QUESTIONS, found, strict=True) if not hit)
    return f"{own.mean:.3f} [{own.low:.3f}, {own.high:.3f}]  missed: {missed or 'none'}"


def timed(folder: Path, facts: list[Record], rows: int, embedder: Embedder) -> list[float]:
    """Milliseconds of each search for a question and four options."""
    noise = np.random.default_rng(0)
    vectors = noise.standard_normal((rows, embedder.dimensions), np.float32)
    np.save(folder / VECTORS, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    write_names((fact.metadata["names"] for fact in facts[:rows]), folder)  # type: ignore[misc]
    index = FactIndex(folder, 0)
    times = []
    for place, (question, *_) in enumerate(QUESTIONS):
        options = [QUESTIONS[(place + step) % len(QUESTIONS)][1] for step in range(4)]
        start = time.perf_counter()
        index.search(question, options, FIRST, embedder.embed_queries)
        times.append((time.perf_counter() - start) * 1000)
    return times[1:]  # the first one opens the files


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    options.add_argument("--index", type=Path, required=True, help="folder for the facts' index")
    options.add_argument("--number", type=int, help="facts beside those asked for")
    options.add_argument("--rows", type=int, default=86_940, help="facts that are scanned")
    given = options.parse_args()
    aliases = given.data / "triplets_aliases.tsv.gz"
    paths = [given.data / f"{name}.tsv.gz" for name in FILES]
    embedder = load_embedder()
    build(
        chosen(list(read_facts(paths[:1], aliases)), given.number), given.index, embedder, "facts"
    )
    index = Index.open(given.index, embedder)
    for name, how in (("vectors", "refined"), ("vectors and names", "names")):
        print(f"{len(index)} facts, {name}: recall@{FIRST} {recall(index, how)}")  # type: ignore[arg-type]
    with TemporaryDirectory() as folder:
        times = timed(Path(folder), list(read_facts(paths, aliases)), given.rows, embedder)
    p50, p95 = np.percentile(times, [50, 95])
    print(f"two-step search, {given.rows} facts, four options: p50 {p50:.1f} ms, p95 {p95:.1f} ms")


if __name__ == "__main__":
    main()
