"""The problem on the map."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from geopar.plotting import marks
from geopar.plotting.style import QUIET, axes_or_new, fade, legend_below, map_axes, rgb, title
from geopar.problems import HCVRP, OMDCPDP, Problem

CUSTOMER = "#0072b2"


def plot_problem(problem: Problem, ax: Axes | None = None) -> Axes:
    """Draw where everything is: depot or starts, customers by demand, or orders.

    Parameters
    ----------
    problem
        What to draw; latitude and longitude are drawn as kilometres.
    ax
        Where; new axes on a figure of their own when left out.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; ``ax.figure.savefig(…)`` keeps them.
    """
    ax = axes_or_new(ax)
    if isinstance(problem, HCVRP):
        marks.customers(ax, problem, CUSTOMER)
        marks.depot(ax, problem)
        what = _count(problem.num_tasks, "customer")
    else:
        _draw_orders(ax, problem)
        what = _count(problem.num_orders, "order")
    name = f"{problem.name}: " if problem.name else ""
    title(ax, f"{name}{what}, {_count(problem.num_vehicles, 'vehicle')}")
    map_axes(ax, problem.coordinates)
    return ax


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _draw_orders(ax: Axes, problem: OMDCPDP) -> None:
    pickups, deliveries = np.split(problem.tasks_xy, 2)
    ways = LineCollection(
        list(np.stack([pickups, deliveries], axis=1)),
        colors=QUIET,
        linewidths=fade(problem.num_tasks, 1.0, 0.15),
        alpha=0.7,
        zorder=2,
    )
    ax.add_collection(ways)
    marks.orders(ax, problem, [rgb(CUSTOMER)] * problem.num_tasks)
    marks.starts(ax, problem, marks.EMPTY_FACE)
    legend_below(ax, marks.order_keys(), 3, problem.coordinates)
