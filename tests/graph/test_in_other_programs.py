"""The graph as a part of other programs: a subgraph, a tool, its critic and its reader alone."""

from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from anamnesis import SettingError
from graph import Context, as_tool, build_graph
from nodes.settings.context import owner
from nodes.state import Answer
from retrievers.compressor import ReaderCompressor
from retrievers.filter import Filter
from retrievers.index import Index
from tests.fakes import ScriptedReader
from tests.graph.conftest import ASK, ASTHMA, GOUT, Always, ScriptedCritic


class Whole(TypedDict, total=False):
    question: str
    answer: Answer


@dataclass
class Own:
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


def own(index: Index, **more: Any) -> Any:
    return build_graph(
        index=index, critic=ScriptedCritic({}), reranker=Always(),
        context=Context(retrieval={"min_relevance": 0.0}, generator={"passages": 1}), **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        (None, None),
        (Own, None),
        (Own, Own()),
        (dict, {"user": "the parent's", "tenant": 3}),
        (Context, Context(retrieval={"min_relevance": 0.0}, generator={"passages": 1})),
    ],
)
def test_a_subgraph_takes_nothing_of_its_parents_context(
    small_index: Index, schema: Any, given: Any
) -> None:
    seen = []
    graph = own(
        small_index,
        observe=lambda name, state, update, runtime: seen.append(runtime.context),
    )
    answer = parent(schema, graph).invoke(ASK, context=given)["answer"]
    assert answer["outcome"] == "answered"
    assert {(own.user, own.generator.passages) for own in seen} == {(None, 1)}


@pytest.mark.parametrize(
    "settings", [Context(generator={"passages": 2}, retrieval={"min_relevance": 0.0}), None]
)
@pytest.mark.parametrize("schema", [Own, dict])
def test_a_parents_context_can_hold_the_settings(
    small_index: Index, schema: Any, settings: Any
) -> None:
    seen: list[Any] = []
    graph = own(small_index, observe=lambda *given: seen.append(given[3].context))
    named = settings or {"generator.passages": 2, "retrieval.min_relevance": 0.0}
    context = Own(anamnesis=named) if schema is Own else {"anamnesis": named}
    parent(schema, graph).invoke(ASK, context=context)
    assert {own.generator.passages for own in seen} == {2}


@pytest.mark.parametrize("schema", [Own, dict])
def test_a_filter_sees_the_parents_context(small_index: Index, schema: Any) -> None:
    seen: list[Any] = []

    def limits(runtime: Any) -> Filter:
        seen.append((runtime.context, owner(runtime)))
        return Filter(sources=())

    named = Context(user="ann", retrieval={"min_relevance": 0.0})
    context = Own(anamnesis=named) if schema is Own else {"groups": ["a"], "anamnesis": named}
    graph = own(small_index, filter=limits)
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
        parent(Own, own(small_index)).invoke(ASK, context=Own(anamnesis="default"))


def test_settings_of_a_run_win_over_those_of_the_graph(small_index: Index) -> None:
    seen: list[Any] = []
    graph = own(small_index, observe=lambda *given: seen.append(given[3].context))
    graph.invoke(ASK, context=Context(generator={"passages": 3}, retrieval={"min_relevance": 0.0}))
    assert {own.generator.passages for own in seen} == {3}


class Calling(GenericFakeChatModel):
    """A chat model that calls the one tool it has, and then ends."""

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        return self


@pytest.mark.parametrize("checkpointer", [None, InMemorySaver()])
def test_an_agent_asks_the_tool_with_a_question_alone(
    small_index: Index, checkpointer: Any
) -> None:
    tool = as_tool(
        own(small_index), Context(retrieval={"min_relevance": 0.0}, generator={"passages": 1})
    )
    assert list(tool.args) == ["question"]
    calls = [
        {"name": tool.name, "args": {"question": text}, "id": str(number)}
        for number, text in enumerate(("What is asthma?", "What is gout?"))
    ]
    model = Calling(messages=iter([AIMessage("", tool_calls=calls), AIMessage("Done.")]))
    agent: Any = create_agent(model, [tool], context_schema=Own, checkpointer=checkpointer)
    said = agent.invoke(
        {"messages": [("user", "Two things.")]},
        {"configurable": {"thread_id": "1"}},
        context=Own(),
    )["messages"]
    told = [own for own in said if isinstance(own, ToolMessage)]
    assert [own.artifact["sources"][0]["id"] for own in told] == ["asthma", "gout"]
    assert "[1]" in told[0].text
    assert told[0].text == told[0].artifact["text"]


