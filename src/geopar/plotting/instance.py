"""The problem on the map."""

from __future__ import annotations

from matplotlib.axes import Axes

from geopar.plotting.parts import parts_of
from geopar.plotting.style import axes_or_new, map_axes, title
from geopar.problems import Problem


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
    parts_of(problem.kind).draw_problem(ax, problem)
    name = f"{problem.name}: " if problem.name else ""
    what = _count(len(getattr(problem, f"{problem.named}_ids")), problem.named)
    title(ax, f"{name}{what}, {_count(problem.num_vehicles, 'vehicle')}")
    map_axes(ax, problem.coordinates)
    return ax


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
