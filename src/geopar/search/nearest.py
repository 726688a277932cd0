"""The nearest open task that fits: a packed tree over places, for compiled code.

Places are sorted along a Hilbert curve and become the leaves of a complete binary tree in one
array (node ``i`` has the children ``2i`` and ``2i + 1``), after the packed R-tree of Kamel &
Faloutsos (1993, "On packing R-trees"). Every node knows the box around its places and the least
demand still open below it, so one search skips what is far, taken or too heavy alike, and taking
a task costs one walk to the root. Clusters and equal places are no special cases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_HILBERT_BITS = 16
_LARGEST = float(np.finfo(np.float64).max)


class OpenTasks(NamedTuple):
    """The tree.

    ``box`` has a row ``(low x, low y, high x, high y)`` per node, ``least`` the least demand open
    below it (infinite for none). ``task`` and ``leaf`` translate between leaves and tasks.
    """

    box: Floats
    least: Floats
    task: Ints
    leaf: Ints


def open_tasks(places: Floats, demand: Floats) -> OpenTasks:
    """All tasks open: their places and what each demands."""
    count = len(places)
    size = 1 << (count - 1).bit_length()
    order = np.argsort(hilbert_rank(places), kind="stable")
    leaf = np.empty(count, dtype=np.int64)
    leaf[order] = size + np.arange(count)
    task = np.full(2 * size, -1, dtype=np.int64)
    task[size : size + count] = order
    box, least = np.empty((2 * size, 4)), np.empty(2 * size)
    _grow(places, demand, order, box, least)
    return OpenTasks(box, least, task, leaf)


@compiled
def _grow(places: Floats, demand: Floats, order: Ints, box: Floats, least: Floats) -> None:
    """Fill all nodes, from the leaves to the root."""
    size = len(least) // 2
    for node in range(2 * size - 1, -1, -1):
        if node >= size + len(order) or node == 0:
            # Around nothing: no box grows by being joined with it, and nothing fits.
            box[node, 0], box[node, 1] = np.inf, np.inf
            box[node, 2], box[node, 3] = -np.inf, -np.inf
            least[node] = np.inf
        elif node >= size:
            task = order[node - size]
            x, y = places[task, 0], places[task, 1]
            box[node, 0], box[node, 1], box[node, 2], box[node, 3] = x, y, x, y
            least[node] = demand[task]
        else:
            one, other = 2 * node, 2 * node + 1
            box[node, 0] = min(box[one, 0], box[other, 0])
            box[node, 1] = min(box[one, 1], box[other, 1])
            box[node, 2] = max(box[one, 2], box[other, 2])
            box[node, 3] = max(box[one, 3], box[other, 3])
            least[node] = min(least[one], least[other])


def hilbert_rank(places: Floats) -> Ints:
    """Where each place lies along a Hilbert curve through them all.

    The curve runs through the ranks of the coordinates: it is as fine in the middle of a town as
    it is between towns.
    """
    rank: Ints = _along_curve(_ranks(places[:, 0]), _ranks(places[:, 1]))
    return rank


@compiled(allocates=True)
def _along_curve(across: Ints, up: Ints) -> Ints:
    """Where points of a square of whole numbers lie along the curve through it."""
    rank = np.zeros(len(across), dtype=np.int64)
    for i in range(len(across)):
        x, y = across[i], up[i]
        for bit in range(_HILBERT_BITS - 1, -1, -1):
            half = 1 << bit
            right, upper = int((x & half) > 0), int((y & half) > 0)
            rank[i] += half * half * ((3 * right) ^ upper)
            # Turn the quadrant so that the curve inside it begins and ends at the right corners.
            x, y = x & (half - 1), y & (half - 1)
            if right and not upper:
                x, y = half - 1 - x, half - 1 - y
            if not upper:
                x, y = y, x
    return rank


def _ranks(values: Floats) -> Ints:
    """From 0 to ``2 ** _HILBERT_BITS - 1``, the same for equal values."""
    rank = np.unique(values, return_inverse=True)[1]
    return rank * ((1 << _HILBERT_BITS) - 1) // max(int(rank.max()), 1)


@compiled(allocates=True)
def nearest(tree: OpenTasks, x: float, y: float, room: float) -> int:
    """The open task nearest to ``(x, y)`` that demands at most ``room``; -1 if there is none."""
    least = tree.least
    room = min(room, _LARGEST)  # what is taken demands infinitely much, and never fits
    if least[1] > room:
        return -1
    leaves = len(least) // 2
    found, best = -1, np.inf
    # Depth first, the nearer child on top; at most one sibling waits per level.
    waiting = np.empty(64, dtype=np.int64)
    squared = np.empty(64)
    waiting[0], squared[0], depth = 1, 0.0, 1
    while depth > 0:
        depth -= 1
        node = waiting[depth]
        if squared[depth] >= best:
            continue
        if node >= leaves:
            found, best = node, squared[depth]
            continue
        near, far = 2 * node, 2 * node + 1
        to_near, to_far = _squared(tree.box, near, x, y), _squared(tree.box, far, x, y)
        if to_far < to_near:
            near, far, to_near, to_far = far, near, to_far, to_near
        if least[far] <= room and to_far < best:
            waiting[depth], squared[depth] = far, to_far
            depth += 1
        if least[near] <= room and to_near < best:
            waiting[depth], squared[depth] = near, to_near
            depth += 1
    return int(tree.task[found])


@compiled
def leaf_near(tree: OpenTasks, x: float, y: float) -> int:
    """The leaf of an open task that is near, not always the nearest, if any task is open."""
    node = 1
    while 2 * node < len(tree.least):
        one, other = 2 * node, 2 * node + 1
        nearer = _squared(tree.box, one, x, y) <= _squared(tree.box, other, x, y)
        goes_to_one = tree.least[other] == np.inf or (nearer and tree.least[one] < np.inf)
        node = one if goes_to_one else other
    return node


@compiled
def take(tree: OpenTasks, task: int) -> None:
    """Close a task."""
    least = tree.least
    node = tree.leaf[task]
    least[node] = np.inf
    while node > 1:
        node //= 2
        least[node] = min(least[2 * node], least[2 * node + 1])


@compiled
def _squared(box: Floats, node: int, x: float, y: float) -> float:
    dx = max(box[node, 0] - x, 0.0, x - box[node, 2])
    dy = max(box[node, 1] - y, 0.0, y - box[node, 3])
    return dx * dx + dy * dy  # type: ignore[no-any-return]