@pytest.mark.parametrize("anamnesis", [None, Context(user="eve"), {"user": "eve"}])
def test_the_tool_of_an_agent_has_the_agents_user(small_index: Index, anamnesis: Any) -> None:
    seen: list[Any] = []
    graph = own(small_index, observe=lambda *given: seen.append(given[3].context.user))
    tool = as_tool(graph, Context(user="ann"))
    call = {"name": tool.name, "args": {"question": "What is asthma?"}, "id": "1"}
    model = Calling(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("Done.")]))
    agent: Any = create_agent(model, [tool], context_schema=Own)
    agent.invoke({"messages": [("user", "A thing.")]}, context=Own(anamnesis=anamnesis))
    assert {*seen} == {"eve" if anamnesis else "ann"}


@dataclass(slots=True)
class Slots:
    """A context that has no place for settings."""

    tenant: str


@dataclass
class Tenant:
    tenant: str


@pytest.mark.parametrize(
    ("schema", "context", "user"),
    [
        (dict, {"tenant": "north"}, "ann"),
        (dict, {"tenant": "north", "anamnesis": {"user": "eve"}}, "eve"),
        (Tenant, Tenant("north"), "ann"),
        (Slots, Slots("north"), None),
    ],
)
def test_the_filter_of_a_tool_knows_the_tenant_of_the_agent_and_the_user(
    small_index: Index, schema: Any, context: Any, user: str | None
) -> None:
    seen: list[Any] = []

    def of_tenant(runtime: Any) -> Filter:
        given = runtime.context
        seen.append((given["tenant"] if isinstance(given, dict) else given.tenant, owner(runtime)))
        return Filter(sources=("nowhere",))

    tool = as_tool(own(small_index, filter=of_tenant), Context(user="ann"))
    call = {"name": tool.name, "args": {"question": "What is asthma?"}, "id": "1"}
    model = Calling(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("Done.")]))
    agent: Any = create_agent(model, [tool], context_schema=schema)
    told = agent.invoke({"messages": [("user", "A thing.")]}, context=context)["messages"][2]
    assert {*seen} == {("north", user)}
    assert told.artifact["outcome"] == "abstained"
    assert not hasattr(context, "anamnesis")


def test_a_question_that_cannot_be_asked_is_said_to_the_agent(small_index: Index) -> None:
    said = as_tool(own(small_index)).invoke({"question": " "})
    assert said.startswith("The question could not be answered: there is no question")


def test_the_reader_orders_documents_of_others() -> None:
    long = ScriptedReader(lambda _, pages: [len(text) / 1000 for _, text in pages])
    documents = [Document(GOUT, metadata={"a": 1}), Document(ASTHMA, id="x"), Document("Short.")]
    kept = ReaderCompressor(reader=long, top_n=2).compress_documents(documents, "asthma")
    assert [own.page_content for own in kept] == [ASTHMA, GOUT]
    assert kept[0].id == "x"
    assert kept[1].metadata["a"] == 1
    assert kept[1].metadata["relevance_score"] == len(GOUT) / 1000
    start, end, chance = kept[0].metadata["sentences"][0]
    assert ASTHMA[start:end] == "Asthma causes wheezing."
    assert 0 <= chance <= 1
    assert documents[0].metadata == {"a": 1}
    assert len(ReaderCompressor(reader=long, least=0.05).compress_documents(documents, "x")) == 2
    assert ReaderCompressor(reader=long).compress_documents([], "x") == []
