"""Who is busy from when until when, as SVG: a bar for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from geopar.markup.svg import COLOURS, document

WIDTH, ROW, LEFT, RIGHT = 640.0, 18.0, 112.0, 92.0
# A longer picture would be endless, and so many stops would be one white stripe.
MOST_ROWS, MOST_STOPS = 60, 400
LONGEST_NAME = 16
_STYLE = (
    f"display: block; max-width: {WIDTH:g}px; width: 100%; background: #fff; border: 1px solid #ccc"
)
_FONT = 'font-family="system-ui, sans-serif" font-size="11" fill="#222"'


class Bar(NamedTuple):
    """One vehicle's time.

    Parameters
    ----------
    name, end
        What stands before it and behind it.
    trips
        From when until when each goes.
    stops
        When it is where, and what is told of that.
    waits
        From when until when it waits.
    """

    name: str
    end: str
    trips: Sequence[tuple[float, float]]
    stops: Sequence[tuple[float, str]]
    waits: Sequence[tuple[float, float]]


def bars_svg(bars: Sequence[Bar]) -> str:
    """The bars in one scale of time, in the colours of the map; of many the first."""
    shown = bars[:MOST_ROWS]
    if sum(len(bar.stops) for bar in shown) > MOST_STOPS:
        shown = [bar._replace(stops=()) for bar in shown]
    moments = [moment for bar in shown for trip in bar.trips for moment in trip]
    if not moments:
        return ""
    first, last = min(moments), max(moments)
    scale = (WIDTH - LEFT - RIGHT) / (last - first) if last > first else 0.0
    parts = [part for row, bar in enumerate(shown) for part in _row(row, bar, first, scale)]
    return document(parts, WIDTH, ROW * len(shown) + 8.0, "Schedule", _STYLE)


def _row(row: int, bar: Bar, first: float, scale: float) -> Iterator[str]:
    top = 4.0 + row * ROW
    colour = COLOURS[row % len(COLOURS)]

    def box(begin: float, end: float, inset: float, fill: str, told: str = "") -> str:
        x, width = LEFT + (begin - first) * scale, max(1.0, (end - begin) * scale)
        inside = f"<title>{escape(told)}</title>" if told else ""
        return (
            f'<rect x="{x:.1f}" y="{top + inset:.1f}" width="{width:.1f}" '
            f'height="{ROW - 2 * inset:.1f}" {fill}>{inside}</rect>'
        )

    baseline = top + ROW / 2 + 4.0
    name = bar.name if len(bar.name) <= LONGEST_NAME else f"{bar.name[: LONGEST_NAME - 1]}…"
    place = f'x="{LEFT - 8:g}" y="{baseline:.1f}" text-anchor="end"'
    yield f"<text {place} {_FONT}>{escape(name)}</text>"
    for number, (begin, end) in enumerate(bar.trips):
        opacity = 0.85 if number % 2 == 0 else 0.55
        yield box(begin, end, 3.0, f'fill="{colour}" fill-opacity="{opacity}"')
    for begin, end in bar.waits:
        yield box(begin, end, 6.5, 'fill="#fff" fill-opacity="0.75"')
    for moment, told in bar.stops:
        yield box(moment, moment, 3.0, 'fill="#fff"', told)
    if bar.trips:
        end = LEFT + (bar.trips[-1][1] - first) * scale + 6.0
        yield f'<text x="{end:.1f}" y="{baseline:.1f}" {_FONT}>{escape(bar.end)}</text>'
