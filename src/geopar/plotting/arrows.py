"""Arrowheads on routes: on every leg, on one leg of each trip, or none where there are many."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from geopar.plotting.style import Colour, fade

Floats = NDArray[np.float64]

MOST_TASKS_WITH_ALL_ARROWS = 200
MOST_TRIPS_WITH_ARROWS = 250


def draw_arrows(
    ax: Axes, whole: list[Floats], inner: list[Floats], shades: list[Colour], num_tasks: int
) -> None:
    """As many as there is room for.

    Parameters
    ----------
    whole
        Every trip from its first place to its last.
    inner
        What of each trip may carry the only arrow it gets.
    shades
        The colour of each trip.
    """
    if num_tasks <= MOST_TASKS_WITH_ALL_ARROWS:
        _on_all(whole, shades, ax, num_tasks)
    elif len(inner) <= MOST_TRIPS_WITH_ARROWS:
        _on_longest(inner, shades, ax, num_tasks)


def _on_all(paths: list[Floats], shades: list[Colour], ax: Axes, n: int) -> None:
    if not paths:
        return
    tails = np.concatenate([path[:-1] for path in paths])
    heads = np.concatenate([path[1:] for path in paths])
    colours = [shade for path, shade in zip(paths, shades, strict=True) for _ in path[1:]]
    _arrowheads(ax, tails, heads, colours, fade(n, 0.13, 0.07, most=MOST_TASKS_WITH_ALL_ARROWS))


def _on_longest(paths: list[Floats], shades: list[Colour], ax: Axes, n: int) -> None:
    tails, heads, colours = [], [], []
    for path, shade in zip(paths, shades, strict=True):
        if len(path) > 1:
            leg = int(np.hypot(*np.diff(path, axis=0).T).argmax())
            tails.append(path[leg])
            heads.append(path[leg + 1])
            colours.append(shade)
    if tails:
        _arrowheads(ax, np.array(tails), np.array(heads), colours, fade(n, 0.12, 0.05))


def _arrowheads(
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
