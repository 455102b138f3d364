"""The server's routes for memory, feedback, evidence, traces and health.

Each handler is a plain function of the request. The user comes from the token if tokens are in use,
otherwise from ``?user=``. Errors are returned as ``{"detail": …}`` with the remedy.
"""

from threading import Lock
from typing import Any

from anamnesis import SettingError
from anamnesis.memory.opening import open_memories
from anamnesis.memory.record import Memory
from app.server import experts, operating
from app.server.endpoints import NotFoundError, UserRequest, endpoint_of, text_of, user_of
from app.server.evidence import passages_of
from app.trace import files, runs
from app.trace.forgetting import forget_traces
from app.users.forgetting import forget_kept
from nodes.policy import open_settings, served_index
from retrievers.filter import filtered
from retrievers.opening import open_corpus

_rating = Lock()


def _health(request: UserRequest) -> dict[str, Any]:
    """Whether questions can be answered: the index exists and can be read.

    Operators get more details.
    """
    index = open_corpus(served_index())
    return {"ok": True, **(operating.details(index) if request.role == "operator" else {})}


def _audit(request: UserRequest) -> list[dict[str, Any]]:
    """Entries of the audit log, for operators: ``?user=&action=&since=&until=&limit=``."""
    return operating.audit(request.role, request.query)


def _evidence(request: UserRequest) -> list[dict[str, Any]]:
    """A passage by its id, or all passages of a source by its id, with title and address."""
    wanted = request.path["id"]
    found = passages_of(filtered(open_corpus(served_index()), request.readable), wanted)
    if not found:
        raise NotFoundError(
            f"the index has no passage or source {wanted!r}; ids are those of an answer's sources"
        )
    return found


def _memories(request: UserRequest) -> list[dict[str, Any]]:
    """All memories of the user, newest first."""
    return [_as_json(memory) for memory in open_memories().all(user_of(request))]


def _memory(request: UserRequest) -> dict[str, Any]:
    """One memory that the user may see, with its counts, trust and persistence."""
    return _as_json(_one(request))


def _profile(request: UserRequest) -> list[dict[str, Any]]:
    """What is known about the user's health, newest first, with their words as source."""
    return [_as_json(memory) for memory in open_memories().all(user_of(request), "profile")]


def _enter(request: UserRequest) -> dict[str, Any]:
    """Add an entry to the user's profile: ``{"entry": "allergy: penicillin"}``."""
    entry = Memory.entered(user_of(request), text_of(request, "entry"))
    return _as_json(open_memories().add(entry.owner, [entry])[0])


def _edit(request: UserRequest) -> dict[str, Any]:
    """Replace the text of a memory: ``{"text": …}``."""
    text = text_of(request, "text")
    return _as_json(open_memories().edit(user_of(request), _one(request).id, text))


def _rate(request: UserRequest) -> dict[str, Any]:
    """Rate a memory as right or wrong: ``{"correct": true}`` [M5]."""
    correct = request.body.get("correct")
    if not isinstance(correct, bool):
        raise SettingError('send {"correct": true} or {"correct": false}')
    memory = _one(request)
    rated = open_memories().rate(
        user_of(request), memory.id, correct=correct, audience=request.audience
    )
    return {**_as_json(rated), "kept": rated.owner != request.user or rated.retained}


def _export(request: UserRequest) -> dict[str, Any]:
    """All memories of the user, and the log of all actions on them."""
    user, memories = user_of(request), open_memories()
    return {
        "user": user,
        "memories": [_as_json(memory) for memory in memories.all(user)],
        "questions": experts.questions_of(user),
        "audit": memories.audit(user),
    }


def _delete(request: UserRequest) -> dict[str, Any]:
    """Delete one memory, and every byte of its text."""
    user = user_of(request)
    try:
        return {"memories": open_memories().delete(user, [request.path["id"]])}
    except SettingError as error:
        raise NotFoundError(str(error)) from error


