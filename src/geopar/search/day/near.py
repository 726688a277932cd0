"""Beside whom a customer may well be served: near by, and in time for both.

The measure is that of Vidal, Crainic, Gendreau & Prins (2013): travel, and a share of the waiting
and of the lateness that cannot be avoided when one customer follows the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from geopar.problems import HCVRP

Floats = NDArray[np.float64]
Int32s = NDArray[np.int32]

NEIGHBOURS = 40
WAITING, LATENESS = 0.2, 1.0
# Above this many customers on straight lines only so many of the nearest are looked at.
MANY, AMONG = 3000, 400
# So many pairs are looked at in one go.
BLOCK = 1 << 21


def nearest(problem: HCVRP, opens: Floats, closes: Floats, service: Floats) -> Int32s:
    """For each customer the most promising neighbours."""
    n = problem.num_tasks
    most = min(NEIGHBOURS, n - 1)
    if not most:
        return np.zeros((n, 0), dtype=np.int32)
    near = np.zeros((n, most), dtype=np.int32)

    def follows(i: Any, j: Any) -> Floats:
        """What it takes to serve ``j`` right after ``i``."""
        i, j = np.broadcast_arrays(i, j)
        found = problem.travel.duration(0, i, j)
        if np.isfinite(opens).any():
            at_once = service[i] + found
            waiting = np.maximum(0.0, opens[j] - at_once - closes[i])
            lateness = np.maximum(0.0, opens[i] + at_once - closes[j])
            found = found + WAITING * waiting + LATENESS * lateness
        return found

    few = n if not problem.has_straight_lines or n <= MANY else AMONG + 1
    tree = cKDTree(problem.customers_xy) if few < n else None
    step = max(1, BLOCK // few)
    for begin in range(0, n, step):
        c = np.arange(begin, min(n, begin + step))[:, None]
        if tree is None:
            others = np.broadcast_to(np.arange(n), (len(c), n))
        else:
            others = np.asarray(tree.query(problem.customers_xy[c[:, 0]], few)[1])
        proximity = np.minimum(follows(c, others), follows(others, c))
        proximity[others == c] = np.inf
        chosen = np.argpartition(proximity, most - 1, axis=1)[:, :most]
        value = np.take_along_axis(proximity, chosen, axis=1)
        chosen = np.take_along_axis(chosen, np.argsort(value, axis=1, kind="stable"), axis=1)
        near[c[:, 0]] = np.take_along_axis(others, chosen, axis=1)
    return near
