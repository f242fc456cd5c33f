"""A few line charts side by side, as SVG text; enough for the figures in the docs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Line", "Panel", "drawing"]

COLOURS = ("#0b6e99", "#d9730d", "#448361", "#ad1a72", "#64473a", "#6940a5", "#e03e3e", "#787774")
WIDTH, HEIGHT, LEFT, TOP = 300, 230, 46, 34
KEY = 56
"""How far below a panel its key begins."""


@dataclass(frozen=True)
class Line:
    """Hold one line of a chart."""

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False
    errors: Sequence[float] = ()
    """By point: how far its error bar reaches, up and down; none if empty."""


@dataclass(frozen=True)
class Panel:
    """Hold one chart."""

    title: str
    lines: Sequence[Line]
    x: tuple[float, float]
    y: tuple[float, float]
    x_title: str
    log_x: bool = False
    mark: float | None = None
    """A height to draw a dashed rule at."""


def drawing(panels: Sequence[Panel]) -> str:
    """Return the SVG document."""
    longest = max(len(panel.lines) for panel in panels)
    width = len(panels) * (WIDTH + LEFT + 20)
    height = TOP + HEIGHT + KEY + 16 * longest
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, panel in enumerate(panels):
        parts += _panel(panel, LEFT + number * (WIDTH + LEFT + 20))
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel, left: float) -> list[str]:
    def place(x: float, y: float) -> str:
        low, high = panel.x
        part = math.log(x / low) / math.log(high / low) if panel.log_x else (x - low) / (high - low)
        up = (y - panel.y[0]) / (panel.y[1] - panel.y[0])
        return f"{left + part * WIDTH:.1f},{TOP + (1 - min(max(up, 0), 1)) * HEIGHT:.1f}"

    found = [f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{escape(panel.title)}</text>']
    found.append(
        f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>'
    )
    ticks = [5, 10, 20, 50, 100] if panel.log_x else [0, 0.25, 0.5, 0.75, 1]
    for tick in ticks:
        x = place(tick, panel.y[0]).split(",")[0]
        found.append(f'<text x="{x}" y="{TOP + HEIGHT + 14}" text-anchor="middle">{tick:g}</text>')
    found.append(
        f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 30}" text-anchor="middle">'
        f"{escape(panel.x_title)}</text>"
    )
    for step in range(6):
        value = panel.y[0] + (panel.y[1] - panel.y[0]) * step / 5
        y = place(panel.x[0], value).split(",")[1]
        found.append(f'<text x="{left - 5}" y="{y}" dy="4" text-anchor="end">{value:.2f}</text>')
    if panel.mark is not None:
        ends = " ".join(place(x, panel.mark) for x in panel.x)
        found.append(f'<polyline points="{ends}" stroke="#333" stroke-dasharray="4 3"/>')
    for number, line in enumerate(panel.lines):
        found += _line(line, COLOURS[number % len(COLOURS)], place, left, number)
    return found


def _line(
    line: Line, colour: str, place: Callable[[float, float], str], left: float, number: int
) -> list[str]:
    places = [place(x, y) for x, y in line.points]
    dash = ' stroke-dasharray="3 3"' if line.dashed else ""
    found = [
        f'<polyline points="{" ".join(places)}" fill="none" stroke="{colour}" '
        f'stroke-width="1.6"{dash}/>'
    ]
    for point, error in zip(line.points, line.errors, strict=False):
        low, high = (place(point[0], point[1] + reach) for reach in (-error, error))
        found.append(f'<polyline points="{low} {high}" stroke="{colour}" stroke-opacity="0.5"/>')
    if not line.dashed:
        for spot in places:
            x, y = spot.split(",")
            found.append(f'<circle cx="{x}" cy="{y}" r="2.4" fill="{colour}"/>')
    y_key = TOP + HEIGHT + KEY + 16 * number
    found.append(
        f'<line x1="{left}" y1="{y_key - 4}" x2="{left + 18}" y2="{y_key - 4}" '
        f'stroke="{colour}" stroke-width="2"{dash}/>'
    )
    found.append(f'<text x="{left + 24}" y="{y_key}">{escape(line.name)}</text>')
    return found
