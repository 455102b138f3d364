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
from app.users.forgetting import forget_kept, forget_traces
from nodes.policy import open_settings, served_index
from retrievers.filter import filtered
from retrievers.opening import open_corpus

_rating = Lock()


def _health(asked: UserRequest) -> dict[str, Any]:
    """Whether questions can be answered: the index exists and can be read.

    Operators get more details.
    """
    index = open_corpus(served_index())
    return {"ok": True, **(operating.details(index) if asked.role == "operator" else {})}


def _audit(asked: UserRequest) -> list[dict[str, Any]]:
    """Entries of the audit log, for operators: ``?user=&action=&since=&until=&limit=``."""
    return operating.audit(asked.role, asked.query)


def _evidence(asked: UserRequest) -> list[dict[str, Any]]:
    """A passage by its id, or all passages of a source by its id, with title and address."""
    wanted = asked.path["id"]
    found = passages_of(filtered(open_corpus(served_index()), asked.readable), wanted)
    if not found:
        raise NotFoundError(
            f"the index has no passage or source {wanted!r}; ids are those of an answer's sources"
        )
    return found


def _memories(asked: UserRequest) -> list[dict[str, Any]]:
    """All memories of the user, newest first."""
    return [_as_json(memory) for memory in open_memories().all(user_of(asked))]


def _memory(asked: UserRequest) -> dict[str, Any]:
    """One memory that the user may see, with its counts, trust and persistence."""
    return _as_json(_one(asked))


def _profile(asked: UserRequest) -> list[dict[str, Any]]:
    """What is known about the user's health, newest first, with their words as source."""
    return [_as_json(memory) for memory in open_memories().all(user_of(asked), "profile")]


def _enter(asked: UserRequest) -> dict[str, Any]:
    """Add an entry to the user's profile: ``{"entry": "allergy: penicillin"}``."""
    entry = Memory.entered(user_of(asked), text_of(asked, "entry"))
    return _as_json(open_memories().add(entry.owner, [entry])[0])


def _edit(asked: UserRequest) -> dict[str, Any]:
    """Replace the text of a memory: ``{"text": …}``."""
    text = text_of(asked, "text")
    return _as_json(open_memories().edit(user_of(asked), _one(asked).id, text))


def _rate(asked: UserRequest) -> dict[str, Any]:
    """Rate a memory as right or wrong: ``{"correct": true}`` [M5]."""
    correct = asked.body.get("correct")
    if not isinstance(correct, bool):
        raise SettingError('send {"correct": true} or {"correct": false}')
    memory = _one(asked)
    rated = open_memories().rate(
        user_of(asked), memory.id, correct=correct, audience=asked.audience
    )
    return {**_as_json(rated), "kept": rated.owner != asked.user or rated.retained}


def _export(asked: UserRequest) -> dict[str, Any]:
    """All memories of the user, and the log of all actions on them."""
    user, memories = user_of(asked), open_memories()
    return {
        "user": user,
        "memories": [_as_json(memory) for memory in memories.all(user)],
        "questions": experts.questions_of(user),
        "audit": memories.audit(user),
    }


def _delete(asked: UserRequest) -> dict[str, Any]:
    """Delete one memory, and every byte of its text."""
    user = user_of(asked)
    try:
        return {"memories": open_memories().delete(user, [asked.path["id"]])}
    except SettingError as error:
        raise NotFoundError(str(error)) from error


def _delete_all(asked: UserRequest) -> dict[str, Any]:
    """Delete all data of the user: memories, traces, and with a token everything else."""
    user = user_of(asked)
    # In this order: what a stopped run still writes is not stored once the memories are deleted.
    gone = asked.threads.delete_all() if asked.authenticated else {}
    return gone | {"memories": open_memories().delete(user), "traces": forget_traces(user)}


def _give_feedback(asked: UserRequest) -> dict[str, Any]:
    """Rate a thread's last answer as right or wrong: ``{"thread_id", "correct", "comment"}``.

    The first rating of a turn also rates the user's memories that shaped the answer [M8]. With
    ``"ask_experts": true`` the question of a wrong answer is queued for an expert [M9].
    """
    correct, comment = asked.body.get("correct"), asked.body.get("comment", "")
    if not isinstance(correct, bool) or not isinstance(comment, str):
        raise SettingError('send {"thread_id": "…", "correct": true or false, "comment": "…"}')
    waits = not correct and asked.body.get("ask_experts") is True
    if waits:
        experts.check_consent()
    thread = text_of(asked, "thread_id")
    state = asked.threads.state(thread)
    if state is None:
        raise NotFoundError(f"there is no thread {thread!r}; see POST /threads/search")
    if not state["values"].get("answer"):
        raise SettingError(f"thread {thread!r} has no answer yet; give feedback when it has one")
    if state.get("next"):
        raise SettingError(f"the last run of thread {thread!r} has not ended; wait for its answer")
    feedback = {
        "thread_id": thread,
        "checkpoint_id": state["checkpoint"]["checkpoint_id"],
        "user": asked.user,
        "correct": correct,
        "comment": comment,
    }
    with _rating:
        turn = {"checkpoint_id": feedback["checkpoint_id"], "user": asked.user}
        first = not any(turn.items() <= item.items() for item in asked.threads.stored_feedback())
        # Stored first: a rating sent again after an error must not count twice.
        asked.threads.keep(" ".join(filter(None, turn.values())), feedback)
        if asked.user and first:
            shaping = {item["id"]: item["text"] for item in state["values"]["answer"]["memories"]}
            open_memories().rate_shaping(asked.user, shaping, correct, asked.audience)
    if waits:
        experts.rated_wrong(asked, state["values"]["answer"])
    return feedback


def _feedback(asked: UserRequest) -> list[dict[str, Any]]:
    """The user's feedback, at most one per turn."""
    return asked.threads.stored_feedback()


def _traces(asked: UserRequest) -> list[str]:
    """The user's recorded runs, newest last, including unfinished ones."""
    return runs.runs(runs.folder(asked.user))


def _trace(asked: UserRequest) -> dict[str, Any]:
    """A recorded run: its first line, and its steps."""
    run = asked.path["run"]
    if run not in _traces(asked):
        raise NotFoundError(f"there is no recorded run {run!r}; see GET /traces")
    first, steps = runs.read(str(files.path_of(runs.folder(asked.user), run)))
    held = {name: open_settings(first.get(name, {})) for name in ("context", "settings")}
    return {**first, **held, "steps": steps}


def _delete_trace(asked: UserRequest) -> dict[str, Any]:
    """Delete a recorded run."""
    run = asked.path["run"]
    if run not in _traces(asked):
        raise NotFoundError(f"there is no recorded run {run!r}; see GET /traces")
    forget_kept(asked.user)
    return {"traces": runs.delete(runs.folder(asked.user), run)}


def _one(asked: UserRequest) -> Memory:
    """The memory named in the path. Raises NotFoundError unless the user may see it."""
    try:
        return open_memories().get(user_of(asked), asked.path["id"], asked.audience)
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
