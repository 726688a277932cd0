"""HCVRP in pictures; see :class:`geopar.plotting.parts.Parts`."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from geopar.plan import ways
from geopar.plotting import marks
from geopar.plotting.arrows import Floats, draw_arrows
from geopar.plotting.parts import Bars, Routes
from geopar.plotting.style import (
    BAR,
    MOST_TASKS_TICKED,
    PAPER,
    SHADES,
    TASK,
    Colour,
    fade,
    lighter,
    rgb,
)
from geopar.problems import HCVRP
from geopar.problems.told_times import Times
from geopar.schedule import Timetable

ENDS = "is home"


def draw_problem(ax: Axes, problem: HCVRP) -> None:
    """The depot, and the customers by demand."""
    draw_places(ax, problem, [rgb(TASK)] * problem.num_tasks, [])


def draw_routes(ax: Axes, problem: HCVRP, routes: Routes, colours: list[Colour]) -> None:
    """Trips of one vehicle differ in lightness; the ways to their stops and from them are thin."""
    n = problem.num_tasks
    paths: list[Floats] = []
    whole: list[Floats] = []
    outer: list[Floats] = []
    shades: list[Colour] = []
    for v, trips in enumerate(routes):
        for number, (trip, way) in enumerate(zip(trips, ways(problem, v, trips), strict=True)):
            first = int(np.argmax(way < n))
            passed = problem.places_xy[way]
            whole.append(passed)
            paths.append(passed[first : first + len(trip)])
            outer += [passed[: first + 1], passed[first + len(trip) - 1 :]]
            shades.append(lighter(colours[v], SHADES[number % len(SHADES)]))
    ax.add_collection(
        LineCollection(
            outer,
            colors=[shade for shade in shades for _ in range(2)],
            linewidths=fade(n, 1.0, 0.2),
            alpha=fade(n, 0.8, 0.25),
            linestyles=(0, (4, 2)) if n <= 500 else "solid",
            zorder=2,
        )
    )
    ax.add_collection(LineCollection(paths, colors=shades, linewidths=fade(n, 2.2, 0.5), zorder=3))
    draw_arrows(ax, whole, paths, shades, n)


def draw_places(ax: Axes, problem: HCVRP, tasks: list[Colour], vehicles: list[Colour]) -> None:
    """The depot, and dots whose area grows with the demand."""
    n, largest = problem.num_tasks, float(problem.demand.max()) or 1.0
    area = fade(n, 60.0, 1.6) * (0.35 + 0.65 * problem.demand / largest)
    edge = fade(n, 0.8, 0.0, most=1000)
    x, y = problem.customers_xy.T
    ax.scatter(x, y, s=area, c=tasks, edgecolors=PAPER, linewidths=edge, zorder=4)
    marks.depot(ax, problem)
    marks.starts(ax, problem, vehicles)


def keys() -> list[Line2D]:
    """None: a square and dots explain themselves."""
    return []


def add_bar(bars: Bars, row: int, problem: HCVRP, day: Timetable, colour: Colour) -> None:
    """One piece for each trip, a mark for each customer."""
    begin = day.begin
    for number, trip in enumerate(day.trips):
        end = day.finish if trip is day.trips[-1] else trip[-1].arrival
        bars.pieces.append((row, begin, end, lighter(colour, SHADES[number % len(SHADES)])))
        bars.visits += [(row, visit.arrival) for visit in trip if visit.task is not None]
        begin = end


def edge(problem: HCVRP) -> float:
    """Trips are set apart by a line of paper where there is room for one."""
    return fade(problem.num_vehicles, 1.2, 0.15, most=200)


def draw_visits(ax: Axes, problem: HCVRP, visits: list[tuple[int, float]]) -> None:
    """A tick at each customer."""
    ticks = [[(time, row - 0.5 * BAR), (time, row + 0.5 * BAR)] for row, time in visits]
    width = fade(problem.num_tasks, 1.4, 0.5, most=MOST_TASKS_TICKED)
    ax.add_collection(LineCollection(ticks, colors=PAPER, linewidths=width, zorder=3))


def time_axis(problem: HCVRP, ticked: bool) -> str:
    """Time by the clock, or in its unit where that is known."""
    if Times(problem).by_clock:
        return "time of day"
    names = {"h": "time, hours", "min": "time, minutes", "s": "time, seconds"}
    return names.get(problem.time_unit, "time")
