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
    task[leaf] = np.arange(count)
    box = np.empty((2 * size, 4))
    box[:, :2], box[:, 2:] = np.inf, -np.inf
    box[leaf] = np.concatenate([places, places], axis=1)
    least = np.full(2 * size, np.inf)
    least[leaf] = demand
    while size > 1:
        left, right = slice(size, 2 * size, 2), slice(size + 1, 2 * size, 2)
        parents = slice(size // 2, size)
        box[parents, :2] = np.minimum(box[left, :2], box[right, :2])
        box[parents, 2:] = np.maximum(box[left, 2:], box[right, 2:])
        least[parents] = np.minimum(least[left], least[right])
        size //= 2
    return OpenTasks(box, least, task, leaf)


def hilbert_rank(places: Floats) -> Ints:
    """Where each place lies along a Hilbert curve through them all.

    The curve runs through the ranks of the coordinates: it is as fine in the middle of a town as
    it is between towns.
    """
    rank: Ints = _along_curve(_ranks(places[:, 0]), _ranks(places[:, 1]))
    return rank


@compiled
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


@compiled
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
