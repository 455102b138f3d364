"""A node of the graph with what surrounds it: settings, time limit, caches, and observation."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from langchain_core.caches import BaseCache
from langchain_core.runnables import Runnable, RunnableConfig, run_in_executor
from langgraph.runtime import Runtime, get_runtime

from anamnesis import RunError
from anamnesis.awaiting import awaiting_in
from anamnesis.models.caching import caching_replies
from anamnesis.models.calling import with_deadline
from anamnesis.models.redaction import redacting
from anamnesis.replaced_prompts import replacing_prompts
from anamnesis.shown_errors import for_others
from nodes.cost.calls import count_calls
from nodes.evidence.safety import safety_checks
from nodes.settings.context import Context, own_context, settings
from nodes.state import State, Update
from prompts import replaced

Observer = Callable[[str, State, Update, Runtime[Context]], None]
BeforeStep = Callable[[Runtime[Context]], Callable[[], None] | None]
ApplyPolicy = Callable[[Context], Context]
CacheOf = Callable[[State, Runtime[Context]], BaseCache | None]

_GRACE = 1.5
"""A run may take this many times its time limit, to check the statements that it already has."""


class Hooks(NamedTuple):
    """What surrounds every step: arguments of ``graph.build.build_graph``.

    ``defaults`` are the settings of runs that are started without settings.
    """

    observe: Observer | None = None
    before_step: BeforeStep | None = None
    time_limit: Callable[[], float] | None = None
    policy: ApplyPolicy | None = None
    defaults: Context | None = None


class Node(Protocol):
    """A step in the form that LangGraph calls."""

    def __call__(self, state: State, runtime: Runtime[Context]) -> Update:
        """The changes of the step to the state."""


class StepRunnable(Runnable[State, Update]):
    """A step as a node of the graph.

    If the graph is awaited, the step runs in a thread, and what must be awaited in it runs in the
    loop of the caller (``anamnesis.awaiting``).
    """

    def __init__(self, step: Node) -> None:
        self._step = step

    def invoke(self, input: State, config: RunnableConfig | None = None, **_: Any) -> Update:
        """The changes of the step to the state."""
        with awaiting_in(None):
            return self._step(input, get_runtime(Context))

    async def ainvoke(self, input: State, config: RunnableConfig | None = None, **_: Any) -> Update:
        """The same."""
        with awaiting_in(asyncio.get_running_loop()):
            return await run_in_executor(config, self._step, input, get_runtime(Context))


def as_step(
    name: str,
    node: Callable[[State, Runtime[Context], Runtime[Any]], Update],
    hooks: Hooks,
    cache_of: CacheOf,
) -> Node:
    """The node as a step of the graph.

    The step reports its start to streams, runs the node with the settings, time limit, reply cache,
    redaction and prompts of the run, and adds its time and model calls to the state. The node gets
    the state, the runtime whose context is the settings, and the runtime as it came. ``cache_of``
    returns the cache for replies of models, if any.
    """

    def step(state: State, runtime: Runtime[Context]) -> Update:
        came, runtime = runtime, _with_settings(runtime, hooks)
        redaction = redacting(settings(runtime).generator.redact)
        # There is one query per round; screen still sees the queries of the previous turn.
        number = 1 if name == "screen" else len(state["queries"])
        runtime.stream_writer({"type": "progress", "step": name, "round": number})
        start = time.perf_counter()
        # A start in the future would give the run no time limit.
        run_start = min(state.get("started") or math.inf, time.monotonic())
        limit = None if hooks.time_limit is None else hooks.time_limit()
        deadline = with_deadline(None if limit is None else run_start + limit)
        caching = caching_replies(cache_of(state, runtime))
        with count_calls() as calls, deadline, caching, redaction:
            try:
                with _own_texts(runtime, hooks):
                    wait = None if hooks.before_step is None else hooks.before_step(runtime)
                    if limit is not None:
                        _refuse_late(name, time.monotonic() - run_start, limit)
                    update = node(state, runtime, came)
                    if wait is not None:
                        wait()
            except Exception as error:
                # With a policy, the error and its record must be safe for other users.
                shown = error if hooks.policy is None else for_others(error)
                if hooks.observe is not None:
                    failed: Update = {"error": f"{type(shown).__name__}: {shown}"}
                    hooks.observe(name, state, failed | calls.update(), runtime)
                if shown is error:
                    raise
                raise shown from None
            counted = calls.update()
        milliseconds = round((time.perf_counter() - start) * 1000, 2)
        full: Update = {**update, **counted, "timings": {name: milliseconds}}
        full["spent"] = {name: calls.spent()}
        if limit is not None:
            full["started"] = run_start
        if hooks.observe is not None:
            hooks.observe(name, state, full, runtime)
        return full

    step.__name__ = name
    return step


def _with_settings(runtime: Runtime[Context], hooks: Hooks) -> Runtime[Context]:
    """The runtime with the settings that a step uses as its context."""
    runtime = runtime.override(context=own_context(runtime.context, hooks.defaults))
    if hooks.policy is None:
        return runtime
    return runtime.override(context=hooks.policy(settings(runtime)))


@contextmanager
def _own_texts(runtime: Runtime[Context], hooks: Hooks) -> Iterator[None]:
    """Use the prompts and the safety checks of the run's settings.

    With a policy, callers are other users, who must not name files of this machine.
    """
    context = settings(runtime)
    prompts = replaced(context.generator.prompts, files=hooks.policy is None)
    with replacing_prompts(prompts), safety_checks(context.verification.safety_checks):
        yield


def _refuse_late(name: str, passed: float, limit: float) -> None:
    """Raise RunError if a step begins long after the run should have ended; times in seconds."""
    if passed > limit * _GRACE:
        raise RunError(
            f"the run was ended before the step {name!r}: it took {passed:.0f} s, and "
            f"{limit:.0f} s are allowed; ask again later or with fewer passages, or have the "
            "operator raise the limit"
        )
