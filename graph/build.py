"""The graph: its steps and the edges between them.

START → screen → (recall ∥ retrieve) → rerank → generate → verify → remember → END
            │                            │                   │  ↑
            └──────→ fallback ←──────────┴───────────────────┤  └─ retrieve ← rewrite
                        └────→ remember                      └────────────────┘
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from anamnesis.address import Location
from anamnesis.memory.store import Memories
from anamnesis.models.critic import Critic
from anamnesis.models.wrapped import Chat
from graph.arguments import Limits, default_context, limited, parts_of, require_functions
from graph.step import ApplyPolicy, BeforeStep, Hooks, Node, Observer, as_step
from nodes.cost.reply_cache import reply_cache_of
from nodes.fallback import fallback
from nodes.generate import generate
from nodes.recall import recall
from nodes.remember import remember
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.rewrite import rewrite
from nodes.routes import after_screen, chosen_edge
from nodes.screen import screen
from nodes.settings.context import Context
from nodes.state import Input, Output, State, Update
from nodes.verify import verify
from retrievers.corpus import Corpus
from retrievers.fetched import fetched_of, forget

Graph = CompiledStateGraph[State, Context, Input, Output]

STEPS: dict[str, Callable[..., Update]] = {
    "screen": screen, "recall": recall, "retrieve": retrieve, "rerank": rerank,
    "generate": generate, "verify": verify, "rewrite": rewrite, "fallback": fallback,
    "remember": remember,
}  # fmt: skip
"""The steps in their order, by name: the one definition of both. What other modules say of a step
(what it reads, where it is drawn) is compared with it by ``tests/graph/test_steps.py``."""

_RECURSION_LIMIT = 100
"""Maximum steps of a run: ten rounds of five steps, and the steps before and after them.
LangGraph's own limit of about 10,000 would let a wrong edge loop for hours."""


def build_graph(
    *,
    index: Corpus | Location | str | None = None,
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
    before_step: BeforeStep | None = None,
    time_limit: Callable[[], float] | None = None,
    policy: ApplyPolicy | None = None,
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
    step to this part; no other passage is found, quoted or compared with a statement. In a parent
    graph with its own context, the runtime has this context, otherwise the settings of the run.

    ``observe`` is called with the name, the state, the update and the runtime of every finished
    step; if a step failed, the update is ``{"error": …}``. ``before_step`` is called with the
    runtime before each step. If it returns a function, this function is called after the step,
    before its update is returned. An error in either function ends the run. ``policy`` is a
    function from the requested settings to those that a step uses; it raises an error to refuse
    them. With a ``policy``, error messages are made safe for other users
    (``anamnesis.shown_errors``).

    ``time_limit`` returns how many seconds a run may take. After that time no chat model is called
    and no further search is started; after 1.5 times that time the run ends with ``RunError``.

    Raises SettingError, which names the part and the missing method.
    """
    parts = parts_of(
        index=index, retriever=retriever, embeddings=embeddings, chat=chat, critic=critic,
        reranker=reranker, memories=memories, limits=filter, served=policy is not None,
    )  # fmt: skip

    hooks = Hooks(observe, before_step, time_limit, policy)
    require_functions(**hooks._asdict())
    hooks = hooks._replace(defaults=default_context(context))

    def step(name: str, node: Callable[..., Update]) -> Node:
        cache_of = partial(reply_cache_of, name, parts=parts)

        def with_parts(state: State, runtime: Runtime[Context], came: Runtime[Any]) -> Update:
            of_run = replace(parts, fetched=fetched_of(runtime.control))
            try:
                update = node(state, runtime, parts=limited(of_run, filter, runtime, came))
            except BaseException:
                # A run that is interrupted, or fails, must not hold a replaced index.
                forget(runtime.control)
                raise
            if name == "remember":  # the last step
                forget(runtime.control)
            return update

        return as_step(name, with_parts, hooks, cache_of)

    compiled = _wired(step).compile(checkpointer, name="anamnesis")
    compiled.config = {"recursion_limit": _RECURSION_LIMIT}
    return compiled


def _wired(
    step: Callable[[str, Callable[..., Update]], Any],
) -> StateGraph[State, Context, Input, Output]:
    """The steps and the edges between them."""
    builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)
    for name, node in STEPS.items():
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


def chosen_edges(built: Graph) -> set[tuple[str, str]]:
    """The edges from a step that chooses the next one; ``built.builder.edges`` are the others."""
    return {
        (start, end)
        for start, branches in built.builder.branches.items()
        for branch in branches.values()
        for end in (branch.ends or {}).values()
    }


graph = build_graph()
