"""How much a long conversation takes on disk.

    python -m benchmarks.threads [--index DIR] [--turns 60]

One thread of 60 turns through the SQLite checkpointer, once for each durability, in a temporary
folder. Printed: bytes of the database a turn, and of the last turn alone.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any, Literal

from langgraph.checkpoint.sqlite import SqliteSaver

from evaluation.questions import QUESTIONS
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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--index")
    options.add_argument("--turns", type=int, default=60)
    given = options.parse_args()
    for durability in ("exit", "sync"):
        sizes = measure(given.index, given.turns, durability)
        told = ", ".join(f"{name} {size / 1000:.1f} kB" for name, size in sizes.items())
        print(f"{given.turns} turns, durability={durability}: {told}")


if __name__ == "__main__":
    main()
