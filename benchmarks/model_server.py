"""Models served to several processes, compared with models loaded in each process.

    python -m benchmarks.model_server [--processes 2] [--questions 40] [--passages 10]

A server (``anamnesis models serve``) runs in a separate process. First one process and then several
use it at the same time: each embeds questions and reads ten passages per question. The same is then
done by as many processes that each load the models. Printed: questions per second of all processes
together, the median time of a question, and the resident memory of all processes.
"""

import multiprocessing
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from anamnesis.corpus.starter import read_starter
from anamnesis.models.embedding import DEFAULT_EMBEDDER, load_embedder
from anamnesis.models.reranker import load_reranker
from benchmarks.command_line import command_line


class Task(NamedTuple):
    """The task of a process: the models' references, and questions with their passages."""

    embedder: str
    reranker: str
    questions: tuple[str, ...]
    passages: tuple[tuple[str, str], ...]


class TaskResult(NamedTuple):
    """Start and end of a process's questions, seconds of each, and its memory in bytes."""

    began: float
    ended: float
    each: tuple[float, ...]
    memory: int


@contextmanager
def server() -> Iterator[tuple[str, int]]:
    """The address of a model server, and its process id."""
    command = [sys.executable, "-m", "anamnesis", "models", "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.terminate()
        process.wait(10)


def memory(process: int | str = "self") -> int:
    """Resident bytes of a process."""
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    line = next(item for item in status.splitlines() if item.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def worked(work: Task) -> TaskResult:
    """Do the work, after loading the models."""
    embedder, reranker = load_embedder(work.embedder), load_reranker(work.reranker)
    embedder.embed_queries(["warm"])
    each = []
    began = time.time()
    for place, question in enumerate(work.questions):
        start = time.perf_counter()
        embedder.embed_queries([question])
        # Other passages for each question, because readings are cached.
        count = len(work.passages)
        chosen = [work.passages[(place * 10 + n) % count] for n in range(10)]
        reranker.read(question, chosen)
        each.append(time.perf_counter() - start)
    return TaskResult(began, time.time(), tuple(each), memory())


def measured(works: list[Task]) -> tuple[float, float, int]:
    """Questions per second of all together, median seconds of one, bytes of all processes."""
    with multiprocessing.get_context("spawn").Pool(len(works)) as pool:
        done = pool.map(worked, works, chunksize=1)
    seconds = max(item.ended for item in done) - min(item.began for item in done)
    each = [one for item in done for one in item.each]
    return len(each) / seconds, statistics.median(each), sum(item.memory for item in done)


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--questions", type=int, default=40)
    chosen = parser.parse_args()
    records = list(read_starter())
    passages = tuple((item.question, item.text) for item in records)
    questions = [item.question for item in records]

    def works(embedder: str, reranker: str, processes: int) -> list[Task]:
        return [
            Task(embedder, reranker, tuple(questions[n::processes][: chosen.questions]), passages)
            for n in range(processes)
        ]

    with server() as (address, process):
        for number in (1, chosen.processes):
            rate, median, bytes_ = measured(works(address, address, number))
            total = (bytes_ + memory(process)) / 2**20
            print(f"served to {number}: {rate:.1f}/s, p50 {median * 1e3:.0f} ms, {total:.0f} MiB")
    for number in (1, chosen.processes):
        rate, median, bytes_ = measured(works(DEFAULT_EMBEDDER, "own", number))
        total = bytes_ / 2**20
        print(f"own models in {number}: {rate:.1f}/s, p50 {median * 1e3:.0f} ms, {total:.0f} MiB")


if __name__ == "__main__":
    main()
