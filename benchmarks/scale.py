"""As many records as the largest of the papers' corpora [H8]: memory, and time to answer.

    python -m benchmarks.scale [--records 216102] [--embedder random|real] [--data DIR]
                               [--index DIR] [--questions 100]

MedQuAD, and records generated from its sentences (seeded, short), are indexed in a separate
process, whose peak memory is printed; then sparse and dense search and their fusion are timed.
``--embedder random`` (the default) replaces the model by pseudo-vectors from a hash of the text:
everything except the model's time and memory is measured. ``--embedder real`` uses the default
model, and takes hours for all records; with ``--index DIR`` the index is kept, and an interrupted
run is continued.
"""

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from anamnesis.corpus.loading import read
from anamnesis.corpus.record import Record
from anamnesis.language.text import sentences
from anamnesis.models.embedding import Embedder, load_embedder
from benchmarks.command_line import command_line
from benchmarks.questions import QUESTIONS
from benchmarks.sparse import spread, timed
from retrievers.build import build
from retrievers.index import Index
from retrievers.search import search

_POOL = 60_000  # sentences from which records are generated


class RandomEmbedder:
    """Unit vectors that depend on the text, but not on its meaning."""

    reference = "benchmark:random"
    fingerprint = "random-384"
    dimensions = 384
    window = query_window = 256
    normalized = True

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An estimate: about four characters per token in English."""
        return [len(text) // 4 + 1 for text in texts]

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> npt.NDArray[np.float32]:
        """Vectors of shape (n, 384)."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
            vectors[row] = np.random.default_rng(seed).standard_normal(self.dimensions)
        if progress is not None:
            progress(len(texts))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    embed_queries = embed_documents


def records(data: Path, count: int) -> Iterator[Record]:
    """MedQuAD's records, then generated ones: three to five sentences of different answers."""
    chance = random.Random(0)
    pool: list[str] = []
    subjects: list[str] = []
    real = 0
    for record in islice(read("medquad-jsonl", [data / "medquad.jsonl.gz"]), count):
        yield record
        real += 1
        subjects.append(record.title)
        if len(pool) < _POOL:
            spans = sentences(record.text)[:8]
            pool += [record.text[s.start : s.end] for s in spans if s.end - s.start < 400]
    for number in range(count - real):
        one, other = chance.sample(subjects, 2)
        text = " ".join(chance.sample(pool, chance.randint(3, 5)))
        question = f"How is {one} related to {other}?"
        yield Record(f"made{number}", one, text, question, "made for the benchmark")


def embedder(name: str) -> Embedder:
    return load_embedder() if name == "real" else RandomEmbedder()


def make(data: Path, count: int, name: str, folder: Path) -> None:
    """Build the index; prints the progress every half minute."""
    last = time.monotonic()

    def report(stage: str, done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last > 30:
            last = time.monotonic()
            print(f"  {stage} {done:,}" + (f" of {total:,}" if total else ""), flush=True)

    spent, changes = timed(
        lambda: build(records(data, count), folder, embedder(name), "scale", report)
    )
    print(f"  {changes}")
    print(f"indexed in {spent / 1000:.0f} s")
    peak = {
        who: resource.getrusage(kind).ru_maxrss / 1e6
        for who, kind in (
            ("process", resource.RUSAGE_SELF),
            ("largest of its children", resource.RUSAGE_CHILDREN),
        )
    }
    print("peak memory: " + ", ".join(f"{who} {gb:.2f} GB" for who, gb in peak.items()))


def ask(folder: Path, name: str, count: int) -> None:
    """Ask questions of the index, with all methods and with each separately."""
    spent, index = timed(lambda: Index.open(folder, embedder(name)))
    first, _ = timed(lambda: search(index, QUESTIONS[0]))
    held = index.manifest
    size = sum(file.bytes for file in held.files.values())
    print(f"{held.records:,} records, {held.passages:,} passages, {size / 1e9:.2f} GB on disk")
    print(f"opened in {spent:.0f} ms, first answer {first:.0f} ms")
    rows = random.Random(1).sample(range(len(index)), max(0, count - len(QUESTIONS)))
    headings = [passage.heading for passage in index.passages(index.ids(rows))]
    questions = [*QUESTIONS, *headings]
    for methods in (("sparse", "dense"), ("sparse",), ("dense",)):
        times = [
            timed(lambda q=question, m=methods: search(index, q, m))[0] for question in questions
        ]
        print(f"{' + '.join(methods)}: {spread(times)}")
    times = [timed(lambda q=q: index.embedder.embed_queries([q]))[0] for q in questions]
    print(f"of this the query's vector ({name}): median {statistics.median(times):.2f} ms")


def main() -> None:
    options = command_line(__doc__, "data")
    options.add_argument("--records", type=int, default=216_102)
    options.add_argument("--embedder", choices=("random", "real"), default="random")
    options.add_argument("--index")
    options.add_argument("--questions", type=int, default=100)
    options.add_argument("--make", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.make:
        make(given.data, given.records, given.embedder, Path(given.index))
        return
    print(f"embedder: {given.embedder}" + (
        " (pseudo-vectors; the model's own time and memory are not in these figures)"
        if given.embedder == "random" else ""
    ))  # fmt: skip
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(given.index or temporary) / ("" if given.index else "index")
        command = [sys.executable, "-m", "benchmarks.scale", "--make", "--index", str(folder)]
        command += ["--records", str(given.records), "--embedder", given.embedder]
        command += ["--data", str(given.data)]
        subprocess.run(command, check=True)
        ask(folder, given.embedder, given.questions)


if __name__ == "__main__":
    main()
