"""What the search needs to know of an instance, as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from geopar.problems import OMDCPDP

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class Settings(NamedTuple):
    """Every number that steers the search.

    Parameters
    ----------
    neighbours
        Stops near a pickup beside which it may be inserted.
    vehicles
        Starts near a pickup that are always looked at, so that idle vehicles find work.
    removed
        Mean number of stops that a ruin aims at (c̄ of SISR).
    longest
        Longest string of stops that is removed from one route.
    most_orders
        A ruin stops when it has removed so many orders.
    blink
        How often a place is overlooked.
    hot, cold
        First and last temperature, in units of the instance's own scale.
    """

    neighbours: int = 40
    vehicles: int = 4
    removed: float = 8.0
    longest: int = 8
    most_orders: int = 10
    blink: float = 0.01
    hot: float = 1.0
    cold: float = 0.05


class Data(NamedTuple):
    """An instance. Stops are the tasks ``0 .. N-1``, then the starts ``N .. N+M-1``."""

    xy: Floats
    capacity: NDArray[np.int64]
    orders: int
    near: Ints
    near_starts: Ints
    least: Floats
    direct: Floats
    unit: float
    settings: Settings


def prepare(problem: OMDCPDP, settings: Settings | None = None) -> Data:
    """Arrays for the search: memory and time linear in N, but for a logarithm."""
    settings = settings or Settings()
    orders = problem.num_orders
    tasks, starts = problem.tasks_xy, problem.starts_xy
    # Distances do not change, and numbers near zero keep more digits.
    xy = np.concatenate([tasks, starts])
    xy = np.ascontiguousarray(xy - xy.mean(axis=0))
    pickups, deliveries = xy[:orders], xy[orders : 2 * orders]
    near = _nearest_others(xy, orders, min(settings.neighbours, len(xy) - 1))
    tree = cKDTree(xy[2 * orders :])
    count = min(settings.vehicles, problem.num_vehicles)
    distance, near_starts = tree.query(pickups, np.arange(1, count + 1))
    nearest_start = np.asarray(distance)[:, 0]
    direct = np.hypot(*(deliveries - pickups).T)
    return Data(
        xy=xy,
        # More room than orders is as good as room for all.
        capacity=np.minimum(problem.capacity, orders).astype(np.int64),
        orders=orders,
        near=near,
        near_starts=np.ascontiguousarray(near_starts + 2 * orders, dtype=np.int32),
        # No vehicle delivers sooner than the nearest one would with nothing else to do.
        least=nearest_start + direct,
        direct=direct,
        unit=float(np.mean(direct)) / 0.5214 if orders else 0.0,
        settings=settings,
    )


def _nearest_others(xy: Floats, rows: int, count: int) -> Ints:
    """For each of the first ``rows`` places the ``count`` nearest others, nearest first."""
    _, index = cKDTree(xy).query(xy[:rows], np.arange(1, count + 2))
    # Where many places are equal, a place need not be among its own nearest.
    order = np.argsort(index == np.arange(rows)[:, None], axis=1, kind="stable")
    near = np.take_along_axis(index, order, axis=1)[:, :count]
    return np.ascontiguousarray(near, dtype=np.int32)
