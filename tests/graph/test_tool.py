"""The graph as a tool of an agent."""

from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from graph import Context, as_tool
from nodes.settings.context import owner
from retrievers.filter import Filter
from retrievers.index import Index
from tests.fakes import ToolChat, in_turn
from tests.graph.test_in_other_programs import ParentContext, graph_in_parent


@pytest.mark.parametrize("checkpointer", [None, InMemorySaver()])
def test_an_agent_asks_the_tool_with_a_question_alone(
    small_index: Index, checkpointer: Any
) -> None:
    tool = as_tool(
        graph_in_parent(small_index),
        Context(retrieval={"min_relevance": 0.0}, generator={"passages": 1}),
    )
    assert list(tool.args) == ["question"]
    calls = [
        {"name": tool.name, "args": {"question": text}, "id": str(number)}
        for number, text in enumerate(("What is asthma?", "What is gout?"))
    ]
    model = ToolChat(in_turn(AIMessage("", tool_calls=calls), "Done."))
    agent: Any = create_agent(
        model, [tool], context_schema=ParentContext, checkpointer=checkpointer
    )
    said = agent.invoke(
        {"messages": [("user", "Two things.")]},
        {"configurable": {"thread_id": "1"}},
        context=ParentContext(),
    )["messages"]
    messages = [message for message in said if isinstance(message, ToolMessage)]
    assert [message.artifact["sources"][0]["id"] for message in messages] == ["asthma", "gout"]
    assert "[1]" in messages[0].text
    assert messages[0].text == messages[0].artifact["text"]


@pytest.mark.parametrize("anamnesis", [None, Context(user="eve"), {"user": "eve"}])
def test_the_tool_of_an_agent_has_the_agents_user(small_index: Index, anamnesis: Any) -> None:
    seen: list[Any] = []
    graph = graph_in_parent(small_index, observe=lambda *given: seen.append(given[3].context.user))
    tool = as_tool(graph, Context(user="ann"))
    call = {"name": tool.name, "args": {"question": "What is asthma?"}, "id": "1"}
    model = ToolChat(in_turn(AIMessage("", tool_calls=[call]), "Done."))
    agent: Any = create_agent(model, [tool], context_schema=ParentContext)
    agent.invoke({"messages": [("user", "A thing.")]}, context=ParentContext(anamnesis=anamnesis))
    assert {*seen} == {"eve" if anamnesis else "ann"}


@dataclass(slots=True)
class Slots:
    """A context that has no place for settings."""

    tenant: str


@dataclass(slots=True, frozen=True)
class FrozenSlots:
    """The same, which may not be changed."""

    tenant: str


@dataclass
class Property:
    """A context whose settings are computed."""

    tenant: str

    @property
    def anamnesis(self) -> None:
        return None


@dataclass(slots=True)
class Final:
    """A context of which there are no other kinds."""

    tenant: str

    def __init_subclass__(cls) -> None:
        raise TypeError


@dataclass
class Tenant:
    tenant: str


@pytest.mark.parametrize(
    ("schema", "context", "user"),
    [
        (dict, {"tenant": "north"}, "ann"),
        (dict, {"tenant": "north", "anamnesis": {"user": "eve"}}, "eve"),
        (Tenant, Tenant("north"), "ann"),
        (Slots, Slots("north"), "ann"),
        (FrozenSlots, FrozenSlots("north"), "ann"),
        (Property, Property("north"), "ann"),
    ],
)
def test_the_filter_of_a_tool_knows_the_tenant_of_the_agent_and_the_user(
    small_index: Index, schema: Any, context: Any, user: str | None
) -> None:
    seen: list[Any] = []

    def of_tenant(runtime: Any) -> Filter:
        given = runtime.context
        assert isinstance(given, schema)
        seen.append((given["tenant"] if isinstance(given, dict) else given.tenant, owner(runtime)))
        return Filter(sources=("nowhere",))

    tool = as_tool(graph_in_parent(small_index, filter=of_tenant), Context(user="ann"))
    call = {"name": tool.name, "args": {"question": "What is asthma?"}, "id": "1"}
    model = ToolChat(in_turn(AIMessage("", tool_calls=[call]), "Done."))
    agent: Any = create_agent(model, [tool], context_schema=schema)
    reply = agent.invoke({"messages": [("user", "A thing.")]}, context=context)["messages"][2]
    assert {*seen} == {("north", user)}
    assert reply.artifact["outcome"] == "abstained"
    assert getattr(context, "anamnesis", None) is None


def test_settings_that_do_not_reach_a_filter_are_an_error_that_names_the_field(
    small_index: Index,
) -> None:
    tool = as_tool(
        graph_in_parent(small_index, filter=lambda runtime: Filter()), Context(user="ann")
    )
    call = {"name": tool.name, "args": {"question": "What is asthma?"}, "id": "1"}
    model = ToolChat(in_turn(AIMessage("", tool_calls=[call]), "Done."))
    agent: Any = create_agent(model, [tool], context_schema=Final)
    said = agent.invoke({"messages": [("user", "A thing.")]}, context=Final("north"))
    assert "Final has no place for 'anamnesis'" in said["messages"][2].text


def test_a_question_that_cannot_be_asked_is_said_to_the_agent(small_index: Index) -> None:
    said = as_tool(graph_in_parent(small_index)).invoke({"question": " "})
    assert said.startswith("The question could not be answered: there is no question")
