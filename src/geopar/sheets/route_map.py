"""A small map of one vehicle's way as SVG: no street, no picture from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from geopar.problems import Problem
from geopar.problems.validation import Floats
from geopar.sheets.content import Sheet, Trip

WIDTH, HEIGHT, MARGIN = 640.0, 300.0, 18.0
# Trips of one vehicle, told apart on paper without colour as well.
DASHES = ("none", "7 4", "2 4", "10 4 2 4")


def map_svg(problem: Problem, sheet: Sheet) -> str:
    """All trips of a sheet; stops have the numbers that they have in its list."""
    passed = [place for trip in sheet.trips for place in trip.way]
    if not passed:
        return ""
    at = _placed(problem.places_xy, passed)
    name = escape(f"Map of {sheet.vehicle}", quote=True)
    parts = [f'<svg class="map" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{name}">']
    for i, trip in enumerate(sheet.trips):
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at[place] for place in trip.way))
        parts.append(f'<polyline points="{line}" stroke-dasharray="{DASHES[i % len(DASHES)]}"/>')
    parts += _marks(problem.num_tasks, sheet.trips, at)
    return "".join([*parts, "</svg>"])


def _placed(xy: Floats, passed: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Where each place is on paper: everything as large as fits, north up."""
    places = sorted(set(passed))
    points = xy[places] - xy[places].min(axis=0)
    span = points.max(axis=0)
    room = np.array([WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN])
    scale = float(np.min(room / np.where(span > 0.0, span, np.inf), initial=np.inf))
    scale = scale if 0.0 < scale < np.inf else 1.0
    shift = (np.array([WIDTH, HEIGHT]) - scale * span) / 2.0
    drawn = points * scale + shift
    drawn[:, 1] = HEIGHT - drawn[:, 1]
    return {place: (float(x), float(y)) for place, (x, y) in zip(places, drawn, strict=True)}


def _marks(num_tasks: int, trips: Sequence[Trip], at: dict[int, tuple[float, float]]) -> list[str]:
    """Squares where it begins and ends, numbers at stops."""
    others = {place for trip in trips for place in trip.way if place >= num_tasks}
    marks = [
        f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10"/>'
        for x, y in (at[place] for place in sorted(others))
    ]
    stops = [place for trip in trips for place in trip.way if place < num_tasks]
    for number, (x, y) in enumerate((at[place] for place in stops), 1):
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8"/>')
        marks.append(f'<text x="{x:.1f}" y="{y + 3.2:.1f}">{number}</text>')
    return marks
