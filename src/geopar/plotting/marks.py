"""The marks on a map: depot, starts, customers, pickups and deliveries, arrowheads."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from geopar.plotting.style import ALARM, INK, PAPER, Colour, fade
from geopar.problems import HCVRP, OMDCPDP

Floats = NDArray[np.float64]
Colours = str | list[Colour]

EMPTY_FACE = "#cccccc"


def depot(ax: Axes, problem: HCVRP) -> None:
    """A black square."""
    size = fade(problem.num_tasks, 90.0, 45.0)
    x, y = problem.depot_xy
    ax.scatter(x, y, s=size, marker="s", c=INK, edgecolors=PAPER, linewidths=1.0, zorder=6)


def starts(ax: Axes, problem: OMDCPDP, colours: Colours) -> None:
    """Diamonds, where the vehicles begin."""
    size = fade(problem.num_vehicles + problem.num_tasks / 4, 70.0, 8.0, most=1000)
    edge = fade(problem.num_tasks, 1.2, 0.5)
    x, y = problem.starts_xy.T
    ax.scatter(x, y, s=size, marker="D", c=colours, edgecolors=INK, linewidths=edge, zorder=6)


def customers(ax: Axes, problem: HCVRP, colours: Colours) -> None:
    """Dots whose area grows with the demand."""
    largest = float(problem.demand.max()) or 1.0
    area = fade(problem.num_tasks, 60.0, 1.6) * (0.35 + 0.65 * problem.demand / largest)
    edge = fade(problem.num_tasks, 0.8, 0.0, most=1000)
    x, y = problem.customers_xy.T
    ax.scatter(x, y, s=area, c=colours, edgecolors=PAPER, linewidths=edge, zorder=4)


def orders(ax: Axes, problem: OMDCPDP, colours: list[Colour]) -> None:
    """Pickups are rings, deliveries are full."""
    half = problem.num_orders
    size, edge = fade(problem.num_tasks, 40.0, 2.0), fade(problem.num_tasks, 1.4, 0.4)
    for part, faces in ((slice(0, half), PAPER), (slice(half, None), colours[half:])):
        x, y = problem.tasks_xy[part].T
        ax.scatter(x, y, s=size, c=faces, edgecolors=colours[part], linewidths=edge, zorder=4)


def unserved(ax: Axes, places: Floats) -> None:
    """Crosses on what the plan forgot."""
    x, y = places.T
    size = fade(len(places), 45.0, 8.0)
    ax.scatter(x, y, s=size, marker="x", c=ALARM, linewidths=1.4, zorder=7)


def arrowheads(
    ax: Axes, tails: Floats, heads: Floats, colours: list[Colour], inches: float
) -> None:
    """A head without a shaft on each leg, pointing the way.

    It sits behind the middle, so that heads on a way there and back do not meet.
    """
    ahead = heads - tails
    long_enough = np.flatnonzero(np.hypot(*ahead.T) > 0)
    if not len(long_enough):
        return
    ahead = ahead[long_enough]
    ahead = ahead / np.hypot(*ahead.T)[:, None]
    place = 0.42 * tails[long_enough] + 0.58 * heads[long_enough]
    ax.quiver(
        *place.T, *ahead.T, color=[colours[i] for i in long_enough], pivot="mid", angles="xy",
        units="inches", scale_units="inches", scale=1.0 / inches, width=inches / 4,
        headwidth=3.2, headlength=4.0, headaxislength=3.2, minlength=0, zorder=5,
    )  # fmt: skip


def order_keys() -> list[Line2D]:
    """Legend entries that tell pickups, deliveries and starts apart."""
    kinds = (("o", PAPER, "pickup"), ("o", INK, "delivery"), ("D", EMPTY_FACE, "start"))
    return [
        Line2D([], [], linestyle="", marker=marker, markerfacecolor=face, markeredgecolor=INK,
               markersize=5, label=text)
        for marker, face, text in kinds
    ]  # fmt: skip
