"""Attempts of callers to get keys, unsafe settings, paths, other users' data, or access."""

import json
import random
import statistics
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt

from app.users.identity import user_of
from app.users.tokens import tokens_file
from benchmarks.attacks.world import (
    PATIENT,
    QUESTION,
    SERVER_KEY,
    World,
    ask,
    callers,
    command_line,
    new_thread,
    require,
    run_of,
    wait_until,
)
from tests.app.accounts import client, everything_of, filled
from tests.app.refused import closed_settings, refused
from tests.app.users.test_oidc import forged
from tests.listening import listening


def the_operators_key_by_an_address(world: World) -> None:
    """The attacker's own ``base_url``, in every place where a setting can be given."""
    with listening() as attacker, world.client() as http:
        settings = {
            name: value
            for name, value in closed_settings(attacker.url, Path("/etc")).items()
            if name in ("generator.model", "verification.critic")
        }
        try:
            list(refused(http, settings))
        except AssertionError as error:
            require(False, str(error)[:300])
        require(not attacker.received, f"the attacker received {attacker.received[:1]}")
        # If the operator offers such a model, its key is not sent to another address.
        model = f"openai:x?base_url={attacker.url}"
        with world.policy(callers=callers(**{"generator.model": [model]}), patient_words=[model]):
            ask(http, QUESTION, **{"generator.model": model})
        require(attacker.received, "the offered model was not asked")
        require(SERVER_KEY not in str(attacker.received), "the offered model got the server's key")


def paths_and_checks_of_the_callers_choice(world: World) -> None:
    """Arbitrary index, reranker, critic and model; no critic, and thresholds of 0."""
    with world.client() as http:
        paths = dict.fromkeys(("index", "retrieval.reranker", "verification.critic"), "/etc")
        checks = {
            "verification.critic": None,
            "verification.min_probability": 0,
            "retrieval.min_relevance": 0,
            "loop.max_rounds": 10,
        }
        for name, value in [*paths.items(), *checks.items(), ("generator.model", "hf:/etc"),
                            ("generator.model", "package:os"), ("preset", "mark")]:  # fmt: skip
            answered = ask(http, QUESTION, **{name: value})  # type: ignore[arg-type]
            require(answered["status"] == 403, f"{name}={value}: {str(answered)[:200]}")
            require(f"'{name}'" in str(answered), f"{name} is not named: {str(answered)[:200]}")


def anothers_run_under_ones_own_thread(world: World) -> None:
    """Deleted, cancelled, joined and used as a checkpoint, with the attacker's own thread id."""
    with world.client() as ann, world.client() as eve:
        theirs, thread = new_thread(ann), new_thread(eve)
        ask(ann, QUESTION, theirs)
        [run] = [found["run_id"] for found in ann.get(f"/threads/{theirs}/runs").json()]
        before = ann.get(f"/threads/{theirs}/history").json()
        point = ann.get(f"/threads/{theirs}/state").json()["checkpoint"]["checkpoint_id"]
        place = f"/threads/{thread}/runs"
        cancelled = {"thread_id": thread, "run_ids": [run]}
        for method, path, sent in (
            ("DELETE", f"{place}/{run}", None),
            ("POST", f"{place}/{run}/cancel?action=rollback", None),
            ("GET", f"{place}/{run}/join", None),
            ("POST", "/runs/cancel?action=rollback", cancelled),
            ("POST", f"{place}/wait", {**run_of(QUESTION), "checkpoint_id": point}),
            ("DELETE", f"/threads/{theirs}", None),
            ("GET", f"/threads/{theirs}/state", None),
            ("GET", f"/threads/{theirs}/history", None),
        ):
            text = eve.request(method, path, json=sent).text
            require(
                "wheez" not in text.lower() or "checkpoint_id" in str(sent), f"{path} reveals it"
            )
        after = ann.get(f"/threads/{theirs}/history").json()
        require(before and after == before, f"the thread has {len(after)} of {len(before)} states")


def all_that_another_has(world: World) -> None:
    """Another user's objects by id: threads, runs, memories, traces, crons, items, feedback."""
    token = world.token("victim")
    with client(world.server, token) as ann, world.client() as eve:
        ids = filled(ann, "zebrafish")
        before = everything_of(ann, ids)
        thread = f"/threads/{ids['thread_id']}"
        paths = [thread, f"{thread}/runs/{ids['run_id']}",
                 f"/memories/{ids['id']}", f"/traces/{ids['run']}", f"/runs/crons/{ids['cron_id']}",
                 f"/assistants/{ids['assistant_id']}"]  # fmt: skip
        for path in paths:
            for method in ("GET", "DELETE", "PATCH", "POST"):
                answered = eve.request(
                    method, path, json={"text": "x"} if method[0] == "P" else None
                )
                fine = answered.status_code >= 400 and answered.status_code < 500
                require(fine or answered.text in ("[]", "null"), f"{method} {path}: {answered}")
                require("zebrafish" not in answered.text, f"{method} {path} reveals it")
        asked: dict[str, Any] = {"namespace_prefix": []}
        for path in ("/threads/search", "/runs/crons/search", "/store/items/search"):
            require("zebrafish" not in eve.post(path, json=asked).text, f"{path} reveals it")
        for path in ("/memories", "/memories/export", "/traces", "/feedback", "/audit"):
            text = eve.get(path, params={"user": "victim"}).text
            require("zebrafish" not in text, f"{path} reveals it")
        require(everything_of(ann, ids) == before, "something of hers was changed")


