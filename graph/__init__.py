"""The graph: ``graph`` with the default parts, ``build_graph`` to give your own."""

from graph.build import build_graph, graph
from nodes.context import Context

__all__ = ["Context", "build_graph", "graph"]
