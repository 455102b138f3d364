"""The objects passed to ``build_graph``, checked when the graph is built."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from anamnesis import SettingError
from anamnesis.address import Address, parse_location
from anamnesis.attributes import missing_attributes, require
from anamnesis.memory.store import Memories
from anamnesis.models.embedding import Embedder
from anamnesis.models.langchain_embeddings import LangChainEmbedder
from anamnesis.models.langchain_reranker import as_reranker
from anamnesis.models.wrapped import Chat, without_bound_tools
from nodes.parts import Parts
from nodes.settings.context import Context, context_from
from retrievers.corpus import Corpus, require_corpus
from retrievers.filter import Filter
from retrievers.opening import open_corpus
from retrievers.retriever_corpus import RetrieverCorpus

_CRITIC = ("name", "method", "judge")


def parts_of(
    *,
    index: Any = None,
    retriever: Any = None,
    embeddings: Any = None,
    chat: Chat | None = None,
    critic: Any = None,
    reranker: Any = None,
    memories: Memories | None = None,
    limits: Any = None,
    served: bool = False,
) -> Parts:
    """The parts of a graph, from the arguments of ``graph.build.build_graph``.

    ``limits`` is its ``filter``; ``served`` is whether runs are other users' (``Parts.on_server``).
    Raises SettingError, which names the part and the missing method.
    """
    where = parse_location(index) if isinstance(index, str | Path | Address) else None
    if index is not None and where is None:
        _check_opened_index(index, retriever, embeddings)
    embedder = _as_embedder(embeddings)
    if where is not None:
        open_corpus(where, embedder)  # fails early; each run reads the present state
    corpus: Corpus | None = index if where is None else None
    added: RetrieverCorpus | None = None
    if retriever is not None:
        wrapped = RetrieverCorpus(retriever, corpus, embedder)
        corpus, added = (wrapped, None) if where is None else (None, wrapped)
    _check_objects(critic, memories, limits)
    return Parts(
        given_index=corpus,
        given_chat=None if chat is None else without_bound_tools(chat),
        given_critic=critic,
        given_reranker=None if reranker is None else as_reranker(reranker),
        given_memories=memories,
        on_server=served,
        given_embedder=embedder,
        given_location=where,
        given_retriever=added,
    )


def _check_opened_index(index: Any, retriever: Any, embeddings: Any) -> None:
    """Raise SettingError if ``index`` is not a corpus, or if ``embeddings`` are given with one."""
    for method, kind in (("invoke", "retriever"), ("similarity_search", "vector store")):
        if retriever is None and not missing_attributes(index, [method]):
            raise SettingError(f"index: {type(index).__name__} is a {kind}; give it as retriever=…")
    require_corpus(index)
    if embeddings is not None:
        raise SettingError(
            "embeddings: the index is opened already, and embeds questions itself; give its "
            "folder or address as index=…, or open it with retrievers.index.open_index("
            "folder, LangChainEmbedder(embeddings)) and leave embeddings out"
        )


def _as_embedder(embeddings: Any) -> Embedder | None:
    """The embedder; LangChain's ``Embeddings`` are wrapped."""
    if embeddings is None:
        return None
    ours = not missing_attributes(embeddings, ("embed_documents", "embed_queries", "fingerprint"))
    return embeddings if ours else LangChainEmbedder(embeddings)


def _check_objects(critic: Any, memories: Any, limits: Any) -> None:
    """Raise SettingError if one of these objects lacks a required method."""
    if critic is not None:
        remedy = "give an anamnesis.models.critic.Critic, such as load_critic(…)"
        require("critic", critic, _CRITIC, remedy)
    if memories is not None:
        require("memories", memories, ("nearest", "add", "all"), "give a Memories(…) of a folder")
    if limits is not None and not isinstance(limits, Filter):
        require("filter", limits, ("__call__",), "give a Filter, or a function that returns one")


def require_functions(**given: object) -> None:
    """Raise SettingError for an argument that is set and is not a function."""
    for name, item in given.items():
        if item is not None:
            require(name, item, ("__call__",), "give a function")


def default_context(given: object) -> Context | None:
    """The settings of runs that are started without any. Raises SettingError for other objects."""
    if given is None or isinstance(given, Context):
        return given
    if not isinstance(given, dict):
        raise SettingError(
            f"context: {type(given).__name__} is no settings; give Context(…) or a dict"
        )
    return context_from(given)


Limits = Filter | Callable[[Runtime[Any]], Filter]
"""The part of the index that may be used: the same for everybody, or by run (its user)."""


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What a run is called with as an agent's tool: the agent's context, and the run's settings."""

    agent: Any
    anamnesis: Context

    def for_filter(self) -> Any:
        """A copy of the agent's context, whose ``anamnesis`` is the run's settings.

        Raises SettingError if its class allows no such attribute.
        """
        if isinstance(self.agent, dict):
            return {**self.agent, "anamnesis": self.anamnesis}
        agent = copy(self.agent)
        kind: Any = type(self.agent)
        try:
            object.__setattr__(agent, "anamnesis", self.anamnesis)
        except AttributeError:  # slots without a place for it, or a property
            fields = {"__slots__": (), "anamnesis": self.anamnesis}
            try:
                object.__setattr__(agent, "__class__", type(kind)(kind.__name__, (kind,), fields))
            except TypeError as error:
                raise SettingError(
                    f"context: {kind.__name__} has no place for 'anamnesis', the settings of the "
                    "run, which the filter needs; add a field 'anamnesis' to the class"
                ) from error
        return agent


def limited(
    parts: Parts, limits: Limits | None, runtime: Runtime[Context], came: Runtime[Any]
) -> Parts:
    """The parts of one run, limited to the part of the index that its user may read.

    ``came`` is the runtime as the graph was called. A function gets it if its context is that of a
    parent graph or of an agent whose tool the graph is, otherwise ``runtime``, whose context is the
    settings that the policy permits.
    Raises SettingError if a function returns no ``Filter``, so that nothing is read by mistake.
    """
    if limits is None:
        return parts
    of_parent = not isinstance(came.context, Context | None)
    if isinstance(came.context, AgentContext):
        came = came.override(context=came.context.for_filter())
    chosen = limits if isinstance(limits, Filter) else limits(came if of_parent else runtime)
    if not isinstance(chosen, Filter):
        raise SettingError(
            f"filter: the function returned {type(chosen).__name__}; return a Filter"
        )
    return replace(parts, limits=chosen)
