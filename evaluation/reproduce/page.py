"""The page of a reproduction, in Markdown: the paper's figures and ours."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from evaluation.reproduce.needs import AvailableInputs
from evaluation.reproduce.paper import Paper
from evaluation.reproduce.running import Measured
from evaluation.significance import Estimate

Verdict = Literal["above", "within", "below"]


def verdict(ours: Estimate, paper: float) -> Verdict | None:
    """Whether our interval is above or below the paper's figure, or contains it (within).

    None if there is no interval.
    """
    if math.isnan(ours.low) or math.isnan(ours.high):
        return None
    if ours.low > paper:
        return "above"
    return "below" if ours.high < paper else "within"


def page(
    paper: Paper, measured: Measured, found: AvailableInputs, command: str, sizes: Mapping[str, int]
) -> str:
    """The whole page.

    ``found`` are the data and models of the run, ``command`` repeats the measurement, and ``sizes``
    are the sizes of the samples.
    """
    asked = [
        f"{name.replace('_', ' ')} {_size(value)}"
        + ("" if value == paper.sizes[name] else f" (in full {_size(paper.sizes[name])})")
        for name, value in sizes.items()
    ]
    parts = [
        f"# {paper.system}: the paper's figures and ours",
        f"{paper.source}. {paper.measures}",
        f"Measured by `{command}`. Asked: {', '.join(asked)}.",
        "*Here* is our figure with its 95 % interval. The last column compares that "
        "interval with the paper's figure: **above** it, **below** it, or the figure is "
        "**within**.",
        *_tables(paper, measured),
    ]
    if measured.notes:
        parts.append(_list("## What was asked", measured.notes))
    parts.append(_list("## Data and models", found.lines))
    missing = (f"{line}." for line in found.missing)
    differing = [*paper.deviations, *measured.deviations, *missing]
    parts.append(_list("## What differs from the paper", differing))
    return "\n\n".join(parts) + "\n"


def _size(number: int) -> str:
    return str(number) if number else "all"


def _tables(paper: Paper, measured: Measured) -> list[str]:
    parts = []
    theirs = {item.name: item for item in paper.tables}
    for name in dict.fromkeys([*theirs, *measured.tables]):
        table, our_table = theirs.get(name), measured.tables.get(name)
        title = f"{table.title} ({table.source})" if table else name
        rows = table.rows if table else {}
        body = "Not measured in this run." if our_table is None else _table(rows, our_table)
        parts.append(f"## {title}\n\n{body}")
    return parts


def _table(
    theirs: Mapping[str, Mapping[str, float]], ours: Mapping[str, Mapping[str, Estimate]]
) -> str:
    lines = ["| | | paper | here | compared |", "|---|---|---|---|---|"]
    for row in dict.fromkeys([*theirs, *ours]):
        known, our_row = theirs.get(row, {}), ours.get(row, {})
        for column in dict.fromkeys([*known, *our_row]):
            paper, here = known.get(column), our_row.get(column)
            cells = [
                row,
                column,
                "–" if paper is None else number(paper),
                "not measured" if here is None else _estimate(here),
                "–" if paper is None or here is None else verdict(here, paper) or "–",
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _estimate(figure: Estimate) -> str:
    if math.isnan(figure.low) or math.isnan(figure.high):
        return number(figure.mean)
    return f"{number(figure.mean)} [{number(figure.low)}, {number(figure.high)}]"


def number(value: float) -> str:
    """A figure with four significant digits, or three decimals."""
    if math.isnan(value):
        return "–"
    if 0 < abs(value) < 0.0005:
        return f"{value:.1g}"
    if abs(value) < 10:
        return f"{value:.3f}"
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def _list(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, "", *(f"- {line}" for line in lines)])
