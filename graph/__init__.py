"""The graph: ``graph`` has the default parts, ``build_graph`` accepts your own.

``as_tool`` makes the graph a tool of an agent; ``checker`` is a Runnable that checks any answer.
What belongs here connects the steps and takes a host program's parts; the steps decide. May be
imported: everything below ``graph``.
"""

from anamnesis.packages import require_own

require_own("nodes", "prompts", "retrievers")

from graph.build import build_graph, graph  # noqa: E402 (the check comes first)
from graph.tool import as_tool  # noqa: E402
from nodes.checker import checker  # noqa: E402
from nodes.context import Context  # noqa: E402

__all__ = ["Context", "as_tool", "build_graph", "checker", "graph"]
