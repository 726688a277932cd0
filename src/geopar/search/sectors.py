"""Neighbours on every side: the nearest customers, and besides the nearest in each direction.

Where customers lie in clusters, the nearest ones of each are those of its own cluster, and a search
that looks at no others never joins two clusters in one trip. Quadrant neighbours (Johnson & McGeoch
1997, "The traveling salesman problem: a case study in local optimization"; Helsgaun 2000) cure
that; here there are eight directions. Where customers lie evenly both are nearly the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from geopar.compiled.jit import compiled, inner
from geopar.search.neighbours import Pause, go_on, nearest_others

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]

SECTORS = 8
# So many are simply the nearest, and so many more fill the sectors evenly. Measured with
# benchmarks/search_rows.py: on clusters a few per cent, elsewhere the same as 20 nearest.
NEAREST, AROUND = 14, 10
# Of so many customers and more only so many nearest: a search hardly begins there.
VERY_MANY, OF_VERY_MANY = 20_000, 20
# Up to so many customers, everybody is looked at.
FEW = 250
# Of more the nearest ones, and the nearest ones of every 16th and of every 256th customer.
NEARBY, SAMPLED = 40, ((16, 16), (256, 8))
# Rows that are worked on at once.
BLOCK = 128


def neighbours_on_every_side(places: Floats, pause: Pause = go_on) -> tuple[Int32s, Floats]:
    """For each of ``(n, 2)`` places its neighbours, nearest first, and how far they are."""
    n = len(places)
    if n >= VERY_MANY:
        found, away = nearest_others(places, OF_VERY_MANY, pause=pause)
        return found.view(np.int32), away
    count = min(NEAREST + AROUND, max(n - 1, 0))
    near, away = np.zeros((n, count), dtype=np.int32), np.zeros((n, count))
    few = n <= FEW
    seen = np.tile(np.arange(n, dtype=np.int32), (BLOCK, 1)) if few else _seen(places, pause)
    for begin in range(0, n if count else 0, BLOCK):
        pause()
        rows = np.arange(begin, min(begin + BLOCK, n))
        pool = seen[: len(rows)] if few else seen[rows]
        gap = places[pool] - places[rows, None]
        far = np.sqrt(gap[..., 0] * gap[..., 0] + gap[..., 1] * gap[..., 1])
        near[rows], away[rows] = on_every_side(places, rows, pool, far, count)
    return near, away


def _seen(places: Floats, pause: Pause) -> Int32s:
    """Whom each of many places looks at: its nearest ones, and some far away on all sides."""
    n = len(places)
    parts = [nearest_others(places, NEARBY, pause=pause)[0].view(np.int32)]
    # Scattered without a pattern, and the same in every run.
    scattered = np.random.default_rng(0).permutation(n)
    for every, count in SAMPLED:
        some = scattered[: max(count + 1, n // every)]
        pause()
        _, found = cKDTree(places[some]).query(places, np.arange(1, count + 1))
        parts.append(some[found].astype(np.int32))
    return np.concatenate(parts, axis=1)


@inner
def _sector(dx: float, dy: float) -> int:
    """Which eighth of the circle a direction points to."""
    sector = 4 if dy < 0.0 else 0
    if dx < 0.0:
        sector += 2
    return sector + 1 if abs(dy) > abs(dx) else sector


@compiled(allocates=True)
def on_every_side(
    places: Floats, rows: Ints, pool: Int32s, far: Floats, count: int
) -> tuple[Int32s, Floats]:
    """The neighbours of some places among those in their pools, nearest first.

    The nearest :data:`NEAREST` come first; then one after another comes the nearest of a sector
    that has fewest so far.

    Parameters
    ----------
    places
        ``(n, 2)``.
    rows
        ``(R,)``: the places whose neighbours are wanted.
    pool
        ``(R, K)``: whom each looks at, in any order; itself and repeats are passed over, but each
        pool needs ``count`` others.
    far
        ``(R, K)``: how far they are.
    count
        How many neighbours.
    """
    near = np.zeros((len(rows), count), dtype=np.int32)
    away = np.zeros((len(rows), count))
    # The nearest of each sector, and how far.
    who = np.empty((SECTORS, count), dtype=np.int32)
    gap = np.empty((SECTORS, count))
    for r in range(len(rows)):
        held = np.zeros(SECTORS, dtype=np.int64)
        for j in range(pool.shape[1]):
            k = pool[r, j]
            if k == rows[r]:
                continue
            s = _sector(places[k, 0] - places[rows[r], 0], places[k, 1] - places[rows[r], 1])
            _hold(who[s], gap[s], held, s, k, far[r, j])
        used = np.zeros(SECTORS, dtype=np.int64)
        for i in range(count):
            best = -1
            for s in range(SECTORS):
                if used[s] == held[s]:
                    continue
                if best < 0:
                    best = s
                    continue
                fuller = used[s] - used[best] if i >= NEAREST else 0
                if fuller < 0 or (fuller == 0 and gap[s, used[s]] < gap[best, used[best]]):
                    best = s
            if best < 0:
                break
            near[r, i], away[r, i] = who[best, used[best]], gap[best, used[best]]
            used[best] += 1
        order = np.argsort(away[r], kind="mergesort")
        near[r], away[r] = near[r][order], away[r][order]
    return near, away


@inner(forceinline=False)
def _hold(who: Int32s, gap: Floats, held: Ints, s: int, k: int, far: float) -> None:
    """Put somebody into the sorted row of a sector, unless it is there, or farther than all."""
    size = held[s]
    if size == len(who) and far >= gap[size - 1]:
        return
    place = size
    while place > 0 and gap[place - 1] > far:
        place -= 1
    other = place - 1
    while other >= 0 and gap[other] == far:
        if who[other] == k:
            return
        other -= 1
    if size < len(who):
        held[s] = size + 1
    else:
        size -= 1
    for i in range(size, place, -1):
        who[i], gap[i] = who[i - 1], gap[i - 1]
    who[place], gap[place] = k, far
