"""The overhead of the server's guards: policy, audit log, recorded starts, and deadline.

    python -m benchmarks.guarding [--index DIR] [--pairs 60]

Each question is asked of the server's graph and of the same graph without guards, in one process,
once before measuring. Printed: the medians of both, of the paired differences, and their share.
First with all caches, as for a repeated question; then without, as for a new question.
"""

import gc
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from langgraph.runtime import Runtime

from anamnesis.limits import limits
from anamnesis.models.cross_encoder import CrossEncoder
from anamnesis.models.reader import OwnReader
from anamnesis.models.sentence_vectors import SentenceVectors
from benchmarks.command_line import command_line
from benchmarks.questions import QUESTIONS


def guarded() -> Any:
    """The graph that ``langgraph.json`` names, with runs recorded as on a server."""
    from app.server import recording
    from app.server.starts import note_start
    from graph.build import build_graph
    from nodes.policy import apply_policy
    from nodes.settings.context import Context

    def before_step(runtime: Runtime[Context]) -> Callable[[], None] | None:
        on_disk = recording._before_step(runtime)
        # A start is recorded only on a server.
        info: Any = SimpleNamespace(server_info=True, execution_info=runtime.execution_info)
        note_start(info)
        return on_disk

    return build_graph(
        observe=recording._observe,
        before_step=before_step,
        time_limit=lambda: limits().run_timeout,
        policy=apply_policy,
    )


def forgetting() -> Callable[[], None]:
    """A function that empties the caches of this process's models."""
    kinds = (CrossEncoder, OwnReader, SentenceVectors)
    kept = [item._kept for item in gc.get_objects() if isinstance(item, kinds)]

    def forget() -> None:
        for store in kept:
            store._kept.clear()

    return forget


def compare(graphs: dict[str, Any], pairs: int, fresh: Callable[[], None]) -> None:
    """Ask in pairs, in random order; ``fresh`` is called before each question."""
    rng = random.Random(1)
    taken: dict[str, list[float]] = {name: [] for name in graphs}
    for number in range(-4, pairs):
        question = QUESTIONS[number % len(QUESTIONS)]
        for name in rng.sample(list(graphs), len(graphs)):
            fresh()
            start = time.perf_counter()
            answer = graphs[name].invoke({"question": question}, {"run_id": uuid4()})["answer"]
            if number >= 0:
                taken[name].append((time.perf_counter() - start) * 1000)
            if answer["question"] != question:
                raise RuntimeError("another question was answered")
    for name, spent in taken.items():
        print(f"{name}: p50 {statistics.median(spent):.1f} ms of {len(spent)}")
    with_them, without = taken.values()
    least, half, most = statistics.quantiles(
        [one - other for one, other in zip(with_them, without, strict=True)], n=4
    )
    share = half / statistics.median(without)
    print(f"the difference: p50 {half:.2f} ms ({share:.1%}), quartiles {least:.2f}, {most:.2f} ms")


def main() -> None:
    options = command_line(__doc__, "index")
    options.add_argument("--pairs", type=int, default=60)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "index").symlink_to(given.index.absolute())
        os.environ["ANAMNESIS_HOME"] = folder
        from graph import graph

        graphs = {"guarded": guarded(), "plain": graph}
        for question in QUESTIONS:
            graph.invoke({"question": question})
        print("asked again")
        compare(graphs, given.pairs, lambda: None)
        print("asked for the first time")
        compare(graphs, given.pairs, forgetting())


if __name__ == "__main__":
    main()
