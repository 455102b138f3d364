"""Record the server's requests and runs in the audit log.

The entry of a request, with its outcome, is written before the response is sent. A deletion has
another entry, ``begun``, before anything is deleted. A run has one before its first step, which is
flushed to disk before any result of a step leaves the server. If the log cannot be written, the
response is 503, and a run ends with an error.
"""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import NamedTuple

from langgraph.config import get_config
from langgraph.runtime import Runtime
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anamnesis import AuditError
from app.server.callers import owner_of
from app.users.audit import Actor, object_name, record, written
from app.users.audit_watch import PolicyWatch
from nodes.settings.context import Context, owner

REFUSED = (
    "this server cannot write its audit log, so this request is refused; its operator finds the "
    "reason in its log"
)
"""The message to a user if the log cannot be written."""

AUTHENTICATED = "authenticated"
"""Key in a run's metadata with which the page names an authenticated user."""

_NOBODY = Actor("", "nobody")
_RUNS = 10_000  # runs whose start is known
_ADDRESSES = 100  # addresses whose failures are counted
_SECONDS = 10.0  # seconds between two entries about failures from one address
_NAME = 200  # maximum characters of a name that was typed in
_log = logging.getLogger(__name__)


class AuditedAction(NamedTuple):
    """The action of a request and its object, as returned by ``app.users.audit.object_name``."""

    action: str
    object: str


_ID, _ANY = "(?P<id>[^/]+)", "[^/]+"
_ACTIONS = [
    # Methods, path, action; the first match counts. A run is recorded when it starts.
    ("POST", f"/threads/{_ID}/state", "change thread"),
    ("GET POST", f"/threads/{_ID}/(state(/{_ANY})?|history)", "read thread"),
    ("GET", f"/threads/{_ID}(/stream|/stream/events|/runs.*)?", "read thread"),
    ("POST", f"/threads/{_ID}/stream/events", "read thread"),
    ("POST", "/threads/search", "read threads"),
    ("POST", "/threads/prune", "delete threads"),
    ("DELETE", f"/threads/{_ANY}/runs/{_ID}", "delete run"),
    ("DELETE", f"/threads/{_ID}", "delete thread"),
    ("POST", f"/threads/{_ID}/(copy|commands)", "change thread"),
    ("PATCH", f"/threads/{_ID}", "change thread"),
    ("POST", f"/threads/{_ANY}/runs/{_ID}/cancel", "change run"),
    ("POST", "/runs/cancel", "change runs"),
    ("POST", f"(/threads/{_ANY})?/runs/crons", "change crons"),
    ("POST", "/runs/crons/search", "read crons"),
    ("GET", f"/runs/crons/{_ID}", "read cron"),
    ("PATCH", f"/runs/crons/{_ID}", "change cron"),
    ("DELETE", f"/runs/crons/{_ID}", "delete cron"),
    ("GET", "/store/items", "read items"),
    ("POST", "/store/(items/search|namespaces)", "read items"),
    ("PUT", "/store/items", "change items"),
    ("DELETE", "/store/items", "delete items"),
    ("PATCH", f"/assistants/{_ID}", "change assistant"),
    ("DELETE", f"/assistants/{_ID}", "delete assistant"),
    ("GET", "/memories/export", "export memories"),
    ("GET", "/memories", "read memories"),
    ("DELETE", "/memories", "delete everything"),
    ("GET", f"/memories/{_ID}", "read memory"),
    ("DELETE", f"/memories/{_ID}", "delete memory"),
    ("PATCH POST", f"/memories/{_ID}(/rating)?", "change memory"),
    ("GET", "/profile", "read profile"),
    ("POST", "/profile", "change profile"),
    ("GET", "/questions", "read questions"),
    ("DELETE", f"/questions/{_ID}", "delete question"),
    ("GET", "/experts/questions", "read questions"),
    ("POST", f"/experts/questions/{_ID}", "change question"),
    ("POST", "/experts/notes", "change memories"),
    ("GET", "/feedback", "read feedback"),
    ("POST", "/feedback", "change feedback"),
    ("GET", "/evidence/(?P<id>.+)", "read evidence"),
    ("GET", "/traces", "read traces"),
    ("GET", f"/traces/{_ID}", "read trace"),
    ("DELETE", f"/traces/{_ID}", "delete trace"),
    ("GET", "/audit", "read audit"),
]
_COMPILED = [
    (methods.split(), re.compile(path), named_deed) for methods, path, named_deed in _ACTIONS
]


def action_of(method: str, path: str) -> AuditedAction | None:
    """The action of a request; None if it is not recorded."""
    for methods, pattern, named_deed in _COMPILED:
        found = pattern.fullmatch(path.rstrip("/")) if method in methods else None
        if found:
            action, _, what = named_deed.partition(" ")
            return AuditedAction(action, object_name(what, found.groupdict().get("id")))
    return None


def record_deletion(scope: Scope, user: str | None) -> None:
    """Record what the request will delete. Raises HTTPException if that fails."""
    deed = _deed(scope)
    if deed is not None and deed.action == "delete":
        _record_request(scope, deed, "begun", user)


def logged_in(scope: Scope, user: str) -> None:
    """Record a login on the page. Raises AuditError if that fails."""
    try:
        record("login", "page", actor=Actor(user, "user"), address=_address(scope))
    except AuditError as error:
        _log.error("nobody can log in: %s", error)
        raise AuditError(REFUSED) from error


