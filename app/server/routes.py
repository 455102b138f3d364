"""The server's routes for memory, feedback, evidence, traces and health.

Each is a plain function of what was asked. The token says who asks where tokens are in use, else
``?user=``. What goes wrong comes back as ``{"detail": …}`` with the remedy.
"""

import json
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from anamnesis import AnamnesisError, SettingError
from anamnesis.limits import check, limits
from anamnesis.memory.opening import open_memories
from anamnesis.memory.record import Memory
from anamnesis.shown_errors import for_others
from app.server import operating
from app.server.callers import owner_of
from app.server.evidence import passages_of
from app.server.own_threads import OwnThreads
from app.trace import files, runs
from app.users import identity
from app.users.forgetting import forget_kept, forget_traces
from nodes.policy import open_settings, served_index
from retrievers.opening import open_corpus


class Asked(NamedTuple):
    """A request: who asks, and what.

    ``audience``: the user's text attributes, see ``nodes.context.audience`` [M9]; ``threads``: the
    server's, with the asker's rights; ``role``: see ``app.users.tokens.ROLES``.
    """

    user: str | None
    role: str
    authenticated: bool
    audience: dict[str, str]
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: dict[str, Any]
    threads: OwnThreads


Handler = Callable[[Asked], Any]


_rating = Lock()


class _NotFoundError(Exception):
    """What was asked for is not there, or is not the user's."""


def _health(asked: Asked) -> dict[str, Any]:
    """Whether questions can be answered: the index is there and can be read.

    An operator sees more of it.
    """
    index = open_corpus(served_index())
    return {"ok": True, **(operating.details(index) if asked.role == "operator" else {})}


def _audit(asked: Asked) -> list[dict[str, Any]]:
    """Entries of the audit log, for operators: ``?user=&action=&since=&until=&limit=``."""
    return operating.audit(asked.role, asked.query)


def _evidence(asked: Asked) -> list[dict[str, Any]]:
    """A passage by its id, or all passages of a source by its id, with title and address."""
    wanted = asked.path["id"]
    found = passages_of(open_corpus(served_index()), wanted)
    if not found:
        raise _NotFoundError(
            f"the index has no passage or source {wanted!r}; ids are those of an answer's sources"
        )
    return found


def _memories(asked: Asked) -> list[dict[str, Any]]:
    """All memories of the user, the newest first."""
    return [_told(memory) for memory in open_memories().all(_user(asked))]


def _memory(asked: Asked) -> dict[str, Any]:
    """One memory that the user may see, with its counts, trust and persistence."""
    return _told(_one(asked))


def _profile(asked: Asked) -> list[dict[str, Any]]:
    """What is known of the user's health, the newest first, with their words as source."""
    return [_told(memory) for memory in open_memories().all(_user(asked), "profile")]


def _enter(asked: Asked) -> dict[str, Any]:
    """Enter something into the user's profile: ``{"entry": "allergy: penicillin"}``."""
    entry = Memory.entered(_user(asked), _text(asked, "entry"))
    return _told(open_memories().add(entry.owner, [entry])[0])


def _edit(asked: Asked) -> dict[str, Any]:
    """Put other words into a memory: ``{"text": …}``."""
    text = _text(asked, "text")
    return _told(open_memories().edit(_user(asked), _one(asked).id, text))


def _rate(asked: Asked) -> dict[str, Any]:
    """Say whether a memory is right: ``{"correct": true}`` [M5]."""
    correct = asked.body.get("correct")
    if not isinstance(correct, bool):
        raise SettingError('send {"correct": true} or {"correct": false}')
    memory = _one(asked)
    rated = open_memories().rate(_user(asked), memory.id, correct=correct, audience=asked.audience)
    return {**_told(rated), "kept": rated.owner != asked.user or rated.retained}


def _export(asked: Asked) -> dict[str, Any]:
    """All memories of the user, and the log of what was done to them."""
    user, memories = _user(asked), open_memories()
    return {
        "user": user,
        "memories": [_told(memory) for memory in memories.all(user)],
        "audit": memories.audit(user),
    }


def _delete(asked: Asked) -> dict[str, Any]:
    """Delete one memory, and every byte of its text."""
    user = _user(asked)
    try:
        return {"memories": open_memories().delete(user, [asked.path["id"]])}
    except SettingError as error:
        raise _NotFoundError(str(error)) from error


def _delete_all(asked: Asked) -> dict[str, Any]:
    """Delete all that is kept of the user: memories, traces, and with a token all else."""
    user = _user(asked)
    # In this order: what a run still says that was stopped is not kept once the memories are gone.
    gone = asked.threads.delete_all() if asked.authenticated else {}
    return gone | {"memories": open_memories().delete(user), "traces": forget_traces(user)}


