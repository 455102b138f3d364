"""Runs as OpenTelemetry spans, sent to a collector.

One span per run and, below it, one per step, with times, ids, scores and decisions. They contain no
text of the question or the answer, because a collector is outside the data folder.
"""

import time
from threading import Lock
from typing import Any

from langgraph.runtime import Runtime
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, StatusCode, set_span_in_context
from opentelemetry.util.types import AttributeValue

from app.trace.runs import MOST_RUNS
from nodes.settings.context import Context
from nodes.state import State, Update

_TOKENS = ("prompt_tokens", "reply_tokens", "estimated")


class Spans:
    """Makes spans from the steps of runs as they end."""

    def __init__(self, collector: str) -> None:
        self._provider = TracerProvider(
            resource=Resource.create({"service.name": "anamnesis"}), shutdown_on_exit=True
        )
        exporter = OTLPSpanExporter(endpoint=f"{collector.rstrip('/')}/v1/traces")
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("anamnesis")
        self._runs: dict[str, Span] = {}
        self._lock = Lock()

    def __call__(self, node: str, state: State, update: Update, runtime: Runtime[Context]) -> None:
        """Add a span for a step that has ended; the span of the run ends with its last step."""
        info = runtime.execution_info
        key = str(info and (info.run_id or info.thread_id))
        end = time.time_ns()
        start = end - int(update.get("timings", {}).get(node, 0) * 1e6)
        with self._lock:
            if key not in self._runs:
                run = self._tracer.start_span("run", start_time=start, attributes={"run": key})
                self._runs[key] = run
                while len(self._runs) > MOST_RUNS:
                    self._runs.pop(next(iter(self._runs))).end()
            run = self._runs[key]
            if ended := node == "remember" or "error" in update:
                del self._runs[key]
        values = attributes(update)
        step = self._tracer.start_span(
            node, set_span_in_context(run), start_time=start, attributes=values
        )
        if "error" in update:
            step.set_status(StatusCode.ERROR)
            run.set_status(StatusCode.ERROR)
        step.end(end)
        if ended:
            run.end(end)

    def flush(self) -> None:
        """Send what has not been sent yet."""
        self._provider.force_flush()


def attributes(update: Update) -> dict[str, AttributeValue]:
    """The attributes of a step's span: ids, numbers and codes of its update, and no text."""
    shown: dict[str, AttributeValue] = {}
    route: dict[str, str] = update.get("route") or {}
    if route:
        shown |= {"to": route["to"], "why": route["why"]}
    for name in ("hits", "selected", "recalled"):
        if found := update.get(name):
            shown[name] = [item["id"] for item in found]
    draft: dict[str, Any] = update.get("draft") or {}
    # One list per key and one item per prompt: attributes cannot hold objects.
    if calls := update.get("calls"):
        shown["calls.files"] = [" + ".join(entry["files"]) for entry in calls]
        for name in ("model", "sha256", "calls", "failed", "cached", *_TOKENS):
            shown[f"calls.{name}"] = [entry[name] for entry in calls]
    if statements := draft.get("statements"):
        shown["verdicts"] = [item["verdict"] for item in statements]
        shown["probabilities"] = [
            -1.0 if item["probability"] is None else item["probability"] for item in statements
        ]
    if answer := update.get("answer"):
        shown |= {name: answer[name] for name in ("outcome", "reason", "rounds", "generator")}
    return shown
