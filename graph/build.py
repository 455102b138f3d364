"""The graph: its steps and the edges between them.

START → screen → recall and retrieve → rerank → generate → verify → remember → END
verify → rewrite → retrieve → rerank (a further round, without recall)
screen, rerank or verify → fallback → remember
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
from graph.step import ApplyPolicy, BeforeStep, Hooks, Node, Observer, StepRunnable, as_step
from nodes.cost.reply_cache import reply_cache_of
from nodes.fallback import fallback
from nodes.generate import generate
from nodes.question.searching import find_again
from nodes.recall import recall
from nodes.remember import remember
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.rewrite import rewrite
from nodes.routes import after_screen, chosen_edge
from nodes.screen import screen
from nodes.settings.context import Context, settings
from nodes.state import Input, Output, State, Update
from nodes.verify import verify
from retrievers.corpus import Corpus
from retrievers.fetched import drop_fetched, fetched_of

Graph = CompiledStateGraph[State, Context, Input, Output]

STEPS: dict[str, Callable[..., Update]] = {
    "screen": screen, "recall": recall, "retrieve": retrieve, "rerank": rerank,
    "generate": generate, "verify": verify, "rewrite": rewrite, "fallback": fallback,
    "remember": remember,
}  # fmt: skip
"""The steps by name, in their order. Names and order are defined only here.

``tests/graph/test_steps.py`` compares this dictionary with what other modules say about a step:
what the step reads, and where it is drawn.
"""

_RECURSION_LIMIT = 100
"""Maximum number of LangGraph steps of a run.

Ten rounds (the highest ``loop.max_rounds``) of five steps, with the steps before and after them,
need fewer than 60. LangGraph's default limit is about 10,000: a run with a wrong edge would then
repeat steps for hours.
"""


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

    An object passed here replaces the model, index or store that the settings of a run name.
    Objects of LangChain are accepted (see docs/python.md). ``index`` is a ``Corpus`` object, the
    folder of an index, or the address of a server such as ``postgresql://…``. A folder or a server
    is opened anew for each run, so that the run uses its current contents. ``retriever`` is a
    ``BaseRetriever`` or ``VectorStore``; its list is used alone or, if an ``index`` is given too,
    fused with the lists of the index. ``embeddings`` are those with which the index was made; they
    may not be given together with a ``Corpus`` object, which has its own. ``reranker`` is a
    ``BaseDocumentCompressor`` or ``BaseCrossEncoder``, or an
    ``anamnesis.models.reranker.Reranker``; ``chat`` is any chat model.

    ``context`` has the settings of runs that are started without any. A parent graph whose context
    is of another type can pass settings as the entry or attribute ``anamnesis`` of its context; if
    it does not, those in ``context`` are used.

    ``filter`` is a ``Filter``, or a function that gets the runtime of a step and returns a
    ``Filter``. Only passages that the filter permits are found, quoted or compared with a
    statement. The context of the runtime that the function gets is the settings of the run or, if a
    parent graph or an agent with a context of another type runs this graph, the context of the
    parent graph or of the agent.

    ``observe`` is called with the name, the state, the update and the runtime of every finished
    step; if a step failed, the update has the key ``error`` and, if models were called, their
    calls. ``before_step`` is called with the runtime before each step. It may return a function,
    which is called without arguments when the step has succeeded, before the update of the step is
    returned. An error in ``observe``, in ``before_step`` or in the returned function ends the run.

    ``policy`` is a function: it gets the requested settings and returns the settings that a step
    uses. To refuse the requested settings, it raises an error. With a ``policy``, error messages
    are made safe for other users (``anamnesis.shown_errors``).

    ``time_limit`` is a function that returns how many seconds a run may take. After this time no
    chat model is called and no further round is started. If a step would begin later than 1.5 times
    this time, ``RunError`` is raised instead.

    Raises SettingError if an argument cannot be used; the message names the argument and, if a
    method is missing, the method.
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

        def with_parts(
            state: State, runtime: Runtime[Context], caller_runtime: Runtime[Any]
        ) -> Update:
            run_parts = replace(parts, fetched=fetched_of(runtime.control))
            try:
                permitted = limited(run_parts, filter, runtime, caller_runtime)
                if name != "screen" and permitted.only_found and permitted.fetched.is_empty:
                    find_again(state, settings(runtime), permitted)
                update = node(state, runtime, parts=permitted)
            except BaseException:
                # If the run is interrupted or fails, nothing must keep a reference to its index,
                # which may have been replaced meanwhile.
                drop_fetched(runtime.control)
                raise
            if name == "remember":  # the last step
                drop_fetched(runtime.control)
            return update

        return as_step(name, with_parts, hooks, cache_of)

    compiled = _state_graph(step).compile(checkpointer, name="anamnesis")
    compiled.config = {"recursion_limit": _RECURSION_LIMIT}
    return compiled


def _state_graph(
    step: Callable[[str, Callable[..., Update]], Any],
) -> StateGraph[State, Context, Input, Output]:
    """The steps and the edges between them."""
    builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)
    for name, node in STEPS.items():
        # Deferred: rerank waits for recall and retrieve in the first round, and only for retrieve
        # in later rounds. A single edge from both, ``add_edge(["recall", "retrieve"], "rerank")``,
        # would wait in every round for recall, which runs only in the first.
        builder.add_node(name, StepRunnable(step(name, node)), defer=name == "rerank")
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


def conditional_edges(built: Graph) -> set[tuple[str, str]]:
    """The conditional edges: those from all steps that choose their next step.

    The fixed edges are ``built.builder.edges``.
    """
    return {
        (start, end)
        for start, branches in built.builder.branches.items()
        for branch in branches.values()
        for end in (branch.ends or {}).values()
    }


graph = build_graph()
