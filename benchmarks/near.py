"""The loss of approximate vector search against exact search, by parameters of the graph.

    python -m benchmarks.near --index DIR [--data DIR] [--questions 1000]
                              [--graphs 16/128,32/256,32/512] [--candidates 125,200]

``--index`` is a folder with MedQuAD (``anamnesis index medquad-jsonl``), whose vectors are reused.
They are loaded into a temporary PostgreSQL. The questions are MedQuAD's focus questions [R7],
with the record of each left out. Engines are accepted by nDCG and not by the overlap with the exact
list: among near-duplicates a few lost vectors can be the relevant ones. Printed for each graph (m /
ef_construction) and number of candidates for exact comparison: the loss of nDCG@10 against exact
search, for the vectors' list and for both lists fused, with 95 % intervals; questions that lose
more than .05; the share of the exact top ten that is found; time.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np
import psycopg

from anamnesis.corpus.loading import read
from benchmarks.command_line import command_line
from benchmarks.serving_engines import KeptEmbedder, postgres
from benchmarks.sparse import timed
from evaluation.focus import focus_queries
from evaluation.methods import hybrid
from evaluation.metrics import ndcg
from evaluation.reading import Query
from nodes.settings.context import Context
from retrievers import postgres_connections as connecting
from retrievers import postgres_lists, postgres_tables
from retrievers.index import Index
from retrievers.postgres import PostgresEngine
from retrievers.postgres_reading import PostgresCorpus
from retrievers.search import search

_K = 10


def ranked(corpus: PostgresCorpus, query: Query, both: bool) -> list[str]:
    """Record ids of the vectors' list, or of both lists fused as in the graph."""
    context = Context.model_validate({})
    hits = (
        hybrid(corpus, query.text, context)
        if both
        else search(corpus, query.text, ["dense"], k=100)
    )
    return [item for item in dict.fromkeys(hit["record_id"] for hit in hits) if item != query.id]


def measured(
    corpus: PostgresCorpus, queries: Sequence[Query], both: bool
) -> tuple[list[float], list[list[str]], float]:
    """nDCG@10 and the records of each query, and the median time in ms."""
    scores, lists, times = [], [], []
    for query in queries:
        spent, found = timed(lambda q=query: ranked(corpus, q, both))
        relevant = {key: grade for key, grade in query.relevant.items() if key != query.id}
        scores.append(ndcg(found, relevant))
        lists.append(found[:_K])
        times.append(spent)
    return scores, lists, median(times)


def lost(exact: Sequence[float], near: Sequence[float]) -> str:
    """The mean loss with its 95 % interval (bootstrap), and the number of large losses."""
    each = np.asarray(exact) - np.asarray(near)
    drawn = np.random.default_rng(0).integers(0, len(each), (10_000, len(each)))
    low, high = np.quantile(each[drawn].mean(axis=1), [0.025, 0.975])
    return f"{each.mean():+.4f} [{low:+.4f}, {high:+.4f}], {int((each > 0.05).sum())} lose > .05"


def main() -> None:
    options = command_line(__doc__, "data")
    options.add_argument("--index", type=Path, required=True)
    options.add_argument("--questions", type=int, default=1_000)
    options.add_argument("--graphs", default="16/128,32/256,32/512")
    options.add_argument("--candidates", default="125,200")
    given = options.parse_args()
    records = list(read("medquad-jsonl", [given.data / "medquad.jsonl.gz"]))
    runs = focus_queries(records, runs=1, sample=given.questions)
    queries = [item for run in runs for item in run]
    embedder = KeptEmbedder(Index.open(given.index))
    with postgres() as address:
        engine = PostgresEngine(address, embedder)
        postgres_tables.EXACT_UP_TO = len(records) * 10
        spent, _ = timed(lambda: engine.writer().put(records, "medquad"))
        corpus = engine.corpus()
        print(f"{len(corpus):,} passages loaded in {spent / 1000:.0f} s, {len(queries)} questions")
        exact = {both: measured(corpus, queries, both) for both in (False, True)}
        for both, (scores, _, ms) in exact.items():
            name = "both lists" if both else "vectors"
            print(f"all compared, {name}: nDCG@10 {np.mean(scores):.4f}, p50 {ms:.1f} ms")
        for graph in given.graphs.split(","):
            m, ef = map(int, graph.split("/"))
            made, size = _graph(engine, corpus, m, ef)
            print(f"graph {graph}: made in {made / 1000:.1f} s, {size / 1e6:.0f} MB")
            corpus.held.near = True
            for number in map(int, given.candidates.split(",")):
                postgres_lists.NEAR = number
                for both, (scores, lists, _) in exact.items():
                    near, found, ms = measured(corpus, queries, both)
                    pairs = zip(found, lists, strict=True)
                    share = np.mean([len(set(a) & set(b)) / max(len(b), 1) for a, b in pairs])
                    name = "both lists" if both else "vectors"
                    print(
                        f"  {number} candidates, {name}: loss {lost(scores, near)}; "
                        f"{share:.1%} of the exact ten; p50 {ms:.1f} ms", flush=True,
                    )  # fmt: skip
            corpus.held.near = False
        engine.close()


def _graph(engine: PostgresEngine, corpus: PostgresCorpus, m: int, ef: int) -> tuple[float, int]:
    """Replace the graph by a new one: milliseconds, and bytes."""
    postgres_tables.M, postgres_tables.EF_CONSTRUCTION = m, ef
    number = corpus.generation
    # A connection for reading would be closed before the graph is made.
    with psycopg.connect(engine.where.reveal(), **connecting.WRITING) as connection:
        connecting.set_up(connection)
        connection.execute("drop index if exists anamnesis.near_vectors")
        size = corpus.embedder.dimensions
        with connection.transaction():
            spent, _ = timed(
                lambda: postgres_tables.make_graph(
                    connection, number, len(corpus), size, "near_vectors"
                )
            )
        row = connection.execute("select pg_relation_size('anamnesis.near_vectors')").fetchone()
        assert row is not None
    return spent, int(row[0])


if __name__ == "__main__":
    main()
