"""The graph: its steps, the edges between them, and what surrounds each step.

START → screen → (recall ∥ retrieve) → rerank → generate → verify → remember → END
            │                            │                   │  ↑
            └──────→ fallback ←──────────┴───────────────────┤  └─ retrieve ← rewrite
                        └────→ remember                      └────────────────┘
"""

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from langchain_core.caches import BaseCache
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from anamnesis import RunError
from anamnesis.address import Where
from anamnesis.memory.store import Memories
from anamnesis.models.caching import caching_replies
from anamnesis.models.calling import with_deadline
from anamnesis.models.critic import Critic
from anamnesis.models.redaction import redacting
from anamnesis.models.wrapped import Chat
from anamnesis.replaced_prompts import replacing_prompts
from anamnesis.shown_errors import for_others
from graph.arguments import (
    Limits,
    default_context,
    limited,
    own_context,
    parts_of,
    require_functions,
)
from nodes.context import Context, settings
from nodes.cost.calls import count_calls
from nodes.cost.reply_cache import reply_cache_of
from nodes.evidence.fetched import fetched_of, forget
from nodes.evidence.safety import safety_checks
from nodes.fallback import fallback
from nodes.generate import generate
from nodes.recall import recall
from nodes.remember import remember
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.rewrite import rewrite
from nodes.routes import after_screen, chosen_edge
from nodes.screen import screen
from nodes.state import Input, Output, State, Update
from nodes.verify import verify
from prompts import replaced
from retrievers.corpus import Corpus

Observer = Callable[[str, State, Update, Runtime[Context]], None]
Begin = Callable[[Runtime[Context]], Callable[[], None] | None]
Rule = Callable[[Context], Context]
CacheOf = Callable[[State, Runtime[Context]], BaseCache | None]
Graph = CompiledStateGraph[State, Context, Input, Output]

_STEPS: dict[str, Callable[..., Update]] = {
    "screen": screen, "recall": recall, "retrieve": retrieve, "rerank": rerank,
    "generate": generate, "verify": verify, "rewrite": rewrite, "fallback": fallback,
    "remember": remember,
}  # fmt: skip

_RECURSION_LIMIT = 100
"""Maximum steps of a run: ten rounds of five steps, and the steps before and after them.
LangGraph's own limit of about 10,000 would let a wrong edge loop for hours."""

_GRACE = 1.5
"""A run may take this many times its time limit, to check the statements that it already has."""


def build_graph(
    *,
    index: Corpus | Where | str | None = None,
    retriever: Any = None,
    embeddings: Any = None,
    chat: Chat | None = None,
    critic: Critic | None = None,
    reranker: Any = None,
    memories: Memories | None = None,
    checkpointer: Any = None,
    context: Context | dict[str, Any] | None = None,
    filter: Limits | None = None,
    observe: Observer | None = None,
    begin: Begin | None = None,
    seconds: Callable[[], float] | None = None,
    rule: Rule | None = None,
) -> Graph:
    """The compiled graph, with the given ``checkpointer`` (the server injects its own).

    An object passed here replaces the part that the run's settings name; LangChain objects are
    accepted (see docs/python.md). ``index`` is a corpus, a folder, or the address of a server such
    as ``postgresql://…``, which each run reads in its present state. ``retriever`` is a
    ``BaseRetriever`` or ``VectorStore``; its list is used alone or, if an ``index`` is given too,
    fused with the lists of the index. ``embeddings`` are those that the index was made with.
    ``reranker`` is a ``BaseDocumentCompressor`` or ``BaseCrossEncoder``, or an
    ``anamnesis.models.reranker.Reranker``; ``chat`` is any chat model. ``context`` has the settings
    of runs that are started without settings, for example by a parent graph with its own context.
    ``filter`` is the part of the index that may be used, or a function from the runtime of each
    step to this part; no other passage is found, quoted or compared with a statement.

    ``observe`` is called with the name, the state, the update and the runtime of every finished
    step; if a step failed, the update is ``{"error": …}``. ``begin`` is called with the runtime
    before each step. If it returns a function, this function is called after the step, before its
    update is returned. An error in either function ends the run. ``rule`` is a function from the
    requested settings to those that a step uses; it raises an error to refuse them. With a
    ``rule``, error messages are made safe for other users (``anamnesis.shown_errors``).

    ``seconds`` returns how many seconds a run may take. After that time no chat model is called and
    no further search is started; after 1.5 times that time the run ends with ``RunError``.

    Raises SettingError, which names the part and the missing method.
    """
    parts = parts_of(
        index=index, retriever=retriever, embeddings=embeddings, chat=chat, critic=critic,
        reranker=reranker, memories=memories, limits=filter, served=rule is not None,
    )  # fmt: skip

    require_functions(observe=observe, begin=begin, seconds=seconds, rule=rule)
    defaults = default_context(context)

    def step(name: str, node: Callable[..., Update]) -> Node:
        cache_of = partial(reply_cache_of, name, parts=parts)

        def with_parts(state: State, runtime: Runtime[Context]) -> Update:
            of_run = replace(parts, fetched=fetched_of(runtime))
            update = node(state, runtime, parts=limited(of_run, filter, runtime))
            if name == "remember":  # the last step
                forget(runtime)
            return update

        return as_step(name, with_parts, observe, begin, seconds, rule, cache_of, defaults)

    compiled = _wired(step).compile(checkpointer, name="anamnesis")
    compiled.config = {"recursion_limit": _RECURSION_LIMIT}
    return compiled


