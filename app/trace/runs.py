"""The steps of a run: the input and output of each, its duration and the edge that followed.

A trace is made from the events of LangGraph's own ``debug`` stream and is stored as JSON Lines: a
first line about the run, then one line per step, in the order in which the steps ended.
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypedDict, cast

from anamnesis import SettingError
from anamnesis.paths import home
from app.trace import files as trace_file
from app.users.tokens import user_label


class Step(TypedDict):
    """One step of a run. ``ms`` is wall-clock time; ``to`` and ``why`` describe the edge taken.

    ``inputs`` are the parts of the state that the step reads, and ``update`` is what it returned.
    ``state`` is the complete input of the step, from which the run can be replayed.
    """

    step: int
    node: str
    ms: float
    inputs: dict[str, Any]
    update: dict[str, Any]
    to: str | None
    why: str | None
    state: dict[str, Any]


MOST_RUNS = 1000
"""Maximum runs that are observed at once; the end of a cancelled run is never reported."""

TAKES = {
    "screen": ("question", "options", "queries", "topic"),
    "recall": ("queries",),
    "retrieve": ("queries", "sub_questions"),
    "rerank": ("queries", "sub_questions", "hits"),
    "generate": ("queries", "sub_questions", "keyed_options", "selected", "recalled"),
    "verify": ("draft", "premise", "selected"),
    "rewrite": ("queries", "next_queries"),
    "fallback": ("reason", "rounds", "premise", "selected"),
    "remember": ("answer",),
}
"""The parts of the state that each step reads and a trace shows."""


def steps(events: Iterable[dict[str, Any]]) -> Iterator[Step]:
    """The steps of a run from the events of ``graph.stream(…, stream_mode="debug")``."""
    started: dict[str, tuple[datetime, dict[str, Any]]] = {}
    for event in events:
        if event["type"] == "task":
            payload = event["payload"]
            begun = datetime.fromisoformat(event["timestamp"])
            started[payload["id"]] = (begun, dict(payload["input"] or {}))
        elif event["type"] == "task_result":
            payload = event["payload"]
            if payload["id"] not in started:
                continue
            begun, given = started[payload["id"]]
            update = dict(payload["result"] or {})
            ended = datetime.fromisoformat(event["timestamp"])
            spent = (ended - begun).total_seconds() * 1000
            yield step_of(event["step"], payload["name"], given, update, spent)


def step_of(
    number: int, node: str, given: Mapping[str, Any], update: Mapping[str, Any], spent: float = 0.0
) -> Step:
    """A step from the state that it received and the update that it returned.

    ``spent``: its duration in ms, if the step does not report it itself.
    """
    route = update.get("route") or {}
    return {
        "step": number,
        "node": node,
        "ms": update.get("timings", {}).get(node, spent),
        "inputs": {key: _plain(given[key]) for key in TAKES.get(node, ()) if given.get(key)},
        "update": {
            key: _plain(value)
            for key, value in update.items()
            if key not in ("timings", "spent", "route", "requested_at", "started")
        },
        "to": route.get("to"),
        "why": route.get("why"),
        "state": {key: _plain(value) for key, value in given.items() if key != "started"},
    }


def _plain(value: Any) -> Any:
    """The value with messages as {"type", "content"}."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if hasattr(value, "content") and hasattr(value, "type"):
        return {"type": value.type, "content": value.content}
    return value


def folder(user: str | None = None) -> Path:
    """The folder of recorded runs: those of the command line, or of a user of the server."""
    recorded = home() / "traces"
    return recorded / user_label(user) if user else recorded


def make_folder(user: str | None = None) -> Path:
    """That folder; it is created if missing, with access for this account only."""
    traces = folder(user)
    home().mkdir(parents=True, exist_ok=True)
    for path in (folder(), traces):
        path.mkdir(exist_ok=True, mode=0o700)
    return traces


def new_run() -> str:
    """An id for a new run; ids sort by time."""
    return f"{datetime.now():%Y%m%d-%H%M%S-%f}-{uuid.uuid4().hex[:4]}"


def record(
    question: str, context: dict[str, Any], taken: Sequence[Step], replayed: str | None = None
) -> str | None:
    """Write a run's steps and return its id. The file is either complete or missing.

    A replay is stored in the folder of the run ``replayed``, if that is in the data folder. If the
    user has deleted everything since the run began, nothing is stored and None is returned [H7].
    """
    from anamnesis.memory.opening import forgotten

    run, traces = new_run(), make_folder()
    if replayed and folder() in path_of(replayed).absolute().parents:
        traces = path_of(replayed).absolute().parent
    partly = traces / f"{run}.partial"
    states = [step.get("state") or {} for step in taken]
    requested = [state["requested_at"] for state in states if "requested_at" in state]

    def gone() -> bool:
        return bool(
            context.get("user") and requested and requested[0] <= forgotten(context["user"])
        )

    if gone():
        return None
    try:
        trace_file.write(partly, [head(run, question, context), *taken], new=True)
        if gone():  # deleted in the meantime
            partly.unlink()
            return None
        partly.replace(partly.with_suffix(".jsonl"))
    except BaseException:
        partly.unlink(missing_ok=True)
        raise
    return run


def head(run: str, question: str, context: Mapping[str, Any]) -> dict[str, Any]:
    """The first line of a record: the ``context`` as passed, and all ``settings`` from it."""
    from nodes.settings.context import Context
    from nodes.settings.names import by_name, flat

    settings = by_name(Context(**context))
    context = dict(flat(context, Context))
    return {"run": run, "question": question, "context": context, "settings": settings}


def runs(recorded: Path) -> list[str]:
    """The ids of the runs in a folder in the order of their start, also of unfinished ones."""
    return sorted(
        {path.stem for ending in trace_file.ENDINGS for path in recorded.glob(f"*{ending}")}
    )


def delete(recorded: Path, run: str = "*") -> int:
    """Delete a run of a folder, or all. Returns the number of deleted runs."""
    return trace_file.unlink(lambda ending: recorded.glob(f"{run}{ending}"))


def read(run: str | None) -> tuple[dict[str, Any], list[Step]]:
    """The first line and the steps of a recorded run.

    ``run`` is an id, a file, or None for the last run.
    Raises ``SettingError`` if there is no such run, ``DataFileError`` if the file is no trace.
    """
    first, *taken = trace_file.read(path_of(run), TAKES)
    return first, cast(list[Step], taken)


def path_of(run: str | None) -> Path:
    """The file of a recorded run, as ``read`` finds it. Raises SettingError if there is none."""
    if run is None:
        recorded = runs(folder())
        if not recorded:
            raise SettingError(
                f"no run has been recorded in {folder()}; record one with "
                '`anamnesis ask "…" --trace`'
            )
        path = trace_file.path_of(folder(), recorded[-1])
    else:
        path = Path(run) if Path(run).is_file() else trace_file.path_of(folder(), run)
    if not path.is_file():
        raise SettingError(
            f"there is no recorded run {run!r} in {folder()}, and no file of that name"
        )
    return path
