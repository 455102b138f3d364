"""Whether deleted data stays deleted if the server is killed at any later moment.

    python -m benchmarks.deletion [--index DIR] [--kills 20] [--seed 1]

A server runs in a separate folder, with traces. For each kill a user asks a question with a unique
word, queues four more such questions, and has all of it deleted while they run: by name on a server
without tokens, then with a token everything, or one thread. After the response to the deletion, the
server is killed (SIGKILL) at a random moment within two seconds and started again; once it is idle,
every byte of the data folder is searched for the word. Printed: one line per kill, held or broke,
with the files that contain the word.
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol
from uuid import uuid4

import httpx

from app.users.tokens import add_token
from benchmarks.command_line import command_line

Kind = Literal["name", "all", "thread"]
_QUEUED = 4
_PATIENCE = 60  # seconds for a restarted server to be idle


class Server(Protocol):
    """A server that can be killed; see ``tests.app.server_process``."""

    home: Path
    address: str

    def start(self) -> None: ...  # noqa: D102
    def kill(self) -> None: ...  # noqa: D102


class KillResult(NamedTuple):
    """The result of a kill: the files that contained the word before, and after."""

    kind: Kind
    seconds: float
    before: list[str]
    after: list[str]


def kills(
    server: Server, kinds: Sequence[Kind], rng: random.Random, token: str | None = None
) -> Iterator[KillResult]:
    """Kill the server once for each kind of deletion; ``token`` is not used for ``name``."""
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    for kind in kinds:
        word, user = f"w{uuid4().hex}", f"u{uuid4().hex}"
        with httpx.Client(base_url=server.address, headers=headers, timeout=120) as http:
            thread = _ok(http.post("/threads", json={}))["thread_id"]
            run = {
                "assistant_id": "anamnesis",
                "input": {"question": f"I have {word} and asthma. What are its symptoms?"},
                # A token identifies the user of the run.
                "context": {"memory.consent": True, **({} if token else {"user": user})},
                "multitask_strategy": "enqueue",
            }
            _ok(http.post(f"/threads/{thread}/runs/wait", json=run))
            for _ in range(_QUEUED):
                _ok(http.post(f"/threads/{thread}/runs", json=run))
            time.sleep(rng.uniform(0, 1))
            before = holding(server.home, word, kind)
            deleted = {"name": f"/memories?user={user}", "thread": f"/threads/{thread}"}
            _ok(http.delete(deleted.get(kind, "/memories")))
        instant = rng.uniform(0, 2)
        time.sleep(instant)
        server.kill()
        server.start()
        with httpx.Client(base_url=server.address, headers=headers, timeout=120) as http:
            _idle(http)
        yield KillResult(kind, instant, before, holding(server.home, word, kind))


def holding(home: Path, word: str, kind: Kind) -> list[str]:
    """The files of a data folder that contain the word, among those that this deletion covers.

    Without tokens the user of a thread is unknown; and deleting a thread does not delete memories.
    """
    found = []
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        kept = name.startswith(("memory", "traces"))
        if kind != "all" and kept == (kind == "thread"):
            continue
        linked = any(part.is_symlink() for part in (path, *path.parents))
        if not linked and path.is_file() and path.suffix != ".log":
            try:
                if word.encode() in path.read_bytes():
                    found.append(name)
            except FileNotFoundError:  # deleted in the meantime
                continue
    return found


def _idle(http: httpx.Client) -> None:
    time.sleep(1)  # it looks for runs twice a second
    for _ in range(_PATIENCE):
        asked = _ok(http.post("/threads/search", json={"status": "busy", "limit": 100}))
        if not asked:
            return
        time.sleep(1)


def _ok(answered: httpx.Response) -> Any:
    answered.raise_for_status()
    return answered.json() if answered.content else None


def main() -> None:
    parser = command_line(__doc__, "index")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    from tests.app.server_process import serving

    rng, broke = random.Random(given.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "index").symlink_to(given.index.absolute())
        os.environ["ANAMNESIS_HOME"] = str(home)
        by_name = given.kills // 3
        kinds: list[Kind] = ["name"] * by_name
        (home / "server").mkdir()
        with serving(home, home / "server", ANAMNESIS_TRACES="1") as server:
            for part in (1, 2):
                token = add_token("ann") if part == 2 else None
                if token:
                    kinds = [rng.choice(("all", "thread")) for _ in range(given.kills - by_name)]
                for held in kills(server, kinds, rng, token):
                    broke += bool(held.after)
                    outcome = f"broke: {', '.join(held.after)}" if held.after else "held"
                    print(
                        f"{held.kind}: killed {held.seconds:.2f} s after the answer; the word was "
                        f"in {len(held.before)} files; {outcome}",
                        flush=True,
                    )
    print(f"{given.kills - broke} of {given.kills} held")
    sys.exit(bool(broke))


if __name__ == "__main__":
    main()
