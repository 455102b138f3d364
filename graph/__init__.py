"""The graph.

``graph`` uses the models and the index that the settings name; ``build_graph`` makes a graph with
objects of your own. ``as_tool`` makes the graph a tool of an agent; ``checker`` is a Runnable that
checks any answer.

This folder only connects the steps, accepts the models, index and stores of a program that embeds
Anamnesis, and offers a part of the graph by itself, as ``checking`` does. Every decision is made in
a step (``nodes``). Modules here may import only: everything below ``graph``.
"""

from anamnesis.packages import require_our_packages

require_our_packages("nodes", "prompts", "retrievers")

from graph.build import build_graph, graph  # noqa: E402 (the check comes first)
from graph.checking import checker  # noqa: E402
from graph.tool import as_tool  # noqa: E402
from nodes.settings.context import Context  # noqa: E402

__all__ = ["Context", "as_tool", "build_graph", "checker", "graph"]
