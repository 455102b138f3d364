"""A run as HTML: the graph with the path taken, and the steps on a time line."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.trace.rendering import details
from app.trace.runs import Step
from app.web.drawing import graph_svg
from app.web.markup import Markup, html, joined
from nodes.settings.context import Context
from nodes.settings.names import flat

_LISTED = 30


def recorded(folder: Path) -> list[tuple[str, Path]]:
    """The last runs that were recorded in a folder, newest first: (label, file)."""
    return [
        (f"{_question(path)} – {path.stem}", path)
        for path in sorted(folder.glob("*.jsonl"), reverse=True)[:_LISTED]
    ]


def _question(path: Path) -> str:
    with path.open(encoding="utf-8") as lines:
        try:
            return str(json.loads(lines.readline())["question"])
        except (ValueError, KeyError, TypeError):
            return "not readable"  # selecting it shows the reason


def starts(steps: Sequence[Step]) -> list[float]:
    """When each step began, in milliseconds; steps of one superstep begin together.

    LangGraph's time between the steps is not included.
    """
    begins: dict[int, float] = {}
    at = 0.0
    for number in sorted({step["step"] for step in steps}):
        begins[number] = at
        at += max(step["ms"] for step in steps if step["step"] == number)
    return [begins[step["step"]] for step in steps]


def trace_html(question: str, context: Mapping[str, Any], steps: Sequence[Step]) -> Markup:
    """The picture, the time line, and each step's input, output and next step."""
    begins = starts(steps)
    total = max((at + step["ms"] for at, step in zip(begins, steps, strict=True)), default=0.0)
    settings = ", ".join(
        f"{name} {json.dumps(value)}" for name, value in flat(context, Context, known_only=True)
    )
    return html(
        '<article class="trace"><h2>{}</h2><p class="made">{} steps, {:.0f} ms{}</p>'
        '<div class="picture" tabindex="0" role="group" aria-label="Graph">{}</div>'
        '<h3>Steps</h3><p class="hint">Open a step to see its input, its output and why the next '
        'step followed.</p><ol class="timeline">{}</ol></article>',
        question,
        len(steps),
        total,
        f"; settings: {settings}" if settings else "",
        graph_svg(steps),
        joined(_step(step, at, total) for at, step in zip(begins, steps, strict=True)),
    )


def _step(step: Step, at: float, total: float) -> Markup:
    share = 100 / total if total else 0.0
    return html(
        '<li><details><summary><span class="name">{}</span><span class="lane" aria-hidden="true">'
        '<span class="bar" style="margin-left:{:.2f}%;width:{:.2f}%"></span></span>'
        '<span class="ms">{:.1f} ms</span></summary><pre tabindex="0">{}</pre></details></li>',
        step["node"],
        at * share,
        step["ms"] * share,
        step["ms"],
        "\n".join(details(step)) or "No input and no output.",
    )
