"""Marks that the maps of several problems have."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from geopar.plotting.style import ALARM, INK, PAPER, fade
from geopar.problems import Problem

Floats = NDArray[np.float64]


def depot(ax: Axes, problem: Problem) -> None:
    """A black square where all vehicles begin."""
    size = fade(problem.num_tasks, 90.0, 45.0)
    x, y = problem.places_xy[problem.homes[0]]
    ax.scatter(x, y, s=size, marker="s", c=INK, edgecolors=PAPER, linewidths=1.0, zorder=6)


def unserved(ax: Axes, places: Floats) -> None:
    """Crosses on what the plan forgot."""
    x, y = places.T
    size = fade(len(places), 45.0, 8.0)
    ax.scatter(x, y, s=size, marker="x", c=ALARM, linewidths=1.4, zorder=7)
