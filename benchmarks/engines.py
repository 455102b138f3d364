"""Engines with the same passages: time to build, size, quality, and time per question.

    python -m benchmarks.engines --index DIR [--data DIR] [--engines files,postgresql]
                                 [--questions 200] [--clients 1,8,32] [--address postgresql=URL]
    python -m benchmarks.engines --passages 1000000 --index DIR [--engines pg_textsearch]

``--index`` is a folder with MedQuAD, whose vectors are reused: no figure includes the embedder's
time. Each engine holds MedQuAD; the questions are its focus questions [R7], with the record of
each left out, and both lists are searched as in the graph. ``pg_textsearch`` is PostgreSQL whose
words are searched by that extension, whatever their number. A client is a thread that asks one
question after the other; all clients and the engine share this machine's cores. PostgreSQL is
started for this, or ``--address`` names one whose schema ``anamnesis`` may be deleted.

With ``--passages`` an engine holds about that many passages: those of ``benchmarks.scale``,
MedQuAD's and others made from its sentences, whose vectors lie near those of MedQuAD. That measures
time and size; generated passages have no judgements.
"""

import random
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean, quantiles

from anamnesis.address import Address
from anamnesis.corpus.loading import read
from anamnesis.corpus.record import Record
from anamnesis.models.embedding import Embedder
from benchmarks.command_line import command_line
from benchmarks.scale import records as made_records
from benchmarks.serving_engines import (
    KeptEmbedder,
    SpreadEmbedder,
    postgres,
    processor_of,
    server_memory,
    server_seconds,
)
from benchmarks.sparse import timed
from evaluation.focus import focus_queries
from evaluation.methods import hybrid
from evaluation.metrics import ndcg, recall
from evaluation.reading import Query
from nodes.settings.context import Context
from retrievers import postgres_textsearch as textsearch
from retrievers.corpus import Corpus, Writer
from retrievers.index import Index
from retrievers.opening import ENGINES, engine_at, open_corpus, writer_at
from retrievers.postgres_reading import PostgresCorpus

_SECONDS = 20.0  # for each number of clients
_COMPARED = 20  # questions whose vectors are compared with all
_POSTGRESQL = {"postgresql": sys.maxsize, "pg_textsearch": 0}
"""The passages from which pg_textsearch is used, by name of the engine."""
_NAMES = ("files", *_POSTGRESQL, "milvus")


class Held:
    """A filled engine: how to search it, and its size in bytes."""

    def __init__(self, corpus: Corpus, size: int, seconds: float) -> None:
        self.corpus, self.size, self.seconds = corpus, size, seconds


def files(folder: Path, records: Sequence[Record], embedder: Embedder) -> Held:
    """A filled index folder."""
    writer: Writer = writer_at(folder, lambda: embedder)
    spent, _ = timed(lambda: writer.put(records, "medquad"))
    index = Index.open(folder, embedder)
    return Held(index, sum(item.bytes for item in index.manifest.files.values()), spent / 1000)


def server(
    address: str, records: Iterator[Record], embedder: Embedder, folder: Path, filled: bool
) -> Held:
    """A filled engine at an address; its size is that of ``folder`` if the engine reports none."""
    engine = engine_at(Address(address))
    spent = 0.0
    if not filled:
        put = engine.writer(lambda: embedder).put
        spent, _ = timed(lambda: put(records, "medquad", rebuild=True))
    sizes: dict[str, int] = getattr(engine, "sizes", dict)()
    size = sum(sizes.values())
    if sizes:
        print("  " + ", ".join(f"{name} {item / 1e6:,.1f} MB" for name, item in sizes.items()))
    else:
        size = sum(item.stat().st_size for item in folder.rglob("*") if item.is_file())
    return Held(open_corpus(Address(address), embedder), size, spent / 1000)


def asked(corpus: Corpus, query: str) -> list[str]:
    """The records of both lists, fused as in the graph."""
    return list(dict.fromkeys(hit["record_id"] for hit in hybrid(corpus, query, _CONTEXT)))


_CONTEXT = Context.model_validate({})


def quality(corpus: Corpus, queries: Sequence[Query]) -> str:
    """nDCG@10 and recall@10, with the query's own record left out."""
    gains, shares = [], []
    for query in queries:
        found = [item for item in asked(corpus, query.text) if item != query.id]
        relevant = {key: grade for key, grade in query.relevant.items() if key != query.id}
        gains.append(ndcg(found, relevant))
        shares.append(recall(found, relevant))
    return f"nDCG@10 {fmean(gains):.4f}, recall@10 {fmean(shares):.4f}"


