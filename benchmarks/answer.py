"""How long a question takes.

    python -m benchmarks.answer [--index DIR] [--rounds 3]

Warm: the time of ``graph.invoke`` over twenty questions asked for the first time, and of the same
questions asked again (the vectors of sentences are cached); each step's share the first time; and
the overhead of LangGraph per step, which no step accounts for. Cold: a whole ``anamnesis ask``
process, compared with a bare Python start and the imports in it.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.command_line import command_line
from benchmarks.questions import QUESTIONS


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def warm(index: str | None, rounds: int) -> None:
    from graph import Context, graph

    context = Context.model_validate({"index": index})
    graph.invoke({"question": "What is anemia?"}, context=context)
    whole: list[float] = []
    seconds: list[float] = []
    steps: dict[str, list[float]] = {}
    for number in range(rounds):
        for question in QUESTIONS:
            start = time.perf_counter()
            answer = graph.invoke({"question": question}, context=context)["answer"]
            whole.append((time.perf_counter() - start) * 1000)
            timings = dict(answer["timings"])
            for step, spent in timings.items() if number == 0 else ():
                steps.setdefault(step, []).append(spent)
            # recall and retrieve run in parallel: the slower of the two counts.
            side = [timings.pop("recall", 0.0), timings.pop("retrieve", 0.0)]
            seconds.append((whole[-1] - sum(timings.values()) - max(side)) / (len(timings) + 2))
    first, again = whole[: len(QUESTIONS)], whole[len(QUESTIONS) :]
    for name, times in (("for the first time", first), ("again", again)):
        if times:
            print(
                f"warm, {len(QUESTIONS)} questions {name}: p50 {statistics.median(times):.0f} ms, "
                f"p95 {percentile(times, 0.95):.0f} ms"
            )
    for step, spent_ in steps.items():
        print(f"  {step:<9} p50 {statistics.median(spent_):7.2f} ms")
    print(f"  LangGraph and the last step: p50 {statistics.median(seconds):.2f} ms a step")


def cold(index: str | None, rounds: int) -> None:
    ask = [str(Path(sys.executable).with_name("anamnesis")), "ask", QUESTIONS[0]]
    if index:
        ask += ["--index", index]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import langgraph.graph": [sys.executable, "-c", "import langgraph.graph"],
        "import graph": [sys.executable, "-c", "import graph"],
        "anamnesis --help": [ask[0], "--help"],
        "anamnesis ask": ask,
    }
    for name, command in commands.items():
        times = []
        for _ in range(rounds + 1):
            start = time.perf_counter()
            subprocess.run(command, check=False, capture_output=True)
            times.append(time.perf_counter() - start)
        print(f"cold, {name}: median {statistics.median(times[1:]):.2f} s")


def main() -> None:
    options = command_line(__doc__)
    options.add_argument("--index")
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    warm(given.index, given.rounds)
    cold(given.index, given.rounds)


if __name__ == "__main__":
    main()
