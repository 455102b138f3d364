"""The graph: ``graph`` has the default parts, ``build_graph`` accepts your own.

``as_tool`` makes the graph a tool of an agent; ``checker`` is a Runnable that checks any answer.
What belongs here connects the steps and takes a host program's parts, or offers a part of the graph
by itself, as ``checking`` does; the steps decide. May be imported: everything below ``graph``.
"""

from anamnesis.packages import require_own

require_own("nodes", "prompts", "retrievers")

from graph.build import build_graph, graph  # noqa: E402 (the check comes first)
from graph.checking import checker  # noqa: E402
from graph.tool import as_tool  # noqa: E402
from nodes.settings.context import Context  # noqa: E402

__all__ = ["Context", "as_tool", "build_graph", "checker", "graph"]
