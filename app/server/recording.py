"""The graph as the server and the page run it; ``ANAMNESIS_TRACES=1`` records every run.

Off by default, because a record contains the user's texts. ``ANAMNESIS_OTLP_ENDPOINT`` exports
spans, in addition or instead (``app.trace.spans``). A run's file is in the folder of its user
(``app.trace.runs.folder``); it is written as ``.partial`` and renamed once the run has ended.
"""

import logging
import os
from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime

from anamnesis import SettingError
from anamnesis.limits import limits
from anamnesis.memory.opening import forgotten
from app.server.auditing import RunBegins
from app.server.starts import note_start
from app.trace import files as trace_file
from app.trace import runs as trace
from app.trace.runs import MOST_RUNS
from app.users.identity import readable
from graph.build import build_graph
from graph.step import Observer
from nodes.policy import apply_policy
from nodes.remembering.start_time import requested_at
from nodes.settings.context import Context, owner, settings
from nodes.settings.names import by_name
from nodes.state import State, Update
from retrievers.filter import Filter

SETTING = "ANAMNESIS_TRACES"
"""The environment variable that turns recording on."""
SPANS = "ANAMNESIS_OTLP_ENDPOINT"
"""The environment variable with the collector's address, such as ``http://localhost:4318``."""

_log = logging.getLogger(__name__)


class Recorder:
    """Writes the steps of runs as they end, each run to a separate file."""

    def __init__(self) -> None:
        # Runs that have started: the id in the record's name, or None if it has since been deleted.
        self._runs: dict[str, str | None] = {}
        self._lock = Lock()

    def __call__(self, node: str, state: State, update: Update, runtime: Runtime[Context]) -> None:
        """Record a step that has ended."""
        info = runtime.execution_info
        if os.environ.get(SETTING) != "1" or info is None:
            return
        key = str(info.run_id or info.thread_id)
        with self._lock:
            try:
                self._write(key, node, state, update, runtime)
            except FileNotFoundError:
                self._runs[key] = None
            finally:
                if node == "remember" or "error" in update:
                    self._runs.pop(key, None)

    def _write(
        self, key: str, node: str, state: State, update: Update, runtime: Runtime[Context]
    ) -> None:
        info, user = runtime.execution_info, owner(runtime)
        lines: list[Mapping[str, Any]] = []
        if new := node == "screen" or key not in self._runs:
            self._runs[key] = trace.new_run()
            while len(self._runs) > MOST_RUNS:
                del self._runs[next(iter(self._runs))]
        if not (run := self._runs[key]):
            return
        if new:
            context = by_name(settings(runtime), given_only=True)
            question = update.get("original_question") or state.get("original_question", "")
            head = trace.head(run, question, context)
            lines.append({**head, "thread": info and info.thread_id})
        number = get_config()["metadata"]["langgraph_step"]
        lines.append({**trace.step_of(number, node, state, update)})
        partly = trace.make_folder(user) / f"{run}.partial"
        if new:
            trace_file.write(partly, [], new=True)
        # Checked when the file exists and is still empty: a later deletion finds the file, and the
        # texts of a run that began before a deletion never reach the disk.
        source = update if node == "screen" else state
        if user and (source.get("requested_at") or requested_at(runtime)) <= forgotten(user):
            trace.delete(partly.parent, run)
            self._runs[key] = None
            return
        trace_file.write(partly, lines, new=False)
        if node == "remember" or "error" in update:
            partly.replace(partly.with_suffix(".jsonl"))


def harmless(*observers: Observer | None) -> Observer:
    """One observer that calls all. A failure of one affects neither the answer nor the others."""
    there = [observer for observer in observers if observer is not None]

    def observe(node: str, state: State, update: Update, runtime: Runtime[Context]) -> None:
        for observer in there:
            try:
                observer(node, state, update, runtime)
            except Exception:
                _log.warning("a step could not be recorded", exc_info=True)

    return observe


def _spans() -> Observer | None:
    """Spans for the collector in the environment; None if none is set."""
    collector = os.environ.get(SPANS)
    if not collector:
        return None
    try:
        from app.trace.spans import Spans
    except ImportError as error:
        raise SettingError(
            f"{SPANS} is set, which needs {error.name}: pip install 'anamnesis[server]'"
        ) from error
    return Spans(collector)


_begins = RunBegins()
_observe = harmless(Recorder(), _spans())


def _before_step(runtime: Runtime[Context]) -> Callable[[], None] | None:
    """Called before every step: records the run in the audit log and counts its start."""
    on_disk = _begins(runtime)
    note_start(runtime)
    return on_disk


def unchanged_settings(requested: Context) -> Context:
    """The settings, unchanged."""
    return requested


READABLE = "readable"
"""The entry of ``configurable`` with the documents that a run of the page may use, a ``Filter``."""


def for_all() -> dict[str, Any]:
    """The configuration of a run of the page whose answer several users see."""
    return {"configurable": {READABLE: readable(None)}}


def _of_page(runtime: Runtime[Context]) -> Filter:
    """What the page gives with each run; without it, the documents without access groups."""
    given: Filter = get_config()["configurable"].get(READABLE, Filter())
    return given


def _of_user(runtime: Runtime[Context]) -> Filter:
    """What the authenticated user may read, whatever the run's configuration says."""
    return readable(runtime.server_info and runtime.server_info.user)


_build = partial(
    build_graph, observe=_observe, before_step=_before_step, time_limit=lambda: limits().run_timeout
)

graph = _build(filter=_of_page)
"""The graph that the page runs for the owner of the machine."""

paged = _build(policy=unchanged_settings, filter=_of_page)
"""The graph that the server's page runs for users; the policy is already applied to settings."""

served = _build(policy=apply_policy, filter=_of_user)
"""The graph of ``langgraph.json``: callers may change the settings that the policy permits."""