def speed(corpus: Corpus, questions: Sequence[str], clients: int, seconds: float) -> str:
    """p50, p95, questions per second, and processor time, with this number of clients."""
    times: list[float] = []
    end = time.monotonic() + seconds
    failed: list[Exception] = []

    def client(number: int) -> None:
        order = random.Random(number).sample(questions, len(questions))
        while time.monotonic() < end and not failed:
            for question in order:
                try:
                    times.append(timed(lambda q=question: asked(corpus, q))[0])
                except Exception as error:
                    failed.append(error)
                if time.monotonic() > end or failed:
                    break

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    start, cpu_seconds, server = time.monotonic(), time.process_time(), server_seconds()
    for item in threads:
        item.start()
    for item in threads:
        item.join()
    spent = time.monotonic() - start
    cpu_seconds, server = time.process_time() - cpu_seconds, server_seconds() - server
    if failed:
        raise failed[0]
    cut = quantiles(times, n=20)
    rate = len(times) / spent
    each = [f"{item / len(times) * 1000:.1f}" for item in (cpu_seconds, server)]
    return (
        f"{clients} clients: p50 {cut[9]:.1f}, p95 {cut[-1]:.1f} ms, {rate:.0f} questions/s; "
        f"processor time of a question: here {each[0]}, in PostgreSQL {each[1]} ms"
    )


def reached(corpus: PostgresCorpus, questions: Sequence[str]) -> float:
    """The share of the ten nearest passages that the graph of near vectors finds."""
    shares = []
    for question in questions:
        vector = corpus.embedder.embed_queries([question])[0]
        found = {item.id for item in corpus.dense(vector, 10)}
        corpus.held.near = False
        shares.append(len(found & {item.id for item in corpus.dense(vector, 10)}) / 10)
        corpus.held.near = True
    return fmean(shares)


def show(
    name: str, held: Held, queries: Sequence[Query], clients: Sequence[int], seconds: float,
    judged: bool,
) -> None:  # fmt: skip
    """Print the figures of one engine."""
    count = len(held.corpus)
    size = f"{held.size / 1e6:,.0f} MB"
    print(f"{name}: {count:,} passages built in {held.seconds:.0f} s, {size}", flush=True)
    questions = [item.text for item in queries]
    # Each is embedded once, before time is measured.
    if judged:
        print(f"  {quality(held.corpus, queries)}", flush=True)
    else:
        for question in questions:
            asked(held.corpus, question)
    if isinstance(held.corpus, PostgresCorpus) and held.corpus.held.near:
        print(f"  {reached(held.corpus, questions[:_COMPARED]):.1%} of the ten nearest vectors")
    for number in clients:
        print(f"  {speed(held.corpus, questions, number, seconds)}", flush=True)
    peak, server = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, server_memory() / 1e9
    print(f"  memory: this process {peak:.1f} GB at most, PostgreSQL {server:.1f} GB")


def main() -> None:
    options = command_line(__doc__, "data")
    options.add_argument("--index", type=Path)
    options.add_argument("--engines", default="files,postgresql")
    options.add_argument("--address", action="append", default=[], metavar="ENGINE=URL")
    options.add_argument("--questions", type=int, default=200)
    options.add_argument("--clients", default="1,8,32")
    options.add_argument("--seconds", type=float, default=_SECONDS)
    options.add_argument("--passages", type=int)
    options.add_argument("--filled", action="store_true", help="what --address names is filled")
    given = options.parse_args()
    print(f"processor: {processor_of()}")
    records = list(read("medquad-jsonl", [given.data / "medquad.jsonl.gz"]))
    [queries] = focus_queries(records, runs=1, sample=given.questions)
    addresses = dict(item.split("=", 1) for item in given.address)
    if given.index is None:
        options.error("name the folder whose vectors are taken: --index DIR")
    made: Callable[[], Iterator[Record]]
    embedder: Embedder
    if given.passages:
        embedder = SpreadEmbedder(Index.open(given.index))
        # A generated record is one passage; MedQuAD's records are several.
        count = max(given.passages - 9_000, 1_000)
        made = lambda: made_records(given.data, count)  # noqa: E731
    else:
        embedder = KeptEmbedder(Index.open(given.index))
        made = lambda: iter(records)  # noqa: E731
    for name in given.engines.split(","):
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            if name == "files":
                held = files(folder / "index", list(made()), embedder)
            elif name in addresses or name in _POSTGRESQL:
                textsearch.FROM = _POSTGRESQL.get(name, textsearch.FROM)
                address = addresses.get(name) or stack.enter_context(postgres())
                held = server(address, made(), embedder, folder, given.filled)
            elif name in ENGINES:
                held = server(f"{name}://{folder}/{name}.db", made(), embedder, folder, False)
            else:
                options.error(f"no engine {name!r}; there are {', '.join(_NAMES)}")
            clients = [int(item) for item in given.clients.split(",")]
            show(name, held, queries, clients, given.seconds, not given.passages)


if __name__ == "__main__":
    main()