def tokens_that_are_none(world: World) -> None:
    """Expired, revoked, without an algorithm, signed with the public key, for another audience."""
    expired = world.token("late")
    kept = json.loads(tokens_file().read_text())
    kept[-1]["expires"] = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    tokens_file().write_text(json.dumps(kept))
    now = time.time()
    claims = {"iss": "https://login.example/realm", "aud": "anamnesis", "sub": "ann",
              "exp": now + 3600, "iat": now}  # fmt: skip
    none = jwt.encode(claims, None, "none", headers={"kid": world.signer.kid})  # type: ignore[arg-type]
    shared = forged(world.signer, "HS256", json.dumps(world.signer.public).encode())
    with world.client(world.signer.sign()) as http:
        status = http.get("/memories").status_code
        require(status == 200, f"the provider's own token: {status}")
    wrong = {
        "expired": expired,
        "alg none": none,
        "signed with the public key": shared,
        "another audience": world.signer.sign({"aud": "other"}),
        "another issuer": world.signer.sign({"iss": "https://evil.example"}),
        "expired JWT": world.signer.sign({"exp": now - 3600}),
        "altered": world.signer.sign()[:-8] + "AAAAAAAA",
    }
    for what, token in wrong.items():
        for header in ({"authorization": f"Bearer {token}"}, {"x-api-key": token}):
            with world.client("", **header) as http:
                status = http.get("/memories").status_code
                require(status in (401, 429), f"{what}: {status}")


def times_of_tokens_tell_nothing(world: World) -> None:
    """Wrong tokens with the prefix of a right one take as long as others, by a sign test."""
    right = world.token("timed")
    like, unlike = right[:-1] + ("A" if right[-1] != "A" else "B"), "Z" * len(right)
    slower, pairs, spent = 0, 3000, []
    rng = random.Random(1)
    for _ in range(pairs):
        taken = {}
        for token in rng.sample([like, unlike], 2):
            start = time.perf_counter_ns()
            user_of(token)
            taken[token] = time.perf_counter_ns() - start
        slower += taken[like] > taken[unlike]
        spent.append(taken[like] - taken[unlike])
    # Four standard errors: one such test in 16,000 fails by chance.
    far = abs(slower - pairs / 2) / (pairs**0.5 / 2)
    difference = statistics.median(spent) / 1000
    require(far < 4, f"slower in {slower} of {pairs} pairs, by {difference:.2f} µs")


def three_hundred_wrong_tokens(world: World) -> None:
    """As fast as possible; a known user is not affected."""
    with world.client() as known:
        # After other attacks this address may still have to wait.
        wait_until(lambda: known.get("/memories").status_code == 200, "a right token to count")
        tried = []
        for number in range(300):
            with world.client(f"wrong-{number}") as http:
                tried.append(http.get("/memories").status_code)
        require(set(tried) <= {401, 429}, f"answered {sorted(set(tried))}")
        require(tried.count(401) < 30, f"{tried.count(401)} of 300 were looked at")
        require(known.get("/memories").status_code == 200, "a right token is shut out")
    logins = []
    with world.client("") as http:
        for number in range(30):
            logins.append(http.post("/app/login", data={"token": f"x{number}"}).status_code)
    require(not [item for item in logins if item not in (401, 403, 429)], f"logins: {logins[:20]}")
    world.restart()  # otherwise new tokens from this address would have to wait


def wrong_tokens_by_other_ways(world: World) -> None:
    """In another header, and in the page's cookie, as fast as possible."""
    for what, header in (
        ("cookie", lambda guess: {"cookie": f"anamnesis_token={guess}"}),
        ("x-api-key", lambda guess: {"authorization": "Basic x", "x-api-key": guess}),
        ("cookie behind another", lambda guess: {"cookie": f'a"b=c; anamnesis_token={guess}'}),
    ):
        tried = []
        with world.client("") as http:
            for number in range(200):
                answered = http.get("/app/", headers=header(f"{what}-{number}"))
                tried.append(answered.status_code)
        require(tried.count(429) > 150, f"{what}: of 200 {tried.count(429)} were slowed down")
    world.restart()  # otherwise new tokens from this address would have to wait


def an_altered_audit_log(world: World) -> None:
    """The server's log is intact, has no words of a patient, and an alteration is detected."""
    with world.client() as http:
        ask(http, f"I am {PATIENT} and I have asthma. What are its symptoms?")
    files = sorted((world.home / "audit").glob("[0-9]*.jsonl"))
    ended = command_line(world.home, "audit", "verify")
    require(ended.returncode == 0, f"as it is: {ended.stdout[-200:]}{ended.stderr[-200:]}")
    text = files[0].read_bytes()
    require(PATIENT.split()[0].encode() not in text, "it holds a patient's words")
    lines = text.splitlines(keepends=True)
    altered = text.replace(b'"actor": "operator"', b'"actor": "nobodyyy"', 1)
    if altered == text:
        altered = text.replace(b'"action": "ask"', b'"action": "not"', 1)
    kinds = {
        "altered": altered,
        "taken out": b"".join(lines[:2] + lines[3:]),
        "cut off": b"".join(lines[:-1]),
        "exchanged": b"".join([lines[1], lines[0], *lines[2:]]),
    }
    try:
        for what, damaged in kinds.items():
            files[0].write_bytes(damaged)
            ended = command_line(world.home, "audit", "verify")
            require(ended.returncode == 1, f"an entry {what}: not noticed")
    finally:
        files[0].write_bytes(text)


ATTACKS = [
    the_operators_key_by_an_address, paths_and_checks_of_the_callers_choice,
    anothers_run_under_ones_own_thread, all_that_another_has, times_of_tokens_tell_nothing,
    an_altered_audit_log, tokens_that_are_none, three_hundred_wrong_tokens,
    wrong_tokens_by_other_ways,
]  # fmt: skip
