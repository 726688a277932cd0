"""Delivering what is on board in compiled loops; see :mod:`geopar.model.deliveries`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopar.search.compiled import inner


@inner
def deliver_nearest(
    x: float, y: float, time: float, xs: Any, ys: Any, count: int
) -> tuple[float, float]:
    """The sum of the arrivals at some places, and when the last one is made.

    Begun at ``x``, ``y`` and ``time``; ``xs`` and ``ys`` are used up.
    """
    arrivals = 0.0
    while count > 0:
        nearest, least = 0, np.inf
        for i in range(count):
            dx, dy = xs[i] - x, ys[i] - y
            gap = dx * dx + dy * dy
            if gap < least:
                nearest, least = i, gap
        time += math.sqrt(least)
        arrivals += time
        x, y = xs[nearest], ys[nearest]
        count -= 1
        for i in range(nearest, count):
            xs[i], ys[i] = xs[i + 1], ys[i + 1]
    return arrivals, time