def _wired(
    step: Callable[[str, Callable[..., Update]], Any],
) -> StateGraph[State, Context, Input, Output]:
    """The steps and the edges between them."""
    builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)
    for name, node in _STEPS.items():
        # Deferred: rerank waits for recall and retrieve in the first round, and only for retrieve
        # in later rounds. A list edge would wait for a recall that does not run again.
        builder.add_node(name, step(name, node), defer=name == "rerank")
    builder.add_edge(START, "screen")
    builder.add_conditional_edges("screen", after_screen, ["recall", "retrieve", "fallback"])
    builder.add_edge("recall", "rerank")
    builder.add_edge("retrieve", "rerank")
    builder.add_conditional_edges("rerank", chosen_edge, ["generate", "fallback"])
    builder.add_edge("generate", "verify")
    builder.add_conditional_edges("verify", chosen_edge, ["remember", "rewrite", "fallback"])
    builder.add_edge("rewrite", "retrieve")
    builder.add_edge("fallback", "remember")
    builder.add_edge("remember", END)
    return builder


class Node(Protocol):
    """A step in the form that LangGraph calls."""

    def __call__(self, state: State, runtime: Runtime[Context]) -> Update:
        """The changes of the step to the state."""


def as_step(
    name: str,
    node: Callable[[State, Runtime[Context]], Update],
    observe: Observer | None = None,
    begin: Begin | None = None,
    seconds: Callable[[], float] | None = None,
    rule: Rule | None = None,
    cache_of: CacheOf | None = None,
    defaults: Context | None = None,
) -> Node:
    """The node as a step of the graph.

    The step reports its start to streams, runs the node with the settings, time limit, reply cache,
    redaction and prompts of the run, and adds its time and model calls to the state. ``observe``,
    ``begin``, ``seconds`` and ``rule`` are those of ``build_graph``. ``cache_of`` returns the cache
    for replies of models, if any; ``defaults`` are the settings of runs that are started without
    settings.
    """

    def step(state: State, runtime: Runtime[Context]) -> Update:
        runtime = _with_settings(runtime, defaults, rule)
        context = settings(runtime)
        # There is one query per round; screen still sees the queries of the previous turn.
        number = 1 if name == "screen" else len(state["queries"])
        runtime.stream_writer({"type": "progress", "step": name, "round": number})
        start = time.perf_counter()
        # A start in the future would give the run no time limit.
        begun = min(state.get("started") or math.inf, time.monotonic())
        allowed = None if seconds is None else seconds()
        deadline = with_deadline(None if allowed is None else begun + allowed)
        caching = caching_replies(None if cache_of is None else cache_of(state, runtime))
        redaction, texts = redacting(context.generator.redact), ExitStack()
        with count_calls() as calls, deadline, caching, redaction, texts:
            try:
                # With a rule, callers are other users, who must not name files of this machine.
                prompts = replaced(context.generator.prompts, files=rule is None)
                texts.enter_context(replacing_prompts(prompts))
                texts.enter_context(safety_checks(context.verification.safety_checks))
                end = None if begin is None else begin(runtime)
                if allowed is not None:
                    _refuse_late(name, time.monotonic() - begun, allowed)
                update = node(state, runtime)
                if end is not None:
                    end()
            except Exception as error:
                # With a rule, the error and its record must be safe for other users.
                shown = error if rule is None else for_others(error)
                if observe is not None:
                    failed: Update = {"error": f"{type(shown).__name__}: {shown}"}
                    observe(name, state, failed | calls.update(), runtime)
                if shown is error:
                    raise
                raise shown from None
            counted = calls.update()
        milliseconds = round((time.perf_counter() - start) * 1000, 2)
        full: Update = {**update, **counted, "timings": {name: milliseconds}}
        full["spent"] = {name: calls.spent()}
        if allowed is not None:
            full["started"] = begun
        if observe is not None:
            observe(name, state, full, runtime)
        return full

    step.__name__ = name
    return step


def _with_settings(
    runtime: Runtime[Context], defaults: Context | None, rule: Rule | None
) -> Runtime[Context]:
    """The runtime with the settings that a step uses as its context."""
    runtime = runtime.override(context=own_context(runtime.context, defaults))
    return runtime if rule is None else runtime.override(context=rule(settings(runtime)))


def _refuse_late(name: str, passed: float, allowed: float) -> None:
    """Raise RunError if a step begins long after the run should have ended; times in seconds."""
    if passed > allowed * _GRACE:
        raise RunError(
            f"the run was ended before the step {name!r}: it took {passed:.0f} s, and "
            f"{allowed:.0f} s are allowed; ask again later or with fewer passages, or have the "
            "operator raise the limit"
        )


graph = build_graph()
