"""The server's performance with many simultaneous users.

    python -m benchmarks.serving [--index DIR] [--users 20] [--turns 2] [--jobs 4]

A server runs in a separate folder, with a token for each user. Ready: from its start to the first
response on /ok, and on the first route of ours. One user: from a question to the first progress
event, compared with the graph alone. Then all users ask at the same time, each a different question
in a separate thread, and a follow-up after the answer; every first answer is compared with that of
the graph in this process, to detect an answer sent to another user.
"""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk import get_sync_client

from app.users.tokens import add_token
from benchmarks.answer import percentile
from benchmarks.command_line import command_line
from benchmarks.questions import QUESTIONS

ROOT = Path(__file__).parents[1]
FOLLOW_UP = "How is it treated?"


@contextmanager
def served(home: Path, jobs: int, token: str) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [
        str(Path(sys.executable).with_name("langgraph")), "dev", "--no-browser", "--no-reload",
        "--port", str(port), "--config", str(ROOT / "langgraph.json"),
        "--n-jobs-per-worker", str(jobs),
    ]  # fmt: skip
    environment = {
        **os.environ,
        "ANAMNESIS_HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "1",
        "LANGSMITH_TRACING": "false",
    }
    start = time.perf_counter()
    with (home / "server.log").open("w") as out:
        process = subprocess.Popen(command, cwd=home, env=environment, stdout=out, stderr=out)
    try:
        while True:
            try:
                httpx.get(f"{address}/ok").raise_for_status()
                break
            except httpx.TransportError:
                if process.poll() is not None:
                    sys.exit((home / "server.log").read_text()[-3000:])
                time.sleep(0.02)
        up = time.perf_counter()
        headers = {"authorization": f"Bearer {token}"}
        httpx.get(f"{address}/health", headers=headers, timeout=60).raise_for_status()
        print(
            f"ready: /ok {up - start:.1f} s after the start, "
            f"/health {(time.perf_counter() - up) * 1000:.0f} ms later"
        )
        yield address
    finally:
        process.terminate()
        process.wait(30)


def client(address: str, token: str) -> Any:
    return get_sync_client(url=address, headers={"Authorization": f"Bearer {token}"}, timeout=600)


def first_events(address: str, token: str) -> None:
    """Times to the first events, with one user and loaded models."""
    from graph import graph

    asked: dict[str, list[float]] = {"taken up": [], "first progress": [], "whole": []}
    alone: list[float] = []
    http = client(address, token)
    for question in QUESTIONS:
        start, seen = time.perf_counter(), set()
        for event in http.runs.stream(
            None, "anamnesis", input={"question": question}, stream_mode="custom"
        ):
            name = "first progress" if event.event == "custom" else "taken up"
            if name not in seen:
                asked[name].append((time.perf_counter() - start) * 1000)
                seen.add(name)
        asked["whole"].append((time.perf_counter() - start) * 1000)
        start = time.perf_counter()
        next(iter(graph.stream({"question": question}, stream_mode="custom")))
        alone.append((time.perf_counter() - start) * 1000)
    both = zip(asked["first progress"], asked["taken up"], strict=True)
    asked["first progress after it is taken up"] = [seen - taken for seen, taken in both]
    for name, times in {**asked, "the graph's first progress, no server": alone}.items():
        print(
            f"one user, {name}: p50 {statistics.median(times):.0f} ms, "
            f"p95 {percentile(times, 0.95):.0f} ms"
        )


def crowd(address: str, tokens: list[str], turns: int) -> None:
    from graph import graph

    questions = [QUESTIONS[number % len(QUESTIONS)] for number in range(len(tokens))]
    expected = {
        q: graph.invoke({"question": q})["answer"]["text"] for q in dict.fromkeys(questions)
    }
    together = threading.Barrier(len(tokens))

    def user(number: int) -> list[tuple[float, str]]:
        http, results = client(address, tokens[number]), []
        together.wait()
        thread = http.threads.create()["thread_id"]
        for turn in range(turns):
            asked = questions[number] if turn == 0 else FOLLOW_UP
            start = time.perf_counter()
            try:
                answer = http.runs.wait(thread, "anamnesis", input={"question": asked})["answer"]
            except Exception as error:
                results.append((time.perf_counter() - start, f"error: {error!r}"))
                continue
            right = answer["question"] == asked
            right &= turn > 0 or answer["text"] == expected[asked]
            results.append((time.perf_counter() - start, "" if right else "crossed"))
        mine = [found["thread_id"] for found in http.threads.search()]
        return [*results, (0.0, "" if mine == [thread] else "crossed thread")]

    start = time.perf_counter()
    with ThreadPoolExecutor(len(tokens)) as pool:
        results = list(pool.map(user, range(len(tokens))))
    wall = time.perf_counter() - start
    times = [spent for item in results for spent, _ in item[:-1]]
    wrong = [what for item in results for _, what in item if what]
    print(
        f"{len(tokens)} users at once, {turns} questions each: {len(times) / wall:.1f} answers a "
        f"second, p50 {statistics.median(times):.1f} s, p95 {percentile(times, 0.95):.1f} s; "
        f"{sum(what.startswith('error') for what in wrong)} errors, "
        f"{sum(what.startswith('crossed') for what in wrong)} crossed"
    )
    for what in wrong:
        print(f"  {what}")


def main() -> None:
    parser = command_line(__doc__, "index")
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=4, help="simultaneous runs of the server")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "index").symlink_to(given.index.absolute())
        os.environ["ANAMNESIS_HOME"] = str(home)
        tokens = [add_token(f"user{number}") for number in range(given.users + 1)]
        with served(home, given.jobs, tokens[-1]) as address:
            # The first question loads the models in both processes.
            client(address, tokens[-1]).runs.wait(
                None, "anamnesis", input={"question": "What is anemia?"}
            )
            first_events(address, tokens[-1])
            crowd(address, tokens[:-1], given.turns)


if __name__ == "__main__":
    main()
