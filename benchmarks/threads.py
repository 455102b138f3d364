"""The size of a long conversation on disk.

    python -m benchmarks.threads [--index DIR] [--turns 60]

One thread of 60 turns with the SQLite checkpointer, once for each durability, and with the
server's, which stores a checkpoint of every step, in a temporary folder. Printed: bytes of the
database per turn, and of the last turn.
"""

import asyncio
import os
import tempfile
from pathlib import Path
from typing import Any, Literal

from langgraph.checkpoint.sqlite import SqliteSaver

from app.server.persistence import checkpointer, threads_file
from benchmarks.command_line import command_line
from benchmarks.questions import QUESTIONS
from graph import Context, graph


def measure(index: str | None, turns: int, durability: Literal["exit", "sync"]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "threads.sqlite"
        sizes = [0]
        with SqliteSaver.from_conn_string(str(path)) as saver:
            saved = graph.copy({"checkpointer": saver})
            config: Any = {"configurable": {"thread_id": "one"}}
            for turn in range(turns):
                saved.invoke(
                    {"question": QUESTIONS[turn % len(QUESTIONS)]},
                    config,
                    context=Context.model_validate({"index": index}),
                    durability=durability,
                )
                saver.conn.execute("pragma wal_checkpoint(truncate)")
                sizes.append(path.stat().st_size)
        return {"a turn": sizes[-1] / turns, "last five": (sizes[-1] - sizes[-6]) / 5}


async def measure_server(index: str, turns: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ANAMNESIS_HOME"] = folder
        sizes = [0]
        async with checkpointer() as saver:
            saved = graph.copy({"checkpointer": saver})
            config: Any = {"configurable": {"thread_id": "one"}}
            for turn in range(turns):
                asked: Any = {"question": QUESTIONS[turn % len(QUESTIONS)]}
                context = Context.model_validate({"index": index})
                await saved.ainvoke(asked, config, context=context, durability="async")
                await saver.conn.execute("pragma wal_checkpoint(truncate)")
                sizes.append(threads_file().stat().st_size)
        return {"a turn": sizes[-1] / turns, "last five": (sizes[-1] - sizes[-6]) / 5}


def main() -> None:
    options = command_line(__doc__, "index")
    options.add_argument("--turns", type=int, default=60)
    given = options.parse_args()
    index = str(given.index)
    for durability in ("exit", "sync"):
        sizes = measure(index, given.turns, durability)
        print(f"{given.turns} turns, durability={durability}: {_line(sizes)}")
    sizes = asyncio.run(measure_server(index, given.turns))
    print(f"{given.turns} turns, on the server: {_line(sizes)}")


def _line(sizes: dict[str, float]) -> str:
    return ", ".join(f"{name} {size / 1000:.1f} kB" for name, size in sizes.items())


if __name__ == "__main__":
    main()
