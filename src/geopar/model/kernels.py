"""Compiled helpers of the features: sorted shortlists and a grid of open tasks.

On a CPU, looking at a state is hundreds of small tensor operations; compiled loops do the same in
microseconds. The tensor versions beside them serve other devices and are what these are tested
against.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopar.compiled.jit import inner

# Up to so many open tasks, looking at all of them beats a grid.
MOST_WITHOUT_GRID = 160
# Up to so many numbers, comparing all pairs beats sorting.
MOST_COMPARED = 24


@inner
def insert(keys: Any, items: Any, count: int, key: float, item: int) -> int:
    """Insert into a shortlist sorted by key, the largest falling out when it is full."""
    most = keys.shape[0]
    if count < most:
        at = count
        count += 1
    elif key < keys[most - 1]:
        at = most - 1
    else:
        return count
    while at > 0 and keys[at - 1] > key:
        keys[at] = keys[at - 1]
        items[at] = items[at - 1]
        at -= 1
    keys[at] = key
    items[at] = item
    return count


@inner
def fill_grid(table: Any, tasks: Any, count: int, shape: Any, first: Any, member: Any) -> None:
    """Sort tasks into square cells.

    Parameters
    ----------
    table
        Coordinates in the first two columns.
    tasks, count
        The tasks.
    shape
        Filled with the left and lower edge, the side of a cell, and the numbers of columns and
        rows.
    first, member
        Filled so that cell ``c`` holds ``member[first[c]:first[c + 1]]``; ``first`` needs room for
        ``3 * count + 8`` cells.
    """
    left = right = float(table[tasks[0], 0])
    low = high = float(table[tasks[0], 1])
    for i in range(1, count):
        x, y = float(table[tasks[i], 0]), float(table[tasks[i], 1])
        left, right = min(left, x), max(right, x)
        low, high = min(low, y), max(high, y)
    width, height = right - left, high - low
    # About two tasks to a cell; a long thin area may not have more cells than tasks.
    side = max(math.sqrt(2.0 * width * height / count), max(width, height) / count, 1e-12)
    columns, rows = int(width / side) + 1, int(height / side) + 1
    shape[0], shape[1], shape[2], shape[3], shape[4] = left, low, side, columns, rows
    cells = columns * rows
    for c in range(cells + 1):
        first[c] = 0
    for i in range(count):
        cx, cy = int((table[tasks[i], 0] - left) / side), int((table[tasks[i], 1] - low) / side)
        first[cy * columns + cx + 1] += 1
    for c in range(cells):
        first[c + 1] += first[c]
    for i in range(count - 1, -1, -1):
        cx, cy = int((table[tasks[i], 0] - left) / side), int((table[tasks[i], 1] - low) / side)
        # Filled backwards, so the ends move down to the beginnings.
        cell = cy * columns + cx + 1
        first[cell] -= 1
        member[first[cell]] = tasks[i]
    # Each entry has moved to the beginning of its own cell; shift them back into place.
    for c in range(cells):
        first[c] = first[c + 1]
    first[cells] = count


@inner
def nearest_fitting(
    table: Any, x: float, y: float, load: Any, left: float, tasks: Any, count: int,
    gridded: bool, shape: Any, first: Any, member: Any, keys: Any, found: Any,
) -> int:  # fmt: skip
    """The nearest tasks whose load fits, nearest first, into ``found``; how many there are."""
    n = 0
    if not gridded:
        for i in range(count):
            j = tasks[i]
            if load[j] <= left:
                dx, dy = table[j, 0] - x, table[j, 1] - y
                n = insert(keys, found, n, dx * dx + dy * dy, j)
        return n
    most = keys.shape[0]
    side, columns, rows = shape[2], int(shape[3]), int(shape[4])
    cx = min(max(int((x - shape[0]) / side), 0), columns - 1)
    cy = min(max(int((y - shape[1]) / side), 0), rows - 1)
    for ring in range(max(columns, rows)):
        for gy in range(max(cy - ring, 0), min(cy + ring, rows - 1) + 1):
            edge = gy == cy - ring or gy == cy + ring
            step = 1 if edge or ring == 0 else 2 * ring
            gx = cx - ring
            while gx <= cx + ring:
                if 0 <= gx < columns:
                    cell = gy * columns + gx
                    for at in range(first[cell], first[cell + 1]):
                        j = member[at]
                        if load[j] <= left:
                            dx, dy = table[j, 0] - x, table[j, 1] - y
                            n = insert(keys, found, n, dx * dx + dy * dy, j)
                gx += step
        # Whatever lies in the next ring is at least this far away.
        reach = ring * side
        if n == most and keys[n - 1] <= reach * reach:
            break
    return n


@inner
def fill_up(row: Any, count: int, used: Any) -> None:
    """Fill the rest of a row with other tasks, each once; none of them is allowed.

    ``used`` is false for every task, before and after.
    """
    for i in range(count):
        used[row[i]] = True
    spare = 0
    for i in range(count, row.shape[0]):
        while used[spare]:
            spare += 1
        row[i] = spare
        spare += 1
    for i in range(count):
        used[row[i]] = False


@inner
def first_open(near: Any, is_open: Any, j: int) -> int:
    """Which of the tasks around a task is the nearest open one; their number if none is."""
    size = near.shape[1]
    for i in range(size):
        if is_open[near[j, i]]:
            return i
    return size


@inner
def onward_of(
    table: Any, near: Any, load: Any, left: float, is_open: Any, j: int, begin: int
) -> float:
    """From a task to the nearest open one around it that fits, or twice the farthest looked at.

    Those before ``begin`` are known to be out of the question: not open, as :func:`first_open`
    says, or too heavy. Zero where it has no neighbours at all.
    """
    size = near.shape[1]
    if not size:
        return 0.0
    double, k = 2.0, near[j, size - 1]
    for i in range(begin, size):
        other = near[j, i]
        if is_open[other] and load[other] <= left:
            double, k = 1.0, other
            break
    dx, dy = table[k, 0] - table[j, 0], table[k, 1] - table[j, 1]
    return double * math.sqrt(dx * dx + dy * dy)


@inner
def ensure(row: Any, wanted: int, home: int) -> None:
    """Put a task that is missing in place of the last one."""
    for k in range(row.shape[0]):
        if row[k] == wanted:
            return
    if wanted < home:
        row[row.shape[0] - 1] = wanted


@inner
def count_less(values: Any, counts: Any) -> None:
    """How many of the values are less than each of them."""
    size = values.shape[0]
    if size <= MOST_COMPARED:
        for i in range(size):
            counts[i] = 0
            for k in range(size):
                counts[i] += values[k] < values[i]
        return
    order = np.argsort(values)
    for i in range(size):
        equal = i > 0 and values[order[i]] == values[order[i - 1]]
        counts[order[i]] = counts[order[i - 1]] if equal else i


@inner
def squash(x: float) -> float:
    """Any number to (−1, 1), steep near zero."""
    return x / (1.0 + abs(x))
