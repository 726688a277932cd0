"""What the search needs to know of an instance, as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from geopar.problems import OMDCPDP
from geopar.search.neighbours import PIECE, Pause, go_on, nearest_others

Floats = NDArray[np.float64]
# Stops are unsigned: numba then indexes arrays with them as they are, without asking whether they
# count from the end.
Stops = NDArray[np.uint32]

# A pickup's hop to a stop beside which it could be served: the mean distance to this neighbour.
_HOP = 8
# From here on the time for a first plan counts, and so many neighbours must do.
_MANY_ORDERS, _FEWER_NEIGHBOURS = 5_000, 60


class Settings(NamedTuple):
    """Every number that steers the search.

    Parameters
    ----------
    neighbours
        Stops near a pickup beside which it may be inserted; fewer where there are many orders.
        Late in a route a long detour delays few, so that far places count too.
    starts
        Starts near a pickup that are always looked at.
    strings, longest
        A ruin removes up to so many strings of up to so many stops.
    most_orders
        A ruin ends when it has removed so many orders.
    exchange
        How often the tails of two routes are swapped before the ruin is repaired.
    blink
        How often a place is overlooked.
    hot, cold
        First and last temperature, in units of the instance's own scale.
    """

    neighbours: int = 100
    starts: int = 4
    strings: int = 5
    longest: int = 4
    most_orders: int = 10
    exchange: float = 0.4
    blink: float = 0.01
    hot: float = 1.0
    cold: float = 0.04


class Data(NamedTuple):
    """An instance.

    Stops are the tasks ``0 .. N-1``, then the starts ``N .. N+M-1``, then one that stands for the
    end of every route.

    Parameters
    ----------
    xy
        Places of tasks and starts; distances are the user's, the origin is not.
    capacity
        Orders on board at once, for each vehicle.
    orders
        N/2.
    near
        For each pickup the stops around it, nearest first.
    near_starts
        For each pickup the starts around it, nearest first.
    direct
        From each pickup to its delivery.
    least
        No vehicle can deliver the order sooner than this.
    unit
        What the delay of a typical change is about.
    settings
        How to search.
    """

    xy: Floats
    capacity: NDArray[np.int64]
    orders: int
    near: Stops
    near_starts: Stops
    direct: Floats
    least: Floats
    unit: float
    settings: Settings


def prepare(problem: OMDCPDP, settings: Settings | None = None, pause: Pause = go_on) -> Data:
    """Arrays for the search: memory linear in N, time too but for a logarithm."""
    settings = settings or Settings()
    orders, vehicles = problem.num_orders, problem.num_vehicles
    places = np.concatenate([problem.tasks_xy, problem.starts_xy])
    # Numbers near zero keep more digits.
    xy = np.ascontiguousarray(places - places.mean(axis=0))
    pickups, deliveries = xy[:orders], xy[orders : 2 * orders]
    most = min(settings.neighbours, _FEWER_NEIGHBOURS if orders > _MANY_ORDERS else len(xy))
    near, _ = nearest_others(xy, most, orders, pause)
    near_starts, to_start = nearest_starts(xy, orders, settings.starts, pause)
    pause()
    direct = _length(deliveries - pickups)
    pause()
    hop = _length(xy[near[:, min(_HOP, near.shape[1]) - 1]] - pickups)
    pause()
    return Data(
        xy=xy,
        # Room for more than all orders is as good as room for all.
        capacity=np.minimum(problem.capacity, orders).astype(np.int64),
        orders=orders,
        near=near,
        near_starts=near_starts,
        direct=direct,
        least=to_start + direct,
        # A detour delays the deliveries after it; the power is fitted to what anneals best.
        unit=float(np.mean(direct + hop)) * max(1.0, orders / vehicles) ** 0.6,
        settings=settings,
    )


def nearest_starts(xy: Floats, orders: int, most: int, pause: Pause) -> tuple[Stops, Floats]:
    """For each pickup the ``most`` nearest stops where vehicles start, and how far the first is."""
    starts = xy[2 * orders :]
    ranks = np.arange(1, min(most, len(starts)) + 1)
    near, away = np.empty((orders, len(ranks)), np.uint32), np.empty(orders)
    tree = cKDTree(starts)
    for begin in range(0, orders, PIECE):
        pause()
        piece = slice(begin, min(begin + PIECE, orders))
        distance, found = tree.query(xy[piece], ranks)
        near[piece], away[piece] = found + 2 * orders, np.asarray(distance)[:, 0]
    return near, away


def _length(vectors: Floats) -> Floats:
    return np.hypot(vectors[:, 0], vectors[:, 1])
