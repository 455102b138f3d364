"""Requests that are too long, too deep, too many, or from another site."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx

from benchmarks.attacks.world import (
    QUESTION,
    World,
    ask,
    ended,
    in_background,
    new_thread,
    require,
    run_of,
    sent_raw,
)

ELSEWHERE = ("https://evil.example", "http://localhost.evil.example", "null")


def memory(world: World) -> int:
    """The server's peak memory, in MB."""
    status = Path(f"/proc/{world.server.process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def question_of_50_mb(world: World) -> None:
    """50 MB, with and without a declared length."""
    before = memory(world)
    body = json.dumps(run_of("a " * 25_000_000)).encode()

    def parts() -> Iterator[bytes]:
        for start in range(0, len(body), 65_536):
            yield body[start : start + 65_536]

    with world.client() as http:
        for content in (body, parts()):
            try:
                status = http.post("/runs/wait", content=content).status_code
            except httpx.TransportError:
                continue  # the server closed the connection while it was sent
            require(status == 413, f"answered {status}")
    world.others_are_answered()
    grown = memory(world) - before
    require(grown < 200, f"the server grew by {grown} MB")


def questions_of_1_mb_and_200_000_characters(world: World) -> None:
    """Each as a question, and as a message."""
    with world.client() as http:
        for length in (1_000_000, 200_000, 4_001):
            text = "asthma " * (length // 7 + 1)
            start = time.monotonic()
            result = ask(http, text[:length])
            spent = time.monotonic() - start
            require(result["status"] in (413, 422), f"{length} characters: {str(result)[:200]}")
            require(spent < 10, f"{length} characters took {spent:.0f} s")
            sent = {"messages": [{"role": "user", "content": text[:length]}]}
            run = {"assistant_id": "anamnesis", "input": sent}
            answered = http.post("/runs/wait", json=run)
            refused = answered.status_code in (413, 422) or "LimitError" in answered.text
            require(refused, f"a message of {length} characters: {answered.text[:200]}")
    world.others_are_answered()


def a_pattern_that_takes_for_ever(world: World) -> None:
    """The question that was slow, in full and at the maximum length, and similar ones."""
    pieces = ("(", " so", "1 mg ", "a.", "-")
    hostile = ["(" * 100_000, *(item * (4000 // len(item)) for item in pieces)]
    times: list[float] = []

    def deed() -> None:
        with world.client() as http:
            for text in hostile:
                start = time.monotonic()
                ask(http, text)
                times.append(time.monotonic() - start)

    with in_background(deed):
        for _ in range(3):
            world.others_are_answered(30)
    require(len(times) == len(hostile), "one never ended")
    require(max(times) < 60, f"one took {max(times):.0f} s")


def deep_json_nul_and_half_characters(world: World) -> None:
    """On routes of both kinds, and in a question; none causes a server error."""
    bodies = [
        b'{"a":' * 2000, b"[" * 100_000, b'{"a": "\\u0000"}', b'{"a": "\\ud800"}', b'{"a": "\xff"}',
        b"\x00", b"{", b"[1]", b"null", b'{"a": 1e999}', b'{"a": ' + b"9" * 5000 + b"}",
    ]  # fmt: skip
    with world.client() as http:
        thread = new_thread(http)
        paths = ["/threads", "/runs/wait", "/feedback", "/memories/x/rating", "/assistants/search"]
        paths += [f"/threads/{thread}/state", f"/threads/{thread}/runs/wait", "/store/items/search"]
        for path in paths:
            for body in bodies:
                header = {"content-type": "application/json"}
                status = http.post(path, content=body, headers=header).status_code
                require(status < 500, f"{path} with {body[:12]!r}: {status}")
        for text in ("asthma\x00", "asthma\ud800"):
            run = json.dumps(run_of(text)).encode()
            status = http.post("/runs/wait", content=run).status_code
            require(status == 400, f"a question with {text[6:]!r}: {status}")
        require(http.get("/threads/%00").status_code < 500, "a NUL in the address: a fault")
    world.others_are_answered()


def a_state_without_a_route(world: World) -> None:
    """The state of a thread is set so that no step can follow."""
    with world.client() as http:
        body = {"graph_id": "anamnesis"}
        thread = http.post("/threads", json=body).json()["thread_id"]
        for step in ("screen", "rerank", "verify", "nowhere", None):
            sent: dict[str, Any] = {"values": {"topic": "x"}, **({"as_node": step} if step else {})}
            status = http.post(f"/threads/{thread}/state", json=sent).status_code
            require(status < 500, f"as {step}: {status}")


def commands_to_the_graph(world: World) -> None:
    """Bypassing the limits with a command, a reply to an interrupt, and a written state."""
    long = {"queries": ["asthma " * 128_000]}
    endless = {"goto": "screen", "update": {"question": QUESTION, "started": 1e15}}
    many = {"goto": [{"node": "screen", "input": {"question": QUESTION}}] * 2000}
    with world.client() as http:
        body = {"metadata": {"graph_id": "anamnesis"}}
        thread = http.post("/threads", json=body).json()["thread_id"]
        for command in ({"update": long, "goto": "retrieve"}, endless, many):
            run = {"assistant_id": "anamnesis", "command": command}
            start = {"id": 1, "method": "run.start", "params": run}
            params = {"interrupt_id": "x", "response": "", **command}
            reply = {"id": 1, "method": "input.respond", "params": params}
            for path, sent in (
                ("/runs", run),
                ("/runs/batch", [run]),
                (f"/threads/{thread}/runs", run),
                (f"/threads/{thread}/commands", start),
                (
                    f"/threads/{thread}/commands",
                    {**start, "method": "input.respond", "params": reply},
                ),
            ):
                status = http.post(path, json=sent).status_code
                require(status == 422, f"{path} with {str(command)[:50]}: {status}")
        drafted = {"draft": {"statements": [{"text": "x"}] * 2000}}
        for values, node in (
            (long, "screen"),
            ([[long, "screen"]], "__copy__"),
            (drafted, "generate"),
        ):
            written: dict[str, Any] = {"values": values, "as_node": node}
            status = http.post(f"/threads/{thread}/state", json=written).status_code
            require(status in (403, 422), f"a state as {node}: {status}")
        nested = {"runs": [{"input": {"question": "a" * 4001}}]}
        require(http.post("/runs/batch", json=nested).status_code == 422, "a nested input")
        require(http.get(f"/threads/{thread}/runs").json() == [], "a run was started")
    world.others_are_answered()


def files_through_the_page(world: World) -> None:
    """Files of the server's disk through the page's routes, and paths with '..'."""
    secret = (world.home / "tokens.json").read_text()[:40]
    paths = [f"/app/gradio_api/file={item}" for item in (world.home / "tokens.json", "/etc/passwd")]
    paths += ["/app/file=/etc/passwd", "/app/gradio_api/file=../tokens.json"]
    paths += ["/evidence/..%2f..%2ftokens.json", "/traces/..%2f..%2ftokens.json"]
    for token in (None, ""):
        with world.client(token) as http:
            for path in paths:
                answered = http.get(path)
                message = f"{path}: {answered.status_code}"
                require(answered.status_code < 500, message)
                require(secret not in answered.text and "root:" not in answered.text, message)


def another_sites_page(world: World) -> None:
    """CORS: pages of other origins can read nothing, with or without a token."""
    for token in (None, ""):
        with world.client(token) as http:
            for origin in ELSEWHERE:
                head = {"origin": origin, "access-control-request-method": "GET"}
                answers = [http.options("/memories", headers=head)]
                answers += [http.get(item, headers=head) for item in ("/memories", "/app/", "/ok")]
                answers.append(http.post("/threads/search", json={}, headers=head))
                for answered in answers:
                    allowed = answered.headers.get("access-control-allow-origin")
                    require(allowed is None, f"{origin} may read {answered.url.path}: {allowed}")


def what_is_personal_is_not_stored_on_the_way(world: World) -> None:
    """``Cache-Control: no-store`` on all personal responses."""
    with world.client() as http:
        thread = new_thread(http)
        paths = (f"/threads/{thread}{end}" for end in ("", "/state", "/history"))
        for path in ("/memories", "/memories/export", "/traces", "/feedback", "/app/", *paths):
            header = http.get(path).headers.get("cache-control")
            require(header == "no-store", f"{path}: {header}")


def a_flood_of_streams(world: World) -> None:
    """100 streams that one user opens and keeps open, while another user asks."""
    refused = 0
    with world.client() as http, ExitStack() as open_ones:
        for thread in [new_thread(http) for _ in range(100)]:
            answered = open_ones.enter_context(http.stream("GET", f"/threads/{thread}/stream"))
            refused += answered.status_code == 429
        world.others_are_answered()
    require(refused >= 100 - 64, f"of 100 streams {100 - refused} were opened")
    world.others_are_answered()


def slow_readers_and_slow_writers(world: World) -> None:
    """30 connections that never read their stream, and 30 whose request never ends."""
    with ExitStack() as held:
        with world.client() as http:
            head = f"Authorization: {http.headers['authorization']}\r\nHost: 127.0.0.1\r\n"
        body = json.dumps({**run_of(QUESTION), "stream_mode": ["values", "debug"]})
        for number in range(60):
            length = len(body) if number < 30 else len(body) + 100
            text = (
                f"POST /runs/stream HTTP/1.1\r\n{head}Content-Type: application/json\r\n"
                f"Content-Length: {length}\r\n\r\n{body}"
            )
            held.enter_context(sent_raw(world, text.encode()))
        world.others_are_answered(90)
        # Requests that never end are closed.
        slow = held.enter_context(sent_raw(world, text.encode()))
        slow.settimeout(30)
        got = slow.recv(100)
        require(b" 408 " in got or b" 429 " in got, f"a request that never ends: {got[:50]!r}")


def more_runs_than_a_user_may_have(world: World) -> None:
    """200 simultaneous runs of one user: most are refused, and another user is answered."""
    statuses: list[int] = []
    lock = threading.Lock()
    with world.client() as http:

        def deed() -> None:
            for _ in range(25):
                status = http.post("/runs", json=run_of(QUESTION)).status_code
                with lock:
                    statuses.append(status)

        with ExitStack() as crowd:
            for _ in range(8):
                crowd.enter_context(in_background(deed))
            world.others_are_answered(60)
    require(set(statuses) <= {200, 429}, f"answered {sorted(set(statuses))}")
    require(statuses.count(200) <= 60, f"{statuses.count(200)} runs of one user were taken in")


def a_question_of_all_there_is(world: World) -> None:
    """As many options, messages and settings as a request can hold."""
    with world.client() as http:
        thread = new_thread(http)
        for sent in (
            {"question": QUESTION, "options": ["x"] * 999},
            {"messages": [{"role": "user", "content": "asthma"}] * 5000},
            {"question": [QUESTION] * 1000},
            {"messages": [{"role": "tool", "content": {"a": [[["b"]]]}}]},
        ):
            run = {"assistant_id": "anamnesis", "input": sent}
            answered = http.post(f"/threads/{thread}/runs", json=run)
            require(answered.status_code < 500, f"{str(sent)[:60]}: {answered.status_code}")
            if answered.is_success:
                ended(http, thread, answered.json()["run_id"])
    world.others_are_answered()


ATTACKS = [
    question_of_50_mb, questions_of_1_mb_and_200_000_characters, a_pattern_that_takes_for_ever,
    deep_json_nul_and_half_characters, a_state_without_a_route,
    commands_to_the_graph, files_through_the_page,
    another_sites_page, what_is_personal_is_not_stored_on_the_way, a_flood_of_streams,
    slow_readers_and_slow_writers, more_runs_than_a_user_may_have, a_question_of_all_there_is,
]  # fmt: skip
