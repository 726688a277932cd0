"""How a problem shows itself in a notebook: what there is to do, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from geopar.markup import svg, tables
from geopar.problems.travel import Ints

if TYPE_CHECKING:
    from geopar.problems.base import RoutingProblem

WIDTH, HEIGHT, MARGIN = 640.0, 420.0, 14.0
# Beyond so many tasks dots are small.
MANY_TASKS = 400
_STYLE = f"max-width: {WIDTH:g}px; width: 100%; background: #fff; border: 1px solid #ccc"


def title_of(problem: RoutingProblem) -> str:
    """Its name, and how much there is to do."""
    counts = f"{len(problem.request_ids):,} {problem.named}s, {problem.num_vehicles:,} vehicles"
    return f"{problem.name}: {counts}" if problem.name else counts


def problem_html(problem: RoutingProblem) -> str:
    """The problem on a map."""
    return tables.block(title_of(problem), map_svg(problem))


def map_svg(problem: RoutingProblem, routes: Sequence[Sequence[Ints]] = ()) -> str:
    """Where everything is, and for each vehicle the ways that it drives, in a colour of its own."""
    drawn = svg.fitted(np.asarray(problem.places_xy), WIDTH, HEIGHT, MARGIN)
    radius = 3.0 if problem.num_tasks <= MANY_TASKS else 1.2
    parts = []
    for v, ways in enumerate(routes):
        colour = svg.COLOURS[v % len(svg.COLOURS)]
        drawing = f'fill="none" stroke="{colour}" stroke-width="1.4" stroke-opacity="0.8"'
        parts += [svg.line(drawn[way], drawing) for way in ways]
    parts += [svg.dot(point, radius, 'fill="#444"') for point in drawn[: problem.num_tasks]]
    parts += [svg.square(point, 9.0, 'fill="#000"') for point in drawn[problem.num_tasks :]]
    return svg.document(parts, WIDTH, HEIGHT, "Map", _STYLE)
