"""OMDCPDP in pictures; see :class:`geopar.plotting.parts.Parts`."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from geopar.plan import ways
from geopar.plotting.arrows import draw_arrows
from geopar.plotting.parts import Bars, Routes
from geopar.plotting.style import (
    INK,
    MOST_TASKS_TICKED,
    PAPER,
    QUIET,
    TASK,
    Colour,
    fade,
    legend_below,
    lighter,
    rgb,
)
from geopar.problems import OMDCPDP
from geopar.problems.told_times import Times
from geopar.schedule import Timetable

ENDS = "delivers"
IDLE_START = rgb("#cccccc")


def draw_problem(ax: Axes, problem: OMDCPDP) -> None:
    """The starts, and the orders with a line from pickup to delivery."""
    pickups, deliveries = np.split(problem.tasks_xy, 2)
    ways = LineCollection(
        list(np.stack([pickups, deliveries], axis=1)),
        colors=QUIET,
        linewidths=fade(problem.num_tasks, 1.0, 0.15),
        alpha=0.7,
        zorder=2,
    )
    ax.add_collection(ways)
    tasks, vehicles = [rgb(TASK)] * problem.num_tasks, [IDLE_START] * problem.num_vehicles
    draw_places(ax, problem, tasks, vehicles)
    legend_below(ax, keys(), 3, problem.coordinates)


def draw_routes(ax: Axes, problem: OMDCPDP, routes: Routes, colours: list[Colour]) -> None:
    """One line for each vehicle."""
    n = problem.num_tasks
    paths, shades = [], []
    for v, trips in enumerate(routes):
        for way in ways(problem, v, trips):
            paths.append(problem.places_xy[way])
            shades.append(colours[v])
    ax.add_collection(
        LineCollection(
            paths,
            colors=shades,
            linewidths=fade(n, 1.8, 0.35),
            alpha=fade(n, 0.95, 0.75),
            zorder=3,
        )
    )
    draw_arrows(ax, paths, paths, shades, n)


def draw_places(ax: Axes, problem: OMDCPDP, tasks: list[Colour], vehicles: list[Colour]) -> None:
    """Pickups are rings, deliveries are full, starts are diamonds."""
    n, half = problem.num_tasks, problem.num_orders
    size, edge = fade(n, 40.0, 2.0), fade(n, 1.4, 0.4)
    for part, faces in ((slice(0, half), PAPER), (slice(half, None), tasks[half:])):
        x, y = problem.tasks_xy[part].T
        ax.scatter(x, y, s=size, c=faces, edgecolors=tasks[part], linewidths=edge, zorder=4)
    size = fade(problem.num_vehicles + n / 4, 70.0, 8.0, most=1000)
    edge = fade(n, 1.2, 0.5)
    x, y = problem.starts_xy.T
    ax.scatter(x, y, s=size, marker="D", c=vehicles, edgecolors=INK, linewidths=edge, zorder=6)


def keys() -> list[Line2D]:
    """Legend entries that tell pickups, deliveries and starts apart."""
    kinds = (("o", PAPER, "pickup"), ("o", INK, "delivery"), ("D", IDLE_START, "start"))
    return [
        Line2D([], [], linestyle="", marker=marker, markerfacecolor=face, markeredgecolor=INK,
               markersize=5, label=text)
        for marker, face, text in kinds
    ]  # fmt: skip


def add_bar(bars: Bars, row: int, problem: OMDCPDP, day: Timetable, colour: Colour) -> None:
    """A piece for each leg, the darker the more is on board, and a mark for each delivery."""
    begin, on_board = day.begin, 0.0
    full = max([1.0, *(visit.load for visit in day.visits)])
    for visit in day.visits:
        shade = lighter(colour, 0.8 * (1 - min(1.0, max(0.0, on_board / full))))
        bars.pieces.append((row, begin, visit.arrival, shade))
        if visit.task is not None and visit.task >= problem.num_orders:
            bars.visits.append((row, visit.arrival))
        begin, on_board = visit.arrival, visit.load


def edge(problem: OMDCPDP) -> float:
    """Legs follow each other without a line between."""
    return 0.0


def draw_visits(ax: Axes, problem: OMDCPDP, visits: list[tuple[int, float]]) -> None:
    """A dot at each delivery."""
    rows, times = zip(*visits, strict=True)
    size = fade(problem.num_tasks, 26.0, 7.0, most=MOST_TASKS_TICKED)
    ax.scatter(times, rows, s=size, c=PAPER, edgecolors=INK, linewidths=0.7, zorder=4)


def time_axis(problem: OMDCPDP, ticked: bool) -> str:
    """Distance, which is time at speed one."""
    unit = f"distance driven, {problem.time_unit}" if problem.time_unit else "distance driven"
    if problem.day is not None:
        unit = f"time, {problem.time_unit}" if problem.time_unit else "time"
        if Times(problem).by_clock:
            unit = "time of day"
    return f"{unit}; dark with much on board" + ("; dots are deliveries" if ticked else "")
