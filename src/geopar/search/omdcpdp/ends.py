"""Who can be somewhere soonest, of very many vehicles: a tree of squares over where they end.

A vehicle that has driven its route is free at some moment and at some place. Each square knows the
soonest moment of all in it, which with its distance bounds what is worth a look.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled.jit import inner
from geopar.search.omdcpdp.data import Floats

Int32s = NDArray[np.int32]

# Of fewer vehicles all are looked at.
MANY_VEHICLES = 1000
_VEHICLES_PER_SQUARE = 4
NOBODY = -1


class Ends(NamedTuple):
    """The tree: square 0 is everything, the quarters of ``i`` are from ``4 i + 1`` on.

    Parameters
    ----------
    shape
        Left and lower edge of everything, and its side.
    soonest
        The first moment in each square; infinite where nobody is.
    first, after, before, square
        Of each smallest square the first vehicle, of each vehicle the next, the one before it,
        and its square.
    waiting, bound, edge
        Room for squares that wait for a look: which, its bound, left, low and side.
    """

    shape: Floats
    soonest: Floats
    first: Int32s
    after: Int32s
    before: Int32s
    square: Int32s
    waiting: Int32s
    bound: Floats
    edge: Floats


def no_ends(xy: Floats, vehicles: int) -> Ends:
    """Nobody in it yet; without any squares where there are few vehicles."""
    depth = 0
    if vehicles > MANY_VEHICLES:
        depth = max(1, round(math.log(vehicles / _VEHICLES_PER_SQUARE, 4)))
    low, high = xy.min(axis=0), xy.max(axis=0)
    squares = (4 ** (depth + 1) - 1) // 3 if depth else 0
    return Ends(
        shape=np.array([*low, max(float((high - low).max()), 1e-300), float(depth)]),
        soonest=np.full(squares, np.inf),
        first=np.full(squares, NOBODY, dtype=np.int32),
        after=np.full(vehicles, NOBODY, dtype=np.int32),
        before=np.full(vehicles, NOBODY, dtype=np.int32),
        square=np.full(vehicles, NOBODY, dtype=np.int32),
        waiting=np.zeros(3 * depth + 4, dtype=np.int32),
        bound=np.zeros(3 * depth + 4),
        edge=np.zeros((3 * depth + 4, 3)),
    )


@inner
def place_end(ends: Ends, free: Floats, v: int, x: float, y: float) -> None:
    """Let a vehicle be free here; ``free`` says from when on."""
    old, new = np.int64(ends.square[v]), _square_of(ends, x, y)
    if old != new:
        if old >= 0:
            _unlink(ends, v, old)
            _tell(ends, free, old)
        then = ends.first[new]
        ends.after[v], ends.before[v], ends.square[v] = then, NOBODY, new
        if then >= 0:
            ends.before[then] = v
        ends.first[new] = v
    _tell(ends, free, new)


@inner
def _square_of(ends: Ends, x: float, y: float) -> np.int64:
    """The smallest square around a place."""
    left, low, side = ends.shape[0], ends.shape[1], ends.shape[2]
    square = np.int64(0)
    for _ in range(int(ends.shape[3])):
        side *= 0.5
        square = 4 * square + 1
        if x >= left + side:
            left += side
            square += 1
        if y >= low + side:
            low += side
            square += 2
    return square


@inner
def _unlink(ends: Ends, v: int, square: int) -> None:
    before, then = ends.before[v], ends.after[v]
    if before >= 0:
        ends.after[before] = then
    else:
        ends.first[square] = then
    if then >= 0:
        ends.before[then] = before


@inner
def _tell(ends: Ends, free: Floats, square: int) -> None:
    """Bring the soonest moments of a smallest square, and of all around it, up to date."""
    moment = np.inf
    v = ends.first[square]
    while v >= 0:
        moment = min(moment, free[v])
        v = ends.after[v]
    ends.soonest[square] = moment
    while square > 0:
        square = (square - 1) // 4
        moment = np.inf
        for quarter in range(4 * square + 1, 4 * square + 5):
            moment = min(moment, ends.soonest[quarter])
        if moment == ends.soonest[square]:
            return
        ends.soonest[square] = moment


@inner
def soonest_of_many(
    ends: Ends, free: Floats, places: Floats, last: NDArray[np.uint32], x: float, y: float,
    limit: float,
) -> tuple[float, np.int64]:  # fmt: skip
    """When somebody can be at a place, if before ``limit``, and who, or -1.

    ``places`` has the coordinates in its first columns, ``last`` where in it each vehicle ends.
    """
    waiting, bound, edge, soonest = ends.waiting, ends.bound, ends.edge, ends.soonest
    vehicle, deepest = np.int64(NOBODY), len(soonest) // 4
    waiting[0], bound[0] = 0, soonest[0]
    edge[0, 0], edge[0, 1], edge[0, 2] = ends.shape[0], ends.shape[1], ends.shape[2]
    count = 1
    while count > 0:
        count -= 1
        if bound[count] >= limit:
            continue
        square = np.int64(waiting[count])
        if square >= deepest:
            v = np.int64(ends.first[square])
            while v >= 0:
                if free[v] < limit:
                    dx, dy = places[last[v], 0] - x, places[last[v], 1] - y
                    arrival = free[v] + math.sqrt(dx * dx + dy * dy)
                    if arrival < limit:
                        limit, vehicle = arrival, v
                v = np.int64(ends.after[v])
            continue
        side = 0.5 * edge[count, 2]
        corner_x, corner_y = edge[count, 0], edge[count, 1]
        begin = count
        for quarter in range(4):
            moment = soonest[4 * square + 1 + quarter]
            if moment >= limit:
                continue
            left, low = corner_x + side * (quarter & 1), corner_y + side * (quarter >> 1)
            dx = max(left - x, 0.0, x - left - side)
            dy = max(low - y, 0.0, y - low - side)
            least = moment + math.sqrt(dx * dx + dy * dy)
            if least >= limit:
                continue
            # Sorted, the most promising one on top.
            at = count
            while at > begin and bound[at - 1] < least:
                waiting[at], bound[at] = waiting[at - 1], bound[at - 1]
                edge[at, 0], edge[at, 1], edge[at, 2] = (
                    edge[at - 1, 0], edge[at - 1, 1], edge[at - 1, 2],
                )  # fmt: skip
                at -= 1
            waiting[at], bound[at] = 4 * square + 1 + quarter, least
            edge[at, 0], edge[at, 1], edge[at, 2] = left, low, side
            count += 1
    return limit, vehicle
