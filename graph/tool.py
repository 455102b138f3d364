"""The graph as a tool of an agent: a question in, the checked answer out."""

from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.runtime import Runtime, get_runtime

from anamnesis import AnamnesisError
from anamnesis.attributes import require
from graph.arguments import AgentContext, default_context
from graph.build import Graph
from nodes.settings.context import Context, own_context

DESCRIPTION = (
    "Answers a medical question from indexed documents. Every statement of the answer is checked "
    "against its source and cited; where the documents hold no answer it says so. Ask one question "
    "in plain words, with all that it is about."
)


def as_tool(
    graph: Graph,
    context: Context | dict[str, Any] | None = None,
    *,
    name: str = "medical_question",
    description: str = DESCRIPTION,
) -> BaseTool:
    """The graph as a tool, for example of ``create_agent``, whose only argument is a ``question``.

    The message of the tool is the answer's text, its ``artifact`` the whole ``Answer``. If a
    question cannot be asked (too long, no index), the message says so, with the remedy.

    Raises SettingError if ``graph`` is not a graph, or ``context`` has a wrong setting.

    ``context`` has the settings of runs whose agent has none: the entry or attribute ``anamnesis``
    of the agent's context replaces them, for example to name the user. A ``filter`` function of the
    graph gets the agent's context, with the settings of the run as its ``anamnesis``.
    """
    require("graph", graph, ("invoke", "get_state"), "give the result of build_graph(…)")
    defaults = default_context(context)

    def given() -> Any:
        agent = _context_of_agent()
        context: Any = own_context(agent, defaults)
        return context if isinstance(agent, Context | None) else AgentContext(agent, context)

    def ask(question: str, config: RunnableConfig) -> tuple[str, Any]:
        try:
            return _said(graph.invoke({"question": question}, config, context=given()))
        except AnamnesisError as error:
            return _refused(error)

    async def aask(question: str, config: RunnableConfig) -> tuple[str, Any]:
        try:
            return _said(await graph.ainvoke({"question": question}, config, context=given()))
        except AnamnesisError as error:
            return _refused(error)

    return StructuredTool.from_function(
        ask, aask, name=name, description=description, response_format="content_and_artifact"
    )


def _said(state: Mapping[str, Any]) -> tuple[str, Any]:
    return state["answer"]["text"], state["answer"]


def _refused(error: AnamnesisError) -> tuple[str, Any]:
    return f"The question could not be answered: {error}", None


def _context_of_agent() -> Any:
    """The context of the graph that calls the tool; None outside of a graph."""
    try:
        runtime: Runtime[Any] | None = get_runtime()
    except RuntimeError:  # not called by a Runnable
        return None
    return None if runtime is None else runtime.context
