"""The graph: ``graph`` with the default parts, ``build_graph`` to give your own.

``as_tool`` makes a tool of it, ``checker`` a Runnable of its critic.
"""

from graph.build import build_graph, graph
from graph.tool import as_tool
from nodes.checking import checker
from nodes.context import Context

__all__ = ["Context", "as_tool", "build_graph", "checker", "graph"]
