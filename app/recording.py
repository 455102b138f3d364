"""The graph as the server and the page run it: with ``ANAMNESIS_TRACES=1`` every run is recorded.

Off unless set, for a record holds the words of the one who asked. ``ANAMNESIS_OTLP`` has spans
sent beside it, or instead (``app.spans``). A run's file is in the folder
of its user (``app.trace.folder``); it grows as ``.partial``, and is a trace once the run has ended.
"""

import logging
import os
from threading import Lock

from langgraph.runtime import Runtime

from anamnesis import SettingError
from app import trace
from graph.build import Observer, build_graph
from nodes.context import Context, owner, settings
from nodes.state import State, Update

SETTING = "ANAMNESIS_TRACES"
"""The environment variable that has runs recorded."""
SPANS = "ANAMNESIS_OTLP"
"""The environment variable with the collector's address, such as ``http://localhost:4318``."""

_log = logging.getLogger(__name__)


class Recorder:
    """Writes the steps of runs as they end, each run's to a file of its own."""

    def __init__(self) -> None:
        # Runs that have begun: the id in the trace's name, and the steps written.
        self._runs: dict[str, tuple[str, int]] = {}
        self._lock = Lock()

    def __call__(self, node: str, state: State, update: Update, runtime: Runtime[Context]) -> None:
        """Record a step that has ended. A failure to record never costs the user the answer."""
        if os.environ.get(SETTING) != "1" or runtime.execution_info is None:
            return
        try:
            with self._lock:
                self._write(node, state, update, runtime)
        except OSError:
            _log.warning("a step could not be recorded", exc_info=True)

    def _write(self, node: str, state: State, update: Update, runtime: Runtime[Context]) -> None:
        info = runtime.execution_info
        key = str(info and (info.run_id or info.thread_id))
        folder = trace.folder(owner(runtime))
        lines = []
        if node == "screen" or key not in self._runs:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._runs[key] = (trace.new_run(), 0)
            context = settings(runtime).model_dump(mode="json", exclude_unset=True)
            asked = update.get("asked") or state.get("asked", "")
            head = trace.head(self._runs[key][0], asked, context)
            lines.append({**head, "thread": info and info.thread_id})
        run, number = self._runs[key]
        self._runs[key] = (run, number + 1)
        lines.append({**trace.step_of(number + 1, node, state, update)})
        partly = folder / f"{run}.partial"
        with partly.open("a", encoding="utf-8") as out:
            out.writelines(map(trace.line, lines))
        if node == "remember" or "error" in update:
            del self._runs[key]
            partly.replace(folder / f"{run}.jsonl")


def _observe(*observers: Observer | None) -> Observer:
    there = [observer for observer in observers if observer is not None]

    def observe(node: str, state: State, update: Update, runtime: Runtime[Context]) -> None:
        for observer in there:
            observer(node, state, update, runtime)

    return observe


def _spans() -> Observer | None:
    """Spans for the collector in the environment; None where none is named."""
    collector = os.environ.get(SPANS)
    if not collector:
        return None
    try:
        from app.spans import Spans
    except ImportError as error:
        raise SettingError(
            f"{SPANS} is set, which needs {error.name}: pip install 'anamnesis[server]'"
        ) from error
    return Spans(collector)


graph = build_graph(observe=_observe(Recorder(), _spans()))
"""The graph that ``langgraph.json`` names, and that the page runs."""
