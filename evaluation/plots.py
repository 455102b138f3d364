"""Plots as SVG in HTML: they use the colours of the page, and series also differ in dashes."""

import math
from collections.abc import Mapping, Sequence
from html import escape

from markupsafe import Markup

_WIDTH, _HEIGHT = 340, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 10, 36
_DASHES = ("none", "7 3", "2 3", "9 3 2 3", "4 6", "1 5")
_COLOURS = len(_DASHES)

Point = tuple[float, float]


def ticks(low: float, high: float) -> list[float]:
    """Two to six round numbers from ``low`` to ``high``."""
    if not high > low:
        return [low]
    raw = (high - low) / 5
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * item for item in (1, 2, 5, 10) if size * item >= raw)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def lines(
    title: str, series: Mapping[str, Sequence[Point]], x: str, y: str, *, square: bool = False
) -> Markup:
    """A line for each series. ``square``: both axes are 0 to 1, with the diagonal drawn."""
    points = [item for line in series.values() for item in line]
    if square:
        spans = ((0.0, 1.0), (0.0, 1.0))
    else:
        xs, ys = [item[0] for item in points], [item[1] for item in points]
        spans = ((min(xs), max(xs)), (min(0.0, *ys), max(ys) * 1.05 or 1.0))
    body = [_axes(*spans, x, y)]
    if square:
        body.append(_path([(0, 0), (1, 1)], spans, 'class="guide"'))
    for number, item in enumerate(series.values()):
        style = f'class="line c{number % _COLOURS}" stroke-dasharray="{_dash(number)}"'
        body.append(_path(item, spans, style))
        for point in item:
            px, py = _place(point, spans)
            body.append(f'<circle class="c{number % _COLOURS}" cx="{px}" cy="{py}" r="2.2"/>')
    return _figure(title, body, list(series))


def boxes(title: str, values: Mapping[str, Sequence[float]], y: str) -> Markup:
    """A box plot for each name: minimum, quartiles and maximum, five numbers in all."""
    low = min(item[0] for item in values.values())
    high = max(item[4] for item in values.values())
    spans = ((0.0, float(len(values))), (min(0.0, low), high or 1.0))
    body = [_axes(*spans, "", y, named=list(values))]
    for number, (least, lower, median, upper, greatest) in enumerate(values.values()):
        middle = _place((number + 0.5, least), spans)[0]
        at = {item: _place((0, item), spans)[1] for item in (least, lower, median, upper, greatest)}
        colour = f"c{number % _COLOURS}"
        body += [
            f'<path class="line {colour}" d="M{middle},{at[least]}V{at[lower]}'
            f'M{middle},{at[upper]}V{at[greatest]}"/>',
            f'<rect class="box {colour}" x="{middle - 16}" y="{at[upper]}" width="32" '
            f'height="{round(at[lower] - at[upper], 1)}"/>',
            f'<path class="median {colour}" d="M{middle - 16},{at[median]}h32"/>',
        ]
    return _figure(title, body)


def upset(
    title: str, sizes: Mapping[tuple[str, ...], float], names: Sequence[str], y: str
) -> Markup:
    """An UpSet plot: a column per combination of sets, which its dots show (Lex et al. 2014)."""
    most = max(sizes.values())
    step = (_WIDTH - 90 - _RIGHT) / len(sizes)
    floor = 120
    body = [f'<text class="axis" x="4" y="14">{escape(y)}</text>']
    for column, (members, size) in enumerate(sizes.items()):
        middle = round(90 + (column + 0.5) * step, 1)
        height = round(size / most * (floor - 34), 1)
        body += [
            f'<rect class="bar" x="{middle - 9}" y="{floor - height}" width="18" '
            f'height="{height}"/>',
            f'<text class="tick" text-anchor="middle" x="{middle}" y="{floor - height - 4}">'
            f"{size:.1f}</text>",
        ]
        for row, name in enumerate(names):
            kind = "dot" if name in members else "dot empty"
            body.append(
                f'<circle class="{kind}" cx="{middle}" cy="{floor + 16 + row * 18}" r="5"/>'
            )
    for row, name in enumerate(names):
        body.append(f'<text class="tick" x="4" y="{floor + 20 + row * 18}">{escape(name)}</text>')
    return _figure(title, body, height=floor + 16 + len(names) * 18)


def _figure(
    title: str, body: Sequence[str], names: Sequence[str] = (), height: int = _HEIGHT
) -> Markup:
    legend = "".join(
        f'<li><svg viewBox="0 0 28 8" aria-hidden="true"><path class="line c{number % _COLOURS}" '
        f'stroke-dasharray="{_dash(number)}" d="M0,4h28"/></svg>{escape(name)}</li>'
        for number, name in enumerate(names)
    )
    return Markup(
        f'<figure><figcaption>{escape(title)}</figcaption><svg viewBox="0 0 {_WIDTH} {height}" '
        f'role="img" aria-label="{escape(title)}">{"".join(body)}</svg>'
        + (f'<ul class="legend">{legend}</ul>' if len(names) > 1 else "")
        + "</figure>"
    )


def _axes(across: Point, up: Point, x: str, y: str, named: Sequence[str] = ()) -> str:
    spans = (across, up)
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = [f'<path class="frame" d="M{_LEFT},{_TOP}V{bottom}H{right}"/>']
    for value in ticks(*up):
        at = _place((across[0], value), spans)[1]
        parts.append(f'<path class="grid" d="M{_LEFT},{at}H{right}"/>')
        parts.append(
            f'<text class="tick" text-anchor="end" x="{_LEFT - 5}" y="{at + 3}">{value:g}</text>'
        )
    places = (
        [(number + 0.5, name) for number, name in enumerate(named)]
        if named
        else [(value, f"{value:g}") for value in ticks(*across)]
    )
    for value, text in places:
        at = _place((value, up[0]), spans)[0]
        parts.append(
            f'<text class="tick" text-anchor="middle" x="{at}" y="{bottom + 14}">'
            f"{escape(text)}</text>"
        )
    middle = (_LEFT + right) / 2
    parts.append(
        f'<text class="axis" text-anchor="middle" x="{middle}" y="{_HEIGHT - 6}">{escape(x)}</text>'
        f'<text class="axis" text-anchor="middle" transform="translate(11,{bottom / 2 + 5}) '
        f'rotate(-90)">{escape(y)}</text>'
    )
    return "".join(parts)


def _path(points: Sequence[Point], spans: tuple[Point, Point], style: str) -> str:
    drawn = "L".join(f"{px},{py}" for px, py in (_place(item, spans) for item in points))
    return f'<path {style} d="M{drawn}"/>' if points else ""


def _place(point: Point, spans: tuple[Point, Point]) -> Point:
    (left, right), (low, high) = spans
    across = (point[0] - left) / (right - left) if right > left else 0.5
    up = (point[1] - low) / (high - low) if high > low else 0.5
    return (
        round(_LEFT + across * (_WIDTH - _LEFT - _RIGHT), 1),
        round(_HEIGHT - _BOTTOM - up * (_HEIGHT - _BOTTOM - _TOP), 1),
    )


def _dash(number: int) -> str:
    return _DASHES[number % _COLOURS]
