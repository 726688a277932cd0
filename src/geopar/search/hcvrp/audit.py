"""A second opinion on a state: everything that the search keeps up to date, computed anew."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from geopar.search.hcvrp import state as columns
from geopar.search.hcvrp.data import (
    CAPACITY,
    DEMAND,
    FREE_FOR_ALL,
    OFFSET,
    PLAIN,
    SERVICE,
    SPEED,
    STRAIGHT,
    Data,
    X,
    Y,
)
from geopar.search.hcvrp.start import best_routes
from geopar.search.hcvrp.state import LARGEST_EXPONENT, State


def largest_discrepancy(data: Data, state: State) -> float:
    """How far any kept number is from its recomputation; infinite for a broken plan.

    Plain Python over the whole plan: for tests, after every iteration if need be.
    """
    return _recomputed(data, state) if is_whole(data, state) else math.inf


def is_whole(data: Data, state: State) -> bool:
    """Whether the lists make a plan, the best one too, and whoever is idle drives nothing."""
    try:
        _check_slots(state)
        _check_tours(data, state)
        _check_best(data, state)
    except BrokenStateError:
        return False
    return True


class BrokenStateError(Exception):
    """The plan under search is no plan."""


def _chain(first: int, following: NDArray[np.int32], end: int) -> Iterator[int]:
    """Follow a linked list up to ``end``; one that goes round in a circle is broken."""
    item = int(first)
    for _ in range(len(following) + 1):
        if item == end:
            return
        if not 0 <= item < len(following):
            break
        yield item
        item = int(following[item])
    raise BrokenStateError


def _trips_of(state: State, v: int) -> list[int]:
    return list(_chain(state.vehicle[v, columns.HEAD], state.trip[:, columns.AFTER], -1))


def _check(holds: bool) -> None:
    if not holds:
        raise BrokenStateError


def _check_slots(state: State) -> None:
    """Every trip is driven by one vehicle or free."""
    driven = [t for v in range(len(state.vehicle)) for t in _trips_of(state, v)]
    free = state.lists[columns.FREE, : state.counters[columns.FREE]].tolist()
    _check(len(driven) == state.counters[columns.OPEN_TRIPS])
    _check(sorted(driven + free) == list(range(len(state.trip))))


def _check_best(data: Data, state: State) -> None:
    """The best plan serves every customer once."""
    n = len(data.near)
    for first, owner in state.best_trip.tolist():
        if owner >= 0 and first < n:
            list(_chain(first, state.best_next, n))
    served = [c for trips in best_routes(data, state) for trip in trips for c in trip.tolist()]
    _check(sorted(served) == list(range(n)))


def _tour(data: Data, state: State, t: int) -> list[int]:
    n = len(data.near)
    return list(_chain(state.trip[t, columns.FIRST], state.customer[:, columns.NEXT], n))


def _check_tours(data: Data, state: State) -> None:
    """Every customer is on one trip, and all know their places."""
    n = len(data.near)
    served: list[int] = []
    for v in range(len(data.vehicle)):
        trips = _trips_of(state, v)
        for t in trips:
            tour = _tour(data, state, t)
            for before, c in zip([n, *tour], tour, strict=False):
                _check(state.customer[c, columns.TRIP] == t)
                _check(state.customer[c, columns.PREVIOUS] == before)
            _check(state.trip[t, columns.SIZE] == len(tour) > 0)
            _check(state.trip[t, columns.OWNER] == v and state.trip[t, columns.LAST] == tour[-1])
            served += tour
        _check(len(trips) == state.vehicle[v, columns.TRIPS])
        # However little rounding leaves to a vehicle without trips, it would look like work.
        _check(bool(trips) or state.drive[v, columns.DRIVEN] == _before_trips(data, v))
    _check(sorted(served) == list(range(n)))


def _before_trips(data: Data, v: int) -> float:
    return float(data.vehicle[v, SPEED] * data.vehicle[v, OFFSET]) if len(data) > PLAIN else 0.0


def _served(data: Data, tour: list[int]) -> float:
    return float(data.loading + data.place[tour, SERVICE].sum()) if len(data) > PLAIN else 0.0


def _recomputed(data: Data, state: State) -> float:
    """The largest difference of the numbers of a whole plan; of loads and of the cost the share."""
    n = len(data.near)
    xy = data.place[:, [X, Y]]
    sharpness, horizon = state.totals[[columns.SHARPNESS, columns.HORIZON]]
    wrong, cost, latest = 0.0, 0.0, 0.0
    for v, (capacity, speed) in enumerate(data.vehicle[:, [CAPACITY, SPEED]].tolist()):
        driven, trips = _before_trips(data, v), _trips_of(state, v)
        for t in trips:
            tour = _tour(data, state, t)
            pairs = list(zip([n, *tour], [*tour, n], strict=True))
            legs = [math.dist(xy[a], xy[b]) for a, b in pairs]
            if len(data) > STRAIGHT:
                legs = [float(data.matrix[a, b]) for a, b in pairs]
            if len(data) > FREE_FOR_ALL and not data.allowed[data.group[tour], v].all():
                return math.inf
            load, length = float(data.place[tour, DEMAND].sum()), sum(legs)
            wrong = max(
                wrong,
                float(np.abs(legs[:-1] - state.leg[tour, columns.LEG]).max()),
                abs(capacity - load - state.amount[t, columns.ROOM]) / capacity,
                abs(length - state.amount[t, columns.LENGTH]),
                load / capacity - 1.0,
            )
            driven += length + speed * _served(data, tour)
        wrong = max(wrong, abs(driven - state.drive[v, columns.DRIVEN]))
        if trips:
            latest = max(latest, driven / speed)
        exponent = sharpness * (driven / speed / horizon - 1.0)
        cost += speed * math.exp(min(exponent, LARGEST_EXPONENT))
    return float(
        max(
            wrong,
            abs(cost - state.totals[columns.COST]) / max(cost, 1e-300),
            abs(latest - state.totals[columns.MAKESPAN]),
        )
    )
