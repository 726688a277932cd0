"""What the search knows of an instance: arrays that never change during a run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from geopar.compiled.jit import inner
from geopar.problems import HCVRP

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]

# Insertion looks at the places beside this many nearest customers, which keeps the cost of an
# iteration the same at every N.
NEIGHBOURS = 20

# Columns of ``Data.place``.
X, Y, FROM_DEPOT, DEMAND = range(4)
# Columns of ``Data.vehicle``.
CAPACITY, SPEED = range(2)


class Data(NamedTuple):
    """An instance in the search's own units: lengths over the mean depot distance, and so on.

    The depot is at the origin and has index ``n``, after the customers.
    """

    place: Floats
    vehicle: Floats
    near: Int32s
    """The nearest customers of each customer, nearest first."""
    near_distance: Floats
    unit: float
    """One time of the search in the user's units."""

    @property
    def num_customers(self) -> int:
        """N."""
        return len(self.near)


def prepare(problem: HCVRP) -> Data:
    """Centre, scale and index an instance; O(N log N) time, O(N) memory."""
    place, vehicle, unit = in_own_units(
        np.concatenate([problem.customers_xy, problem.depot_xy[None]])[None],
        np.append(problem.demand, 0.0)[None],
        problem.capacity[None],
        problem.speed[None],
    )
    near, near_distance = nearest(place[0, :-1, :2], NEIGHBOURS)
    return Data(place[0], vehicle[0], near, near_distance, float(unit[0]))


def in_own_units(
    places: Floats, demand: Floats, capacity: Floats, speed: Floats
) -> tuple[Floats, Floats, Floats]:
    """Instances of one size, centred and scaled: ``place``, ``vehicle`` and ``unit`` of each.

    Parameters
    ----------
    places
        ``(B, N + 1, 2)``: the customers, then the depot.
    demand
        ``(B, N + 1)``, zero for the depot.
    capacity, speed
        ``(B, M)``.
    """
    centred = places - places[:, -1:]
    distance = np.hypot(centred[..., 0], centred[..., 1])
    length_unit = distance[:, :-1].mean(axis=1)
    length_unit[length_unit == 0.0] = 1.0
    speed_unit = speed.mean(axis=1)
    place = np.concatenate([centred, distance[..., None], demand[..., None]], axis=2)
    place[..., :3] /= length_unit[:, None, None]
    # Nobody carries more than there is. Besides, what a trip still has room for would be rounded
    # too coarsely for small vehicles if large ones were endlessly larger.
    total = demand.sum(axis=1, keepdims=True)
    useful = np.minimum(capacity, np.where(total > 0.0, total, np.inf))
    # Sums of loads are rounded; a plan that fills a vehicle exactly must still fit.
    vehicle = np.stack([useful * (1.0 + 1e-10), speed / speed_unit[:, None]], axis=2)
    return place, vehicle, length_unit / speed_unit


def nearest(points: Floats, most: int) -> tuple[Int32s, Floats]:
    """For each point the ``most`` nearest others, as far as there are, and their distances."""
    n = len(points)
    k = min(most, n - 1)
    if k == 0:
        return np.zeros((n, 0), dtype=np.int32), np.zeros((n, 0))
    distance, found = map(np.asarray, cKDTree(points).query(points, k + 1))
    # Among points in one place a point need not find itself first: drop it wherever it is,
    # or the farthest when it is not among them at all.
    itself = found == np.arange(n)[:, None]
    itself[~itself.any(axis=1), -1] = True
    return found[~itself].reshape(n, k).astype(np.int32), distance[~itself].reshape(n, k)


@inner
def distance(data: Data, i: int, j: int) -> float:
    """Between two customers, or a customer and the depot."""
    dx = data.place[i, X] - data.place[j, X]
    dy = data.place[i, Y] - data.place[j, Y]
    return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]