def _delete_all(request: UserRequest) -> dict[str, Any]:
    """Delete all data of the user: memories, traces, and with a token everything else."""
    user = user_of(request)
    # In this order: what a stopped run still writes is not stored once the memories are deleted.
    gone = request.threads.delete_all() if request.authenticated else {}
    return gone | {"memories": open_memories().delete(user), "traces": forget_traces(user)}


def _give_feedback(request: UserRequest) -> dict[str, Any]:
    """Rate a thread's last answer as right or wrong: ``{"thread_id", "correct", "comment"}``.

    The first rating of a turn also rates the user's memories that shaped the answer [M8]. With
    ``"ask_experts": true`` the question of a wrong answer is queued for an expert [M9].
    """
    correct, comment = request.body.get("correct"), request.body.get("comment", "")
    if not isinstance(correct, bool) or not isinstance(comment, str):
        raise SettingError('send {"thread_id": "…", "correct": true or false, "comment": "…"}')
    waits = not correct and request.body.get("ask_experts") is True
    if waits:
        experts.check_consent()
    thread = text_of(request, "thread_id")
    state = request.threads.state(thread)
    if state is None:
        raise NotFoundError(f"there is no thread {thread!r}; see POST /threads/search")
    if not state["values"].get("answer"):
        raise SettingError(f"thread {thread!r} has no answer yet; give feedback when it has one")
    if state.get("next"):
        raise SettingError(f"the last run of thread {thread!r} has not ended; wait for its answer")
    feedback = {
        "thread_id": thread,
        "checkpoint_id": state["checkpoint"]["checkpoint_id"],
        "user": request.user,
        "correct": correct,
        "comment": comment,
    }
    with _rating:
        turn = {"checkpoint_id": feedback["checkpoint_id"], "user": request.user}
        first = not any(turn.items() <= item.items() for item in request.threads.stored_feedback())
        # Stored first: a rating sent again after an error must not count twice.
        request.threads.keep(" ".join(filter(None, turn.values())), feedback)
        if request.user and first:
            shaping = {item["id"]: item["text"] for item in state["values"]["answer"]["memories"]}
            open_memories().rate_shaping(request.user, shaping, correct, request.audience)
    if waits:
        experts.rated_wrong(request, state["values"]["answer"])
    return feedback


def _feedback(request: UserRequest) -> list[dict[str, Any]]:
    """The user's feedback, at most one per turn."""
    return request.threads.stored_feedback()


def _traces(request: UserRequest) -> list[str]:
    """The user's recorded runs, newest last, including unfinished ones."""
    return runs.runs(runs.folder(request.user))


def _trace(request: UserRequest) -> dict[str, Any]:
    """A recorded run: its first line, and its steps."""
    run = request.path["run"]
    if run not in _traces(request):
        raise NotFoundError(f"there is no recorded run {run!r}; see GET /traces")
    first, steps = runs.read(str(files.path_of(runs.folder(request.user), run)))
    held = {name: open_settings(first.get(name, {})) for name in ("context", "settings")}
    return {**first, **held, "steps": steps}


def _delete_trace(request: UserRequest) -> dict[str, Any]:
    """Delete a recorded run."""
    run = request.path["run"]
    if run not in _traces(request):
        raise NotFoundError(f"there is no recorded run {run!r}; see GET /traces")
    forget_kept(request.user)
    return {"traces": runs.delete(runs.folder(request.user), run)}


def _one(request: UserRequest) -> Memory:
    """The memory named in the path. Raises NotFoundError unless the user may see it."""
    try:
        return open_memories().get(user_of(request), request.path["id"], request.audience)
    except SettingError as error:
        raise NotFoundError(str(error)) from error


def _as_json(memory: Memory) -> dict[str, Any]:
    return {**memory.model_dump(mode="json"), "persistence": memory.persistence}


ROUTES = {
    way: endpoint_of(handler)
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
        **experts.HANDLERS,
        ("GET", "/traces"): _traces,
        ("GET", "/traces/{run}"): _trace,
        ("DELETE", "/traces/{run}"): _delete_trace,
    }.items()
}
"""The endpoints by method and path."""
