"""An index that is poisoned, damaged, replaced during questions, or interrupted when built."""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from anamnesis.corpus.record import Record
from anamnesis.models.embedding import load_embedder
from benchmarks.attacks.world import (
    QUESTION,
    World,
    ask,
    command_line,
    in_background,
    require,
    wait_until,
)
from retrievers.build import build
from retrievers.index import Index
from retrievers.manifest import check_files, read_manifest
from tests.graph.test_poison import (
    ASTHMA,
    DIABETES,
    DOSE,
    EVERY_4_MINUTES,
    FIFTY_GRAMS,
    ORDER,
    RECORDS,
    STOP,
)

_MORE = """
import sys
from pathlib import Path
from anamnesis.corpus.record import Record
from anamnesis.models.embedding import load_embedder
from retrievers.build import build
records = [
    Record(f"more-{n}", "Cough", f"A cough of kind {n} lasts {n} days.", "", "More", focus="Cough")
    for n in range(int(sys.argv[2]))
]
build(records, Path(sys.argv[1]), load_embedder(), "more")
"""


def poisoned_records(world: World) -> None:
    """Orders, doses far above the maximum, and a stopped treatment, next to true statements."""
    folder = world.home / "poisoned"
    build(RECORDS, folder, load_embedder(), "poisoned")
    with world.client() as http, world.policy(settings={"index": str(folder)}):
        for question, poisons in (
            (DOSE, (EVERY_4_MINUTES, FIFTY_GRAMS)),
            (DIABETES, (ORDER,)),
            ("What does the forum say of insulin?", (ORDER,)),
        ):
            result = ask(http, question)
            require("answer" in result, str(result)[:200])
            shown = [item["text"] for item in result["answer"]["statements"]]
            for poison in poisons:
                require(poison not in shown, f"states {poison!r}")
                require(poison not in result["answer"]["text"], f"shows {poison!r}")
        result = ask(http, ASTHMA)
        alone = [entry for entry in result["answer"]["statements"] if entry["text"] == STOP]
        require(
            all(entry["conflict"] for entry in alone), f"{STOP!r} stands without the other source"
        )


def flipped_bytes(world: World) -> None:
    """At each of three places of ``passages.sqlite``: a one-line error, on server and CLI."""
    rng = random.Random(1)
    for number in range(3):
        data_folder = world.home / f"flipped-{number}"
        shutil.copytree(world.home / "index", data_folder / "index")
        [path] = data_folder.rglob("passages.sqlite")
        data = bytearray(path.read_bytes())
        for _ in range(50):
            data[rng.randrange(100, len(data))] ^= 0xFF
        path.write_bytes(data)
        with world.client() as http, world.policy(settings={"index": str(data_folder / "index")}):
            result = str(ask(http, QUESTION))
        require("Traceback" not in result, result[:200])
        require("'answer'" not in result, f"answered from it: {result[:200]}")
        if number:
            continue  # the command line takes seconds to start
        ended = command_line(data_folder, "ask", QUESTION)
        require(ended.returncode == 2, f"the command ended with {ended.returncode}")
        require(
            ended.stderr.count("\n") == 1,
            f"{ended.stderr.count(chr(10))} lines: {ended.stderr[:200]}",
        )
    world.others_are_answered()


def an_index_that_is_replaced_while_it_is_asked(world: World) -> None:
    """Two users ask all the time while records are added and removed six times."""
    folder = world.home / "changing"
    shutil.copytree(world.home / "index", folder)
    outcomes: list[str] = []
    over = threading.Event()

    def deed() -> None:
        with world.client() as http:
            while not over.is_set():
                outcomes.append(str(ask(http, QUESTION).get("answer", {}).get("outcome")))
                time.sleep(1)

    embedder = load_embedder()
    with world.policy(settings={"index": str(folder)}), in_background(deed), in_background(deed):
        try:
            wait_until(lambda: len(outcomes) >= 2, "the first answers")
            for number in range(6):
                kind = f"Cough {number}"
                records = [Record(f"c-{number}", kind, f"{kind} is a cough.", "", "C", focus=kind)]
                build(records if number % 2 == 0 else [], folder, embedder, "other")
                time.sleep(1)
            before = len(outcomes)
            wait_until(lambda: len(outcomes) >= before + 2, "answers after the last change")
        finally:
            over.set()
    require(set(outcomes) == {"answered"}, f"of {len(outcomes)}: {sorted(set(outcomes))}")