def _give_feedback(asked: Asked) -> dict[str, Any]:
    """Say whether a thread's last answer is right: ``{"thread_id", "correct", "comment"}``.

    With the first of a turn the user's memories that shaped the answer are rated as well [M8].
    """
    correct, comment = asked.body.get("correct"), asked.body.get("comment", "")
    if not isinstance(correct, bool) or not isinstance(comment, str):
        raise SettingError('send {"thread_id": "…", "correct": true or false, "comment": "…"}')
    thread = _text(asked, "thread_id")
    state = asked.threads.state(thread)
    if state is None:
        raise _NotFoundError(f"there is no thread {thread!r}; see POST /threads/search")
    if not state["values"].get("answer"):
        raise SettingError(f"thread {thread!r} holds no answer; give feedback once it has one")
    if state.get("next"):
        raise SettingError(f"the last run of thread {thread!r} has not ended; wait for its answer")
    told = {
        "thread_id": thread,
        "checkpoint_id": state["checkpoint"]["checkpoint_id"],
        "user": asked.user,
        "correct": correct,
        "comment": comment,
    }
    with _rating:
        turn = {"checkpoint_id": told["checkpoint_id"], "user": asked.user}
        first = not any(turn.items() <= own.items() for own in asked.threads.kept())
        # Kept first: what is sent once more, for something failed, must not count twice.
        asked.threads.keep(" ".join(filter(None, turn.values())), told)
        if asked.user and first:
            shaping = {own["id"]: own["text"] for own in state["values"]["answer"]["memories"]}
            open_memories().rate_shaping(asked.user, shaping, correct, asked.audience)
    return told


def _feedback(asked: Asked) -> list[dict[str, Any]]:
    """The feedback that the user gave, one a turn at most."""
    return asked.threads.kept()


def _traces(asked: Asked) -> list[str]:
    """The user's recorded runs, the newest last; those that have not ended are among them."""
    return runs.runs(runs.folder(asked.user))


def _trace(asked: Asked) -> dict[str, Any]:
    """A recorded run: its first line, and its steps."""
    run = asked.path["run"]
    if run not in _traces(asked):
        raise _NotFoundError(f"there is no recorded run {run!r}; see GET /traces")
    first, steps = runs.read(str(files.of(runs.folder(asked.user), run)))
    held = {name: open_settings(first.get(name, {})) for name in ("context", "settings")}
    return {**first, **held, "steps": steps}


def _delete_trace(asked: Asked) -> dict[str, Any]:
    """Delete a recorded run."""
    run = asked.path["run"]
    if run not in _traces(asked):
        raise _NotFoundError(f"there is no recorded run {run!r}; see GET /traces")
    forget_kept(asked.user)
    return {"traces": runs.delete(runs.folder(asked.user), run)}


def _user(asked: Asked) -> str:
    if not asked.user:
        raise SettingError("say whose memories: ?user=NAME, or send a token")
    return asked.user


def _one(asked: Asked) -> Memory:
    """The memory that the path names. Raises _NotFoundError unless the user may see it."""
    try:
        return open_memories().get(_user(asked), asked.path["id"], asked.audience)
    except SettingError as error:
        raise _NotFoundError(str(error)) from error


def _text(asked: Asked, name: str) -> str:
    value = asked.body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise SettingError(f'send {{"{name}": "…"}} with a text that is not empty')
    check(f"the {name}", len(value), "characters", limits().question, "say it in fewer words")
    return value


def _told(memory: Memory) -> dict[str, Any]:
    return {**memory.model_dump(mode="json"), "persistence": memory.persistence}


def _endpoint(handler: Handler) -> Callable[[Request], Any]:
    """A Starlette endpoint of the handler, which runs in a thread and may block."""

    async def endpoint(request: Request) -> Response:
        try:
            body = json.loads(await request.body() or b"{}")
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return JSONResponse({"detail": "the body is no JSON object"}, 422)
        user = owner_of(request.user)
        asked = Asked(
            user=request.query_params.get("user") if user is None else user,
            authenticated=user is not None,
            audience={}
            if user is None
            else {name: told for name, told in request.user.items() if isinstance(told, str)},
            role=identity.role_of(request.user),
            path=request.path_params,
            query=request.query_params,
            body=body,
            threads=OwnThreads(request.app, identity.presented(request.headers)),
        )
        try:
            return JSONResponse(await run_in_threadpool(handler, asked))
        except _NotFoundError as error:
            return JSONResponse({"detail": str(error)}, 404)
        except AnamnesisError as error:
            # An operator sees what is wrong, and where.
            said = error if asked.role == "operator" else for_others(error)
            status = 422 if isinstance(error, SettingError) else 503
            return JSONResponse({"detail": str(said)}, status)

    # The server makes its OpenAPI description of the docstrings, as YAML, of which JSON is a part.
    summary = {"summary": handler.__doc__, "tags": ["Anamnesis"]}
    endpoint.__doc__ = f"---\n{json.dumps(summary)}"
    return endpoint


ROUTES = {
    way: _endpoint(handler)
    for way, handler in {
        ("GET", "/health"): _health,
        ("GET", "/audit"): _audit,
        ("GET", "/evidence/{id:path}"): _evidence,
        ("GET", "/memories"): _memories,
        ("DELETE", "/memories"): _delete_all,
        ("GET", "/memories/export"): _export,
        ("GET", "/memories/{id}"): _memory,
        ("PATCH", "/memories/{id}"): _edit,
        ("DELETE", "/memories/{id}"): _delete,
        ("POST", "/memories/{id}/rating"): _rate,
        ("GET", "/profile"): _profile,
        ("POST", "/profile"): _enter,
        ("POST", "/feedback"): _give_feedback,
        ("GET", "/feedback"): _feedback,
        ("GET", "/traces"): _traces,
        ("GET", "/traces/{run}"): _trace,
        ("DELETE", "/traces/{run}"): _delete_trace,
    }.items()
}
"""The endpoints by method and path."""
