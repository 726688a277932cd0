"""Cells of the plane with about as many points each, along lines that can be turned."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def cells(points: Floats, count: int, angle: float) -> Ints:
    """The cell of each point: halved again and again, across and along in turn.

    Parameters
    ----------
    points
        ``(n, 2)``.
    count
        How many cells.
    angle
        By which the lines are turned.
    """
    cosine, sine = np.cos(angle), np.sin(angle)
    turned = points @ np.array([[cosine, -sine], [sine, cosine]])
    cell = np.zeros(len(points), dtype=np.int64)
    waiting = [(np.arange(len(points)), count, 0, 0)]
    while waiting:
        inside, number, first, axis = waiting.pop()
        cell[inside] = first
        if number > 1:
            half = number // 2
            order = inside[np.argsort(turned[inside, axis], kind="stable")]
            cut = len(order) * half // number
            waiting.append((order[:cut], half, first, 1 - axis))
            waiting.append((order[cut:], number - half, first + half, 1 - axis))
    return cell
