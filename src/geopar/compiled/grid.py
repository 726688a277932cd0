"""The nearest of many points in compiled code: a grid of square cells, or one by one where few.

Unlike a k-d tree a grid costs next to nothing to make, so it can be made anew for every state,
of those points alone that are still open.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inner
from geopar.compiled.shortlist import insert

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Points have their coordinates in these columns, and maybe more.
X, Y = 0, 1
POINTS_PER_CELL = 2.0
SMALLEST_SIDE = 1e-12


class Grid(NamedTuple):
    """Points in cells.

    Parameters
    ----------
    shape
        The left and lower edge, the side of a cell, and the numbers of columns and rows.
    first, member
        Cell ``c`` holds ``member[first[c]:first[c + 1]]``.
    """

    shape: Floats
    first: Ints
    member: Ints


@inner(allocates=True)
def new_grid(count: int) -> Grid:
    """Empty, for so many points."""
    cells, member = np.empty(3 * count + 8, dtype=np.int64), np.empty(count, dtype=np.int64)
    return Grid(np.empty(5), cells, member)


@inner
def fill(grid: Grid, points: Floats, listed: Ints, count: int) -> None:
    """Sort the first ``count`` listed points into cells, about two to a cell."""
    _lay_out(grid.shape, points, listed, count)
    shape, first, member = grid.shape, grid.first, grid.member
    left, low, side, columns = shape[0], shape[1], shape[2], int(shape[3])
    cells = columns * int(shape[4])
    for c in range(cells + 1):
        first[c] = 0
    for i in range(count):
        cx, cy = int((points[listed[i], X] - left) / side), int((points[listed[i], Y] - low) / side)
        first[cy * columns + cx + 1] += 1
    for c in range(cells):
        first[c + 1] += first[c]
    for i in range(count - 1, -1, -1):
        cx, cy = int((points[listed[i], X] - left) / side), int((points[listed[i], Y] - low) / side)
        # Filled backwards, so the ends move down to the beginnings.
        cell = cy * columns + cx + 1
        first[cell] -= 1
        member[first[cell]] = listed[i]
    # Each entry has moved to the beginning of its own cell; shift them back into place.
    for c in range(cells):
        first[c] = first[c + 1]
    first[cells] = count


@inner
def _lay_out(shape: Floats, points: Floats, listed: Ints, count: int) -> None:
    """Where the cells are, and how many there are."""
    left = right = float(points[listed[0], X])
    low = high = float(points[listed[0], Y])
    for i in range(1, count):
        x, y = float(points[listed[i], X]), float(points[listed[i], Y])
        left, right = min(left, x), max(right, x)
        low, high = min(low, y), max(high, y)
    width, height = right - left, high - low
    # A long thin area may not have more cells than points.
    side = math.sqrt(POINTS_PER_CELL * width * height / count)
    side = max(side, max(width, height) / count, SMALLEST_SIDE)
    columns, rows = int(width / side) + 1, int(height / side) + 1
    shape[0], shape[1], shape[2], shape[3], shape[4] = left, low, side, columns, rows


@inner
def nearest_in_grid(
    grid: Grid, points: Floats, x: float, y: float, load: Floats, room: float, keys: Floats,
    found: Ints,
) -> int:  # fmt: skip
    """The nearest points whose load fits, nearest first, into ``found``; how many there are.

    As many as ``keys`` and ``found`` have places for; ``keys`` become squares of distances.
    """
    shape, first, member = grid.shape, grid.first, grid.member
    n, most = 0, keys.shape[0]
    side, columns, rows = shape[2], int(shape[3]), int(shape[4])
    cx = min(max(int((x - shape[0]) / side), 0), columns - 1)
    cy = min(max(int((y - shape[1]) / side), 0), rows - 1)
    for ring in range(max(columns, rows)):
        for gy in range(max(cy - ring, 0), min(cy + ring, rows - 1) + 1):
            is_edge = gy == cy - ring or gy == cy + ring
            step = 1 if is_edge or ring == 0 else 2 * ring
            gx = cx - ring
            while gx <= cx + ring:
                if 0 <= gx < columns:
                    cell = gy * columns + gx
                    for at in range(first[cell], first[cell + 1]):
                        j = member[at]
                        if load[j] <= room:
                            dx, dy = points[j, X] - x, points[j, Y] - y
                            n = insert(keys, found, n, dx * dx + dy * dy, j)
                gx += step
        # Whatever lies in the next ring is at least this far away.
        reach = ring * side
        if n == most and keys[n - 1] <= reach * reach:
            break
    return n


@inner
def nearest_of_all(
    listed: Ints, count: int, points: Floats, x: float, y: float, load: Floats, room: float,
    keys: Floats, found: Ints,
) -> int:  # fmt: skip
    """As :func:`nearest_in_grid`, for the first ``count`` of some listed points, one by one."""
    n = 0
    for i in range(count):
        j = listed[i]
        if load[j] <= room:
            dx, dy = points[j, X] - x, points[j, Y] - y
            n = insert(keys, found, n, dx * dx + dy * dy, j)
    return n
