"""Marks that the maps of several problems have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from geopar.plotting.style import ALARM, INK, PAPER, Colour, fade
from geopar.problems import Problem

Floats = NDArray[np.float64]


def depot(ax: Axes, problem: Problem) -> None:
    """A black square where goods come from."""
    if problem.day is not None and not problem.day.has_depot:
        return
    size = fade(problem.num_tasks, 90.0, 45.0)
    x, y = problem.places_xy[problem.num_tasks]
    ax.scatter(x, y, s=size, marker="s", c=INK, edgecolors=PAPER, linewidths=1.0, zorder=6)


def starts(ax: Axes, problem: Problem, vehicles: Sequence[Colour]) -> None:
    """Diamonds where vehicles begin that do not begin at the depot, in their colours."""
    own = np.flatnonzero(problem.homes != problem.num_tasks) if len(vehicles) else np.zeros(0, int)
    if len(own):
        x, y = problem.places_xy[problem.homes[own]].T
        size, chosen = fade(problem.num_tasks, 50.0, 8.0), [vehicles[v] for v in own.tolist()]
        ax.scatter(x, y, s=size, marker="D", c=chosen, edgecolors=INK, linewidths=0.8, zorder=5)


def unserved(ax: Axes, places: Floats) -> None:
    """Crosses on what the plan forgot."""
    x, y = places.T
    size = fade(len(places), 45.0, 8.0)
    ax.scatter(x, y, s=size, marker="x", c=ALARM, linewidths=1.4, zorder=7)
