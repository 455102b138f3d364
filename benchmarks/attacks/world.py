"""A server with limited memory, its users, and the models named by attackers or operators."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from app.users.tokens import Role, add_token
from nodes.policy import Policy
from tests.app.provider import AUDIENCE, ISSUER, Signer, rs256
from tests.app.server_process import Server
from tests.listening import Listener

QUESTION = "What are the symptoms of asthma?"
SERVER_KEY = "sk-the-operators-own-key-0123456789"
WARD_KEY = "sk-the-key-of-the-ward-0123456789"
PATIENT = "Henrietta Quillfeather"
MEMORY = 3 * 1024**3
"""Bytes of address space of the server; about 2 GB are in use after loading the models."""
LIMITS = {
    "ANAMNESIS_LIMIT_MODEL_READ_TIMEOUT": "5",
    "ANAMNESIS_LIMIT_MODEL_TIMEOUT": "8",
    "ANAMNESIS_LIMIT_BODY_TIMEOUT": "5",
    "ANAMNESIS_LIMIT_SEND_TIMEOUT": "5",
}
"""Shorter times than the defaults; otherwise the attacks would take an hour."""
_TOKENS = threading.Lock()  # only one can be made at a time


class BrokeError(Exception):
    """An attack succeeded; the message says how."""


Attack = Callable[["World"], None]


def require(held: object, message: str) -> None:
    """Raise BrokeError with the observation unless it held."""
    if not held:
        raise BrokeError(message)


class World:
    """The target of the attacks: a server, its data folder, and a provider of models."""

    def __init__(self, home: Path, index: Path, listener: Listener) -> None:
        self.home, self.listener = home, listener
        (home / "server").mkdir(parents=True)
        shutil.copytree(index, home / "index")
        self.signer: Signer = rs256("r1")
        jwks = home / "jwks.json"
        jwks.write_text(json.dumps({"keys": [self.signer.public]}))
        os.environ["ANAMNESIS_HOME"] = str(home)
        self._environment = {
            "OPENAI_API_KEY": SERVER_KEY,
            "ANAMNESIS_KEY_WARD": f"{listener.url} {WARD_KEY}",
            "ANAMNESIS_TRACES": "1",
            "ANAMNESIS_OIDC_ISSUER": ISSUER,
            "ANAMNESIS_OIDC_AUDIENCE": AUDIENCE,
            "ANAMNESIS_OIDC_JWKS": str(jwks),
            **LIMITS,
        }
        self.token("operator", "operator")
        self.server = Server(
            home, home / "server", under=memory_limit_command(), **self._environment
        )

    @property
    def log(self) -> str:
        """The server's log."""
        return (self.home / "server" / "server.log").read_text(errors="replace")

    def token(self, name: str, role: Role = "asker") -> str:
        """A new token of the user."""
        with _TOKENS:
            return add_token(name, role=role)

    def client(self, token: str | None = None, **headers: str) -> httpx.Client:
        """A client with this token; by default that of a new user."""
        token = self.token(f"u{uuid4().hex}") if token is None else token
        sent_headers = {**({"authorization": f"Bearer {token}"} if token else {}), **headers}
        # Connections are not reused, because the server may close one at that moment.
        once = httpx.Limits(max_keepalive_connections=0)
        return httpx.Client(
            base_url=self.server.address, headers=sent_headers, timeout=120, limits=once
        )

    @contextmanager
    def policy(self, **fields: Any) -> Iterator[None]:
        """The operator's policy during the block."""
        path = self.home / "policy.json"
        path.write_text(json.dumps(fields))
        try:
            yield
        finally:
            path.unlink()

    @contextmanager
    def generator(self, reference: str, **settings: Any) -> Iterator[None]:
        """The operator has answers written by this chat model."""
        fields = {"generator.model": reference, **settings}
        with self.policy(settings=fields, patient_words=[reference]):
            yield

    @property
    def ward(self) -> str:
        """The reference of the model behind the listener."""
        return f"openai:ward?base_url={self.listener.url}"

    def others_are_answered(self, seconds: float = 60) -> None:
        """Raise BrokeError unless another user gets a supported answer within this time."""
        start = time.monotonic()
        with self.client() as http:
            result = ask(http, QUESTION)
        spent = time.monotonic() - start
        outcome = result.get("answer", {}).get("outcome")
        require(outcome == "answered", f"somebody else is not answered: {str(result)[:200]}")
        require(spent < seconds, f"somebody else waits {spent:.0f} s")

    def restart(self) -> None:
        """Kill the server as a crash does, and start it again."""
        self.server.kill()
        self.server.start()


def memory_limit_command() -> Sequence[str]:
    """The command prefix that limits the server's memory."""
    return ("prlimit", f"--as={MEMORY}")


def callers(**more: Any) -> dict[str, Any]:
    """What callers may choose: as in the default policy, and more."""
    return {**Policy.model_validate({}).model_dump()["callers"], **more}


def run_of(question: str, **context: Any) -> dict[str, Any]:
    """The request for a run."""
    return {"assistant_id": "anamnesis", "input": {"question": question}, "context": context}


def ask(http: httpx.Client, question: str, thread: str | None = None, **context: Any) -> Any:
    """The server's answer: a run's output, or its error."""
    path = "/runs/wait" if thread is None else f"/threads/{thread}/runs/wait"
    answered = http.post(path, json=run_of(question, **context))
    try:
        result = json.loads(answered.text)
    except ValueError:
        return {"status": answered.status_code, "text": answered.text}
    return {"status": answered.status_code, **result} if isinstance(result, dict) else result


def new_thread(http: httpx.Client) -> str:
    """The id of a new thread."""
    answered = http.post("/threads", json={})
    answered.raise_for_status()
    return str(answered.json()["thread_id"])


def ended(http: httpx.Client, thread: str, run: str, seconds: float = 90) -> str:
    """How a run ended. Raises BrokeError if it has not ended within this time."""
    path = f"/threads/{thread}/runs/{run}"
    status = ""
    for _ in range(int(seconds * 2)):
        status = str(http.get(path).json().get("status"))
        if status not in ("pending", "running"):
            return status
        time.sleep(0.5)
    raise BrokeError(f"a run is {status} after {seconds:.0f} s")


def wait_until(there: Callable[[], object], what: str, seconds: float = 60) -> None:
    """Wait until a condition holds. Raises BrokeError if it does not."""
    for _ in range(int(seconds * 20)):
        if there():
            return
        time.sleep(0.05)
    raise BrokeError(f"{what}: not within {seconds:.0f} s")


def command_line(
    home: Path, *words: str, under: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """``anamnesis`` with these words and this data folder; ``under`` is a command prefix."""
    command = [*under, sys.executable, "-m", "anamnesis", *words]
    environment = {**os.environ, "ANAMNESIS_HOME": str(home)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@contextmanager
def in_background(deed: Callable[[], object]) -> Iterator[None]:
    """Call ``deed`` in a thread during the block, and wait for its end."""
    thread = threading.Thread(target=deed)
    thread.start()
    try:
        yield
    finally:
        thread.join(180)


def sent_raw(world: World, text: bytes) -> socket.socket:
    """A connection to the server on which ``text`` was sent and nothing is read."""
    host, _, port = world.server.address.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)), timeout=60)
    connection.sendall(text)
    return connection
