"""Kills of the server (SIGKILL) at moments of its work, and the state afterwards."""

import random
import time
from collections import Counter

from app.server.starts import runs_file
from benchmarks.attacks.world import (
    QUESTION,
    World,
    ask,
    ended,
    new_thread,
    require,
    run_of,
    wait_until,
)
from benchmarks.deletion import holding, kills
from tests.endpoint import endpoint


def a_run_that_kills_the_server(world: World) -> None:
    """Killed twice during the same run: at the third start the server gives it up and continues."""
    with endpoint("silent") as silent, world.generator(silent.reference):
        token = world.token("killer")
        with world.client(token) as http:
            thread = new_thread(http)
            sent = run_of(QUESTION)
            run = http.post(f"/threads/{thread}/runs", json=sent).json()["run_id"]
            # A change by a request is written to disk, including the list of runs.
            http.delete(f"/threads/{new_thread(http)}")
        for number in (1, 2):
            wait_until(lambda n=number: silent.asked >= n, f"start {number} of the run", 90)
            world.restart()
        with world.client(token) as http:
            status = ended(http, thread, run)
        require(status == "error", f"the third start: {status}")
        require(silent.asked == 2, f"the model was asked {silent.asked} times")
    require(runs_file().stat().st_size, "no start was noted")
    world.others_are_answered()


def kill_9_during_a_run(world: World) -> None:
    """The run is resumed and ends; its thread can be read and continued."""
    token = world.token("cut off")
    with world.client(token) as http:
        thread = new_thread(http)
        ask(http, "What is gout?", thread)
    with endpoint("drip") as slow, world.generator(slow.reference):
        with world.client(token) as http:
            run = http.post(f"/threads/{thread}/runs", json=run_of(QUESTION)).json()["run_id"]
            http.delete(f"/threads/{new_thread(http)}")
        wait_until(lambda: slow.asked, "the run", 90)
        world.restart()
        with world.client(token) as http:
            status = ended(http, thread, run)
            require(status == "success", f"the run: {status}")
    with world.client(token) as http:
        messages = [item["content"] for item in ask(http, "How is it treated?", thread)["messages"]]
        asked_for = [item for item in messages if item in ("What is gout?", QUESTION)]
        require(asked_for == ["What is gout?", QUESTION], f"the thread has {messages[::2]}")


def kill_9_during_remember(world: World) -> None:
    """At two moments after asking for an exchange to be stored: stored once or not at all."""
    rng = random.Random(4)
    for _ in range(2):
        token = world.token(f"kept {rng.random()}")
        word = f"w{rng.getrandbits(64):x}"
        with world.client(token) as http:
            thread = new_thread(http)
            question = f"I have asthma and {word}. What are its symptoms?"
            ask(http, question, memory={"consent": True})  # loads all models that are needed
            http.delete("/memories")
            thread = new_thread(http)
            run = run_of(question, memory={"consent": True})
            run_id = http.post(f"/threads/{thread}/runs", json=run).json()["run_id"]
            http.delete(f"/threads/{new_thread(http)}")
        time.sleep(rng.uniform(0, 2))
        world.restart()
        with world.client(token) as http:
            ended(http, thread, run_id)
            answered = http.get("/memories")
            require(answered.status_code == 200, f"the memories: {answered.status_code}")
            kept = Counter((item["kind"], item["text"]) for item in answered.json())
            require(
                all(times == 1 for times in kept.values()),
                f"kept {max(kept.values(), default=0)} times",
            )
            http.delete("/memories")
        left = holding(world.home, word, "all")
        require(not left, f"after its deletion the word is in {left}")


def deleted_words_after_a_kill(world: World) -> None:
    """All data of a user, and a thread, deleted while runs are in progress; killed soon after."""
    rng = random.Random(6)
    for held in kills(world.server, ["all", "thread", "all"], rng, world.token("deleter")):
        require(held.before, "the word was nowhere before the deletion")
        require(not held.after, f"{held.kind}, {held.seconds:.1f} s after: in {held.after}")


ATTACKS = [
    a_run_that_kills_the_server, kill_9_during_a_run, kill_9_during_remember,
    deleted_words_after_a_kill,
]  # fmt: skip
