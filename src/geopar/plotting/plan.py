"""The plan on the map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from geopar.checking import Report
from geopar.plan import Plan
from geopar.plotting import marks
from geopar.plotting.parts import Routes, parts_of
from geopar.plotting.routes import known_routes, report_without_claim, verdict
from geopar.plotting.style import (
    QUIET,
    Colour,
    axes_or_new,
    colours_of,
    label,
    legend_below,
    map_axes,
    rgb,
    title,
)
from geopar.problems import Problem
from geopar.problems.told_times import Times

MOST_IN_LEGEND = 16


def plot_plan(
    problem: Problem, plan: Plan, ax: Axes | None = None, fleet: Sequence[str] = ()
) -> Axes:
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
    fleet
        Vehicles of which these are some, as of the whole day of which this is the rest: each keeps
        the colour that it has among them.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; ``ax.figure.savefig(…)`` keeps them.
    """
    routes = known_routes(problem, plan)
    report = report_without_claim(problem, plan)
    ax = axes_or_new(ax)
    colours = colours_of(problem.vehicle_ids, fleet)
    owner = np.full(problem.num_tasks, -1)
    for v, trips in enumerate(routes):
        for trip in trips:
            owner[trip] = v
    task_colours = [colours[v] if v >= 0 else rgb(QUIET) for v in owner.tolist()]
    parts = parts_of(problem.kind)
    parts.draw_routes(ax, problem, routes, colours)
    parts.draw_places(ax, problem, task_colours, colours)
    marks.unserved(ax, problem.tasks_xy[owner < 0])
    _draw_legend(ax, problem, routes, report, colours)
    title(ax, verdict(problem, report))
    map_axes(ax, problem.coordinates)
    return ax


def _draw_legend(
    ax: Axes, problem: Problem, routes: Routes, report: Report, colours: list[Colour]
) -> None:
    """Below the map, so that it covers nothing; left out for large fleets."""
    handles = []
    times = Times(problem)
    if problem.num_vehicles <= MOST_IN_LEGEND:
        for v, trips in enumerate(routes):
            ends = float(report.completion[v])
            done = times.moment(problem.first_start + ends) if times.by_clock else f"{ends:,.4g}"
            what = done if trips else "idle"
            if len(trips) > 1:
                what = f"{len(trips)} trips, {what}"
            text = f"{label(problem.vehicle_ids[v])} ({what})"
            colour = colours[v] if trips else QUIET
            handles.append(Line2D([], [], color=colour, linewidth=2.5, label=text))
    handles += parts_of(problem.kind).keys()
    if handles:
        legend_below(ax, handles, 4, problem.coordinates)
