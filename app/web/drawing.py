"""The graph as an SVG picture, with the path that a run took."""

from collections import Counter
from collections.abc import Sequence

from app.trace.runs import Step
from app.web.markup import Markup, html, joined
from graph import graph
from graph.build import conditional_edges

Edge = tuple[str, str]

START, END = "__start__", "__end__"
# The centre of each step's box.
PLACES = {
    START: (28, 130),
    "screen": (126, 130),
    "recall": (258, 72),
    "retrieve": (258, 130),
    "rerank": (390, 130),
    "generate": (522, 130),
    "verify": (654, 130),
    "rewrite": (456, 212),
    "fallback": (522, 40),
    "remember": (786, 130),
    END: (884, 130),
}
# Edges that are not straight, as SVG paths.
_CURVES: dict[Edge, str] = {
    ("screen", "recall"): "M150 112 C160 78 180 72 209 72",
    ("screen", "fallback"): "M126 112 C126 0 300 30 473 36",
    ("recall", "rerank"): "M302 72 C350 72 372 84 382 111",
    ("rerank", "fallback"): "M400 112 C420 60 440 46 473 44",
    ("verify", "fallback"): "M644 112 C624 60 604 46 571 44",
    ("verify", "rewrite"): "M640 148 C610 212 560 212 505 212",
    ("rewrite", "retrieve"): "M412 212 C350 212 290 212 264 149",
    ("fallback", "remember"): "M566 34 C680 30 760 50 782 111",
}
_WIDTH, _HEIGHT = 88, 36


def wired() -> set[Edge]:
    """The edges of the graph. LangGraph's drawing has some that do not exist."""
    return graph.builder.edges | conditional_edges(graph)


def edge_counts(steps: Sequence[Step]) -> Counter[Edge]:
    """How often a run took each edge: from the steps of one superstep to those of the next."""
    edges, found = wired(), Counter[Edge]()
    for step in steps:
        before = [item["node"] for item in steps if item["step"] == step["step"] - 1] or [START]
        found.update((item, step["node"]) for item in before if (item, step["node"]) in edges)
        if (step["node"], END) in edges:
            found[step["node"], END] += 1
    return found


def graph_svg(steps: Sequence[Step]) -> Markup:
    """The graph, with the run's path highlighted, and counts of steps that ran more than once."""
    path = edge_counts(steps)
    visits = Counter(step["node"] for step in steps)
    path_text = ", ".join(
        f"{node} {count} times" if count > 1 else node for node, count in visits.items()
    )
    return html(
        '<svg class="graph" viewBox="0 0 912 244" role="img" aria-labelledby="path-title">'
        '<title id="path-title">The path through the graph: {}</title>'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs>{}{}</svg>',
        path_text,
        # Edges that were taken are drawn on top.
        joined(
            _edge(edge, path[edge]) for edge in sorted(wired(), key=lambda item: path[item] > 0)
        ),
        joined(_node(node, visits[node]) for node in PLACES),
    )


def _edge(edge: Edge, count: int) -> Markup:
    (x, y), (to_x, to_y) = PLACES[edge[0]], PLACES[edge[1]]
    straight = f"M{x + _half(edge[0])} {y} L{to_x - _half(edge[1]) - 5} {to_y}"
    return html(
        '<path class="edge {}" d="{}" marker-end="url(#tip)"/>',
        "taken" if count else "",
        _CURVES.get(edge, straight),
    )


def _half(node: str) -> float:
    return 9 if node in (START, END) else _WIDTH / 2


def _node(node: str, visits: int) -> Markup:
    x, y = PLACES[node]
    if node in (START, END):
        return html('<circle class="node taken" cx="{}" cy="{}" r="9"/>', x, y)
    times = html('<tspan class="times"> ×{}</tspan>', visits) if visits > 1 else ""
    return html(
        '<g class="node {}"><rect x="{}" y="{}" width="{}" height="{}" rx="6"/>'
        '<text x="{}" y="{}">{}{}</text></g>',
        "taken" if visits else "",
        x - _WIDTH / 2,
        y - _HEIGHT / 2,
        _WIDTH,
        _HEIGHT,
        x,
        y + 5,
        node,
        times,
    )