def kill_9_during_indexing(world: World) -> None:
    """Killed at five moments: the old index stays complete, and the next run finishes."""
    folder, rng = world.home / "killed", random.Random(2)
    shutil.copytree(world.home / "index", folder)
    start = ("-c", _MORE, str(folder))
    environment = {**os.environ, "ANAMNESIS_HOME": str(world.home)}
    cut = 0
    for _ in range(5):
        run = subprocess.Popen([sys.executable, *start, "300"], env=environment)
        _wait_for_change(folder, run)
        time.sleep(rng.uniform(0, 0.5))
        run.send_signal(signal.SIGKILL)
        cut += run.wait() != 0
        check_files(folder, read_manifest(folder), checksums=True)
        index = Index.open(folder)
        require(index.sparse(QUESTION, 3), "nothing is found after a kill")
        index.close()
    require(cut, "no run was killed before its end")
    ended = subprocess.run([sys.executable, *start, "20"], env=environment, check=False)
    require(ended.returncode == 0, f"the next run ended with {ended.returncode}")
    check_files(folder, read_manifest(folder), checksums=True)


def _wait_for_change(folder: Path, run: subprocess.Popen[bytes]) -> None:
    """Wait until the run has made a file or ended."""
    before = {item.name for item in folder.rglob("*")}
    wait_until(
        lambda: run.poll() is not None or {item.name for item in folder.rglob("*")} - before,
        "the run to write",
    )


def a_read_only_data_folder(world: World) -> None:
    """Whatever cannot be recorded is refused in one line, and the command line gives the reason."""
    data_folder = world.home / "read-only"
    shutil.copytree(world.home / "index", data_folder / "index")
    (data_folder / "models").symlink_to(world.home / "models")
    folders = [
        data_folder,
        *(path for path in data_folder.rglob("*") if path.is_dir() and not path.is_symlink()),
    ]
    for path in folders:
        path.chmod(0o500)
    try:
        for command in (["ask", QUESTION], ["ask", QUESTION, "--remember", "--user", "ann"],
                        ["token", "add", "ann"], ["audit", "verify"]):  # fmt: skip
            ended = command_line(data_folder, *command, under=_without_power())
            lines = ended.stderr.strip().splitlines()
            require("Traceback" not in ended.stderr, f"{command}: {ended.stderr[-300:]}")
            require(len(lines) <= 2, f"{command}: {len(lines)} lines: {ended.stderr[:300]}")
            if command[0] == "token":
                require(ended.returncode == 2, f"{command}: {ended.returncode}")
    finally:
        for path in folders:
            path.chmod(0o700)
    token, audit = world.token("unseen"), world.home / "audit"
    audit.rename(world.home / "moved")
    audit.write_text("")  # prevents a folder there, even for root
    try:
        with world.client(token) as http:
            result = str(ask(http, QUESTION))
            require("audit log" in result and "Traceback" not in result, result[:200])
            require(http.delete("/memories").status_code == 503, "deleted without a record")
    finally:
        audit.unlink()
        (world.home / "moved").rename(audit)
    world.others_are_answered()


def _without_power() -> list[str]:
    """A command prefix that drops root's rights, so that permissions apply; empty without root."""
    if os.geteuid() != 0:
        return []
    drop = "-dac_override,-dac_read_search,-fowner"
    return ["setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}"]


ATTACKS = [
    poisoned_records, flipped_bytes, an_index_that_is_replaced_while_it_is_asked,
    kill_9_during_indexing, a_read_only_data_folder,
]  # fmt: skip
