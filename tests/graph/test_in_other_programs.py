"""The graph as a part of another graph, whose settings are others."""

from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph

from anamnesis import SettingError
from graph import Context, build_graph
from nodes.settings.context import owner
from nodes.state import Answer
from retrievers.filter import Filter
from retrievers.index import Index
from tests.graph.conftest import ASK, Always, ScriptedCritic


class Whole(TypedDict, total=False):
    question: str
    answer: Answer


@dataclass
class ParentContext:
    """A parent's context, with a field that has the name of one of ours."""

    user: str = "the parent's"
    preset: str = "no preset of ours"
    anamnesis: Any = None


def parent(schema: Any, graph: Any) -> Any:
    builder = StateGraph(Whole, context_schema=schema)
    builder.add_node("ask", graph)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", END)
    return builder.compile()


def graph_in_parent(index: Index, **more: Any) -> Any:
    return build_graph(
        index=index, critic=ScriptedCritic({}), reranker=Always(),
        context=Context(retrieval={"min_relevance": 0.0}, generator={"passages": 1}), **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        (None, None),
        (ParentContext, None),
        (ParentContext, ParentContext()),
        (dict, {"user": "the parent's", "tenant": 3}),
        (Context, Context(retrieval={"min_relevance": 0.0}, generator={"passages": 1})),
    ],
)
def test_a_subgraph_takes_nothing_of_its_parents_context(
    small_index: Index, schema: Any, given: Any
) -> None:
    seen = []
    graph = graph_in_parent(
        small_index,
        observe=lambda name, state, update, runtime: seen.append(runtime.context),
    )
    answer = parent(schema, graph).invoke(ASK, context=given)["answer"]
    assert answer["outcome"] == "answered"
    assert {(context.user, context.generator.passages) for context in seen} == {(None, 1)}


@pytest.mark.parametrize(
    "settings", [Context(generator={"passages": 2}, retrieval={"min_relevance": 0.0}), None]
)
@pytest.mark.parametrize("schema", [ParentContext, dict])
def test_a_parents_context_can_hold_the_settings(
    small_index: Index, schema: Any, settings: Any
) -> None:
    seen: list[Any] = []
    graph = graph_in_parent(small_index, observe=lambda *given: seen.append(given[3].context))
    named = settings or {"generator.passages": 2, "retrieval.min_relevance": 0.0}
    context = ParentContext(anamnesis=named) if schema is ParentContext else {"anamnesis": named}
    parent(schema, graph).invoke(ASK, context=context)
    assert {context.generator.passages for context in seen} == {2}


@pytest.mark.parametrize("schema", [ParentContext, dict])
def test_a_filter_sees_the_parents_context(small_index: Index, schema: Any) -> None:
    seen: list[Any] = []

    def limits(runtime: Any) -> Filter:
        seen.append((runtime.context, owner(runtime)))
        return Filter(sources=())

    named = Context(user="ann", retrieval={"min_relevance": 0.0})
    context = (
        ParentContext(anamnesis=named)
        if schema is ParentContext
        else {"groups": ["a"], "anamnesis": named}
    )
    graph = graph_in_parent(small_index, filter=limits)
    answer = parent(schema, graph).invoke(ASK, context=context)["answer"]
    assert (answer["outcome"], answer["sources"]) == ("abstained", [])
    assert all(one == (context, "ann") for one in seen)
    seen.clear()
    parent(schema, graph).invoke(ASK)
    graph.invoke(ASK, context=named)
    assert all(isinstance(one, Context) for one, _ in seen)
    assert {user for _, user in seen} == {None, "ann"}


def test_settings_of_another_kind_are_named(small_index: Index) -> None:
    with pytest.raises(SettingError, match="'anamnesis' is str"):
        parent(ParentContext, graph_in_parent(small_index)).invoke(
            ASK, context=ParentContext(anamnesis="default")
        )


def test_settings_of_a_run_win_over_those_of_the_graph(small_index: Index) -> None:
    seen: list[Any] = []
    graph = graph_in_parent(small_index, observe=lambda *given: seen.append(given[3].context))
    graph.invoke(ASK, context=Context(generator={"passages": 3}, retrieval={"min_relevance": 0.0}))
    assert {context.generator.passages for context in seen} == {3}
