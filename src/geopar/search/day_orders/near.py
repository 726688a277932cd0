"""Which stops lie near each pickup, in place and in time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from geopar.problems import OMDCPDP

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Columns of a place, as in data.py: when it opens and closes, and how long service takes.
_OPENS, _CLOSES, _SERVICE = 2, 3, 5
# An hour that must be waited between two stops sets them apart like so many hours of driving.
_WAITING = 0.2
# A pickup's hop to a stop beside which it could be served: the duration to this neighbour.
_HOP = 8
# With straight lines and more tasks than this only the nearest are looked at, more than are kept.
_FEW_TASKS, _LOOKED_AT = 4_000, 4


class Nearness(NamedTuple):
    """What lies near, and how long it takes to get there.

    Parameters
    ----------
    near
        For each pickup the tasks that could be served before or after it, nearest first.
    near_starts
        For each pickup the stops where those who may serve it begin, nearest first.
    direct, hop, least
        For each order how long it takes from the pickup to the delivery and to a neighbour, and
        how soon after ``dawn`` it can be delivered.
    pace
        What a unit of distance takes, about.
    """

    near: NDArray[np.uint32]
    near_starts: NDArray[np.uint32]
    direct: Floats
    hop: Floats
    least: Floats
    pace: float


class _Fastest:
    """How long it takes the fastest vehicle of any profile."""

    def __init__(self, problem: OMDCPDP) -> None:
        self._travel = problem.travel
        day, speeds = problem.day, problem.speeds
        profile = np.zeros(len(speeds)) if day is None or day.profile is None else day.profile
        best: dict[object, int] = {}
        for v in np.argsort(speeds, kind="stable").tolist():
            best[profile[v]] = v
        self.vehicles = list(best.values())

    def duration(self, origin: Ints | int, destination: Ints | int) -> Floats:
        """From place to place."""
        ways = np.broadcast_arrays(np.asarray(origin), np.asarray(destination))
        times = [self._travel.duration(v, *ways) for v in self.vehicles]
        return np.asarray(np.minimum.reduce(times))


def nearness(
    problem: OMDCPDP,
    where: Ints,
    place: Floats,
    allowed: NDArray[np.bool_],
    dawn: float,
    counts: tuple[int, int],
) -> Nearness:
    """What lies near each pickup.

    Parameters
    ----------
    where
        The problem's place of each stop.
    place
        Rows of ``Data.place``.
    allowed
        Who may, by order and vehicle.
    dawn
        When the first vehicle is available.
    counts
        How many neighbours and how many starts are kept.
    """
    neighbours, starts = counts
    orders, tasks, vehicles = problem.num_orders, problem.num_tasks, problem.num_vehicles
    fastest = _Fastest(problem)
    near = np.empty((orders, min(neighbours, tasks - 1)), dtype=np.uint32)
    near_starts = np.empty((orders, min(starts, vehicles)), dtype=np.uint32)
    direct = fastest.duration(where[:orders], where[orders:tasks])
    hop, least = np.zeros(orders), np.zeros(orders)
    tree = None
    if problem.has_straight_lines and tasks > _FEW_TASKS:
        tree = cKDTree(place[:tasks, :2])
    homes = where[tasks : tasks + vehicles]
    for order in range(orders):
        others = np.delete(np.arange(tasks), order)
        if tree is not None:
            found = np.asarray(tree.query(place[order, :2], _LOOKED_AT * neighbours + 1)[1])
            others = found[found != order][: _LOOKED_AT * neighbours]
        to, back = (
            fastest.duration(where[order], where[others]),
            fastest.duration(where[others], where[order]),
        )
        apart = np.minimum(
            _apart(place[order], place[others].T, to), _apart(place[others].T, place[order], back)
        )
        chosen = _smallest(apart, near.shape[1])
        near[order] = others[chosen]
        hop[order] = np.minimum(to, back)[chosen[min(_HOP, len(chosen)) - 1]]
        way = fastest.duration(homes, where[order])
        picked = max(dawn + way.min(), place[order, _OPENS]) + place[order, _SERVICE]
        least[order] = max(picked + direct[order], place[orders + order, _OPENS]) - dawn
        way = np.where(allowed[order % len(allowed)], way, np.inf)
        near_starts[order] = tasks + _smallest(way, near_starts.shape[1])
    far = problem.travel.distance(where[:orders], where[orders:tasks]).sum()
    pace = direct.sum() / far if far > 0.0 and direct.sum() > 0.0 else 1.0
    return Nearness(near, near_starts, direct, hop, least, float(pace))


def _apart(first: Floats, second: Floats, driving: Floats) -> Floats:
    """How far apart one stop and the next are in time; infinitely where it cannot be the next."""
    soonest = first[_OPENS] + first[_SERVICE] + driving
    with np.errstate(invalid="ignore"):
        waiting = second[_OPENS] - first[_CLOSES] - first[_SERVICE] - driving
    apart = driving + _WAITING * np.nan_to_num(np.maximum(0.0, waiting), nan=0.0)
    return np.asarray(np.where(soonest <= second[_CLOSES], apart, np.inf))


def _smallest(values: Floats, count: int) -> Ints:
    """The indices of the smallest, in order; the same whatever the machine."""
    if count < len(values) // 4:
        bound = np.partition(values, count)[count]
        some = np.flatnonzero(values <= bound)
        return some[np.argsort(values[some], kind="stable")][:count]
    return np.argsort(values, kind="stable")[:count]
