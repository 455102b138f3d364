"""The steps of a run: the input and output of each, its duration and the edge that followed.

A trace is made from the events of LangGraph's own ``debug`` stream and is stored as JSON Lines: a
first line about the run, then one line per step, in the order in which the steps ended.
"""

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypedDict, cast

from anamnesis import SettingError
from anamnesis.paths import home
from app.trace import files as trace_file
from app.trace.calls import calls_line, spending_line
from app.users.tokens import user_label


class Step(TypedDict):
    """One step of a run. ``ms`` is wall-clock time; ``to`` and ``why`` describe the edge taken.

    ``state`` is the complete input of the step, from which the run can be replayed.
    """

    step: int
    node: str
    ms: float
    took: dict[str, Any]
    gave: dict[str, Any]
    to: str | None
    why: str | None
    state: dict[str, Any]


MOST_RUNS = 1000
"""Maximum runs that are observed at once; the end of a cancelled run is never reported."""

# The parts of the state that each step reads.
_TAKES = {
    "screen": ("question", "options", "queries", "topic"),
    "recall": ("queries",),
    "retrieve": ("queries", "asks"),
    "rerank": ("queries", "asks", "hits"),
    "generate": ("queries", "asks", "choices", "selected", "recalled"),
    "verify": ("draft", "premise", "selected"),
    "rewrite": ("queries", "following"),
    "fallback": ("reason", "rounds", "premise", "selected"),
    "remember": ("answer",),
}


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
            gave = dict(payload["result"] or {})
            ended = datetime.fromisoformat(event["timestamp"])
            spent = (ended - begun).total_seconds() * 1000
            yield step_of(event["step"], payload["name"], given, gave, spent)


def step_of(
    number: int, node: str, given: Mapping[str, Any], gave: Mapping[str, Any], spent: float = 0.0
) -> Step:
    """A step from the state that it received and the update that it returned.

    ``spent``: its duration in ms, if the step does not report it itself.
    """
    route = gave.get("route") or {}
    return {
        "step": number,
        "node": node,
        "ms": gave.get("timings", {}).get(node, spent),
        "took": {key: _plain(given[key]) for key in _TAKES.get(node, ()) if given.get(key)},
        "gave": {
            key: _plain(value)
            for key, value in gave.items()
            if key not in ("timings", "spent", "route", "begun", "started")
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
    own = folder(user)
    home().mkdir(parents=True, exist_ok=True)
    for path in (folder(), own):
        path.mkdir(exist_ok=True, mode=0o700)
    return own


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

    run, own = new_run(), make_folder()
    if replayed and folder() in path_of(replayed).absolute().parents:
        own = path_of(replayed).absolute().parent
    partly = own / f"{run}.partial"
    begun = [
        item["begun"] for item in (step.get("state") or {} for step in taken) if "begun" in item
    ]

    def gone() -> bool:
        return bool(context.get("user") and begun and begun[0] <= forgotten(context["user"]))

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
    from nodes.context import Context
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
    first, *taken = trace_file.read(path_of(run), _TAKES)
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


def render(taken: Iterable[Step]) -> Iterator[str]:
    """The steps as lines for a terminal."""
    for number, step in enumerate(taken, 1):
        yield f"{number:>2}. {step['node']:<9} {step['ms']:>8.1f} ms"
        for key, value in step["took"].items():
            yield from _lines("<", key, value)
        for key, value in step["gave"].items():
            if not value and step["node"] == "screen":
                continue  # cleared values of the previous turn
            yield from _lines(">", key, value)
        if step["to"]:
            yield f"      → {step['to']}: {step['why']}"


def _lines(sign: str, key: str, value: Any) -> Iterator[str]:
    if key in ("hits", "selected"):
        yield f"    {sign} {key}: {len(value)} passages"
        for place, hit in enumerate(value if sign == ">" else [], 1):
            lists = ", ".join(
                f"{name} #{rank} ({hit['scores'][name]:.3f})" for name, rank in hit["ranks"].items()
            )
            extra = ""
            if "relevance" in hit:
                extra += f"  relevance {hit['relevance']:.3f}"
            if "part" in hit:
                extra += f"  question {hit['part']}"
            yield f"        {place:>2}. {hit['id']}  fused {hit['score']:.5f}  {lists}{extra}"
    elif key == "draft":
        if value.get("prompt"):
            prompt = value["prompt"]
            yield (
                f"    {sign} prompt: {' + '.join(prompt['files'])} {prompt['sha256'][:12]}, "
                f"{prompt['tokens']} tokens, left out: {', '.join(prompt['left_out']) or 'nothing'}"
            )
        if value["problem"]:
            yield f"    {sign} not used: {_short(value['problem'])}"
        if value["choice"] is not None:
            yield f"    {sign} choice: {value['choice']}"
        if value["statements"]:
            yield from _statements(sign, value["statements"])
    elif key == "dropped":
        for item in value:
            span = f"[{item['start']}:{item['end']}]" if "start" in item else ""
            what = "not quoted" if span else "not used"
            part = f" (question {item['part']})" if "part" in item else ""
            yield f"    {sign} {what}: {item['passage']}{span}{part}, {item['why']}"
    elif key == "read":
        yield f"    {sign} read: " + ", ".join(f"{i['id']} {i['relevance']:.2f}" for i in value)
    elif key == "rounds":
        yield f"    {sign} rounds: " + ", ".join(f"{entry['score']:.2f}" for entry in value)
    elif key == "answer":
        summary = f"{value['outcome']} ({value['reason']}), {len(value['sources'])} sources"
        yield f"    {sign} answer: {summary}"
        if (spent := value.get("usage", {}).get("total")) and spent["calls"]:
            yield f"    {sign} chat models in all: {spending_line(spent)}"
    elif key == "calls":
        yield from (f"    {sign} asked: {calls_line(entry)}" for entry in value)
    elif key == "messages":
        yield f"    {sign} messages: {len(value)}"
    elif key == "recalled":
        yield f"    {sign} recalled: {len(value)} memories"
        for memory in value:
            yield f"        {memory['id']}  {memory['score']}"
    elif key == "asks":
        for number, ask in enumerate(value, 1):
            yield f"    {sign} question {number}: {_short(ask['query'])}"
    elif key == "queries":
        yield f"    {sign} query: {_short(value[-1])}"
    else:
        yield f"    {sign} {key}: {_short(value)}"


def _statements(sign: str, statements: list[dict[str, Any]]) -> Iterator[str]:
    yield f"    {sign} statements: {len(statements)}"
    for item in statements:
        chance = "–" if item["probability"] is None else f"{item['probability']:.2f}"
        failed = f"  ({'; '.join(item['failed_checks'])})" if item["failed_checks"] else ""
        yield f"        {item['verdict']:<11} {chance}  {_short(item['text'], 70)}{failed}"
        by = f", checked by {item['checked_by']}" if item.get("checked_by") else ""
        yield f"                          cites {', '.join(item['citations']) or 'nothing'}{by}"


def _short(value: Any, most: int = 100) -> str:
    text = " ".join(
        (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split()
    )
    return text if len(text) <= most else text[: most - 1] + "…"