class Failures:
    """Refused credentials: at most one entry per address in ten seconds, with their number.

    One entry for each would let a stranger fill the disk. From more than 100 addresses at once they
    are counted together, under the address ``many``.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, int]] = {}  # when last recorded, how many since
        self._lock = Lock()

    def add(self, address: str, reason: str) -> None:
        """Record a failure, or count it."""
        with self._lock:
            if address not in self._kept and len(self._kept) >= _ADDRESSES:
                address = "many"
            at, count = self._kept.get(address, (float("-inf"), 0))
            due = monotonic() - at >= _SECONDS
            self._kept[address] = (monotonic(), 0) if due else (at, count + 1)
            if due and len(self._kept) >= _ADDRESSES:
                recent = monotonic() - _SECONDS
                self._kept = {item: kept for item, kept in self._kept.items() if kept[0] > recent}
        if not due:
            return
        try:
            record(
                "login", "server", "refused", actor=_NOBODY, address=address, reason=reason,
                count=count + 1,
            )  # fmt: skip
        except AuditError as error:  # the request is refused in any case
            _log.error("a refused login is not in the audit log: %s", error)


_failures = Failures()


def record_refusal(scope: Scope, reason: str) -> None:
    """Record that a credential was refused, from which address; the credential is not recorded."""
    _failures.add(_address(scope) or "", reason)


class Audited:
    """Records what a request did before its response is sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and record the response."""
        deed = _deed(scope)
        if deed is None:
            await self._app(scope, receive, send)
            return
        answered = refused = False

        async def recorded(message: Message) -> None:
            nonlocal answered, refused
            if not answered and message["type"] in ("http.response.start", "websocket.accept"):
                answered = True
                try:
                    await run_in_threadpool(_record_answer, scope, deed, message)
                except HTTPException as error:
                    refused = True
                    if message["type"] == "websocket.accept":
                        await send({"type": "websocket.close", "code": 1011})
                    else:
                        refusal = JSONResponse({"detail": error.detail}, error.status_code)
                        await refusal(scope, receive, send)
            if not refused:
                await send(message)

        await self._app(scope, receive, recorded)


class RunBegins:
    """Records a run before its first step; the graph calls this before each step.

    The returned function waits until the entry is on disk, while the step is already working.
    """

    def __init__(self) -> None:
        self._begun: dict[str, Callable[[], None]] = {}
        self._lock = Lock()
        self._watch_policy = PolicyWatch()

    def __call__(self, runtime: Runtime[Context]) -> Callable[[], None] | None:
        """Record the run if it is not recorded yet, and before it a changed policy.

        Both raise AuditError on failure.
        """
        info, user = runtime.execution_info, owner(runtime)
        run, thread = (info.run_id, info.thread_id) if info else (None, None)
        actor = Actor(user, "user" if _is_authenticated(runtime) else "typed") if user else _NOBODY
        details = {"thread": object_name("thread", thread)} if thread else {}
        # Steps that start together wait for the entry.
        with self._lock:
            if run and str(run) in self._begun:
                return self._begun[str(run)]
            with _nothing_answered():
                self._watch_policy()
                wait = written("ask", object_name("run", run), "begun", actor=actor, **details)

            def on_disk() -> None:
                with _nothing_answered():
                    wait()

            if run:
                self._begun[str(run)] = on_disk
            if len(self._begun) > _RUNS:
                del self._begun[next(iter(self._begun))]
        return on_disk


@contextmanager
def _nothing_answered() -> Iterator[None]:
    try:
        yield
    except AuditError as error:
        _log.error("nothing is answered: %s", error)
        raise AuditError(REFUSED) from error


def _is_authenticated(runtime: Runtime[Context]) -> bool:
    if runtime.server_info is not None:
        return runtime.server_info.user is not None
    # The page runs the graph itself; requests to the server come with server information.
    return get_config()["metadata"].get(AUTHENTICATED) is True


def _deed(scope: Scope) -> AuditedAction | None:
    if scope["type"] not in ("http", "websocket"):
        return None
    root = scope.get("root_path", "")
    if root.startswith("/noauth"):  # a request of the server to itself
        return None
    return action_of(scope.get("method", "GET"), scope["path"].removeprefix(root))


def _record_answer(scope: Scope, deed: AuditedAction, message: Message) -> None:
    status = message.get("status", 200)
    if status == 401:
        return  # the user is unknown; a wrong credential has a separate entry
    outcome = "done" if status < 400 else "refused" if status < 500 else "failed"
    _record_request(scope, deed, outcome, owner_of(scope.get("user")))


def _record_request(scope: Scope, deed: AuditedAction, outcome: str, user: str | None) -> None:
    typed = QueryParams(scope.get("query_string", b"")).get("user", "")[:_NAME]
    actor = Actor(user, "user") if user else Actor(typed, "typed") if typed else _NOBODY
    try:
        record(deed.action, deed.object, outcome, actor=actor, address=_address(scope))
    except AuditError as error:
        _log.error("a request is refused: %s", error)
        raise HTTPException(503, REFUSED) from error


def _address(scope: Scope) -> str | None:
    client = scope.get("client")
    return client[0] if client else None
