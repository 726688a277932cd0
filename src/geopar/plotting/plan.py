"""The plan on the map."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from geopar.check import Report
from geopar.plan import Indices, Plan
from geopar.plotting import marks
from geopar.plotting.routes import known_routes, report_without_claim, verdict
from geopar.plotting.style import (
    QUIET,
    SHADES,
    Colour,
    axes_or_new,
    fade,
    label,
    legend_below,
    lighter,
    map_axes,
    palette,
    rgb,
    title,
)
from geopar.problems import HCVRP, OMDCPDP, Problem

Floats = NDArray[np.float64]
Routes = list[list[Indices]]

MOST_IN_LEGEND = 16
# Up to so many tasks every leg shows its direction, then one leg of each trip, then none.
MOST_TASKS_WITH_ALL_ARROWS = 200
MOST_TRIPS_WITH_ARROWS = 250


def plot_plan(problem: Problem, plan: Plan, ax: Axes | None = None) -> Axes:
    """Draw the routes, one colour for each vehicle.

    HCVRP trips of one vehicle differ in lightness, and the ways from and to the depot are thin.
    A plan with mistakes is drawn too: the title says so and forgotten tasks are crossed.

    Parameters
    ----------
    problem
        What was planned; latitude and longitude are drawn as kilometres.
    plan
        Its plan.
    ax
        Where; new axes on a figure of their own when left out.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; ``ax.figure.savefig(…)`` keeps them.
    """
    routes = known_routes(problem, plan)
    report = report_without_claim(problem, plan)
    ax = axes_or_new(ax)
    colours = palette(problem.num_vehicles)
    owner = np.full(problem.num_tasks, -1)
    for v, trips in enumerate(routes):
        for trip in trips:
            owner[trip] = v
    task_colours = [colours[v] if v >= 0 else rgb(QUIET) for v in owner.tolist()]
    if isinstance(problem, HCVRP):
        _draw_trips(ax, problem, routes, colours)
        marks.customers(ax, problem, task_colours)
        marks.depot(ax, problem)
        places = problem.customers_xy
    else:
        _draw_tours(ax, problem, routes, colours)
        marks.orders(ax, problem, task_colours)
        marks.starts(ax, problem, colours)
        places = problem.tasks_xy
    marks.unserved(ax, places[owner < 0])
    _draw_legend(ax, problem, routes, report, colours)
    title(ax, verdict(problem, report))
    map_axes(ax, problem.coordinates)
    return ax


def _draw_trips(ax: Axes, problem: HCVRP, routes: Routes, colours: list[Colour]) -> None:
    n = problem.num_tasks
    paths: list[Floats] = []
    shades: list[Colour] = []
    for v, trips in enumerate(routes):
        for number, trip in enumerate(trips):
            paths.append(problem.customers_xy[trip])
            shades.append(lighter(colours[v], SHADES[number % len(SHADES)]))
    home = problem.depot_xy
    ways = [np.array([home, end]) for path in paths for end in (path[0], path[-1])]
    way_colours = [shade for shade in shades for _ in range(2)]
    ax.add_collection(
        LineCollection(
            ways,
            colors=way_colours,
            linewidths=fade(n, 1.0, 0.2),
            alpha=fade(n, 0.8, 0.25),
            linestyles=(0, (4, 2)) if n <= 500 else "solid",
            zorder=2,
        )
    )
    ax.add_collection(LineCollection(paths, colors=shades, linewidths=fade(n, 2.2, 0.5), zorder=3))
    if n <= MOST_TASKS_WITH_ALL_ARROWS:
        _arrows_on_all([np.vstack([home, path, home]) for path in paths], shades, ax, n)
    elif len(paths) <= MOST_TRIPS_WITH_ARROWS:
        _arrow_on_longest(paths, shades, ax, n)


def _draw_tours(ax: Axes, problem: OMDCPDP, routes: Routes, colours: list[Colour]) -> None:
    n = problem.num_tasks
    paths, shades = [], []
    for v, trips in enumerate(routes):
        for trip in trips:
            paths.append(np.vstack([problem.starts_xy[v], problem.tasks_xy[trip]]))
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
    if n <= MOST_TASKS_WITH_ALL_ARROWS:
        _arrows_on_all(paths, shades, ax, n)
    elif len(paths) <= MOST_TRIPS_WITH_ARROWS:
        _arrow_on_longest(paths, shades, ax, n)


def _arrows_on_all(paths: list[Floats], shades: list[Colour], ax: Axes, n: int) -> None:
    if not paths:
        return
    tails = np.concatenate([path[:-1] for path in paths])
    heads = np.concatenate([path[1:] for path in paths])
    colours = [shade for path, shade in zip(paths, shades, strict=True) for _ in path[1:]]
    marks.arrowheads(
        ax, tails, heads, colours, fade(n, 0.13, 0.07, most=MOST_TASKS_WITH_ALL_ARROWS)
    )


def _arrow_on_longest(paths: list[Floats], shades: list[Colour], ax: Axes, n: int) -> None:
    tails, heads, colours = [], [], []
    for path, shade in zip(paths, shades, strict=True):
        if len(path) > 1:
            leg = int(np.hypot(*np.diff(path, axis=0).T).argmax())
            tails.append(path[leg])
            heads.append(path[leg + 1])
            colours.append(shade)
    if tails:
        marks.arrowheads(ax, np.array(tails), np.array(heads), colours, fade(n, 0.12, 0.05))


def _draw_legend(
    ax: Axes, problem: Problem, routes: Routes, report: Report, colours: list[Colour]
) -> None:
    """Below the map, so that it covers nothing; left out for large fleets."""
    handles = []
    if problem.num_vehicles <= MOST_IN_LEGEND:
        for v, trips in enumerate(routes):
            what = f"{report.completion[v]:,.4g}" if trips else "idle"
            if len(trips) > 1:
                what = f"{len(trips)} trips, {what}"
            text = f"{label(problem.vehicle_ids[v])} ({what})"
            colour = colours[v] if trips else QUIET
            handles.append(Line2D([], [], color=colour, linewidth=2.5, label=text))
    if isinstance(problem, OMDCPDP):
        handles += marks.order_keys()
    if handles:
        legend_below(ax, handles, 4, problem.coordinates)
