"""First plans: cheapest insertion, or a given plan."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geopar.compiled.jit import compiled, inner
from geopar.search.omdcpdp.data import Data, Floats, Stops
from geopar.search.omdcpdp.insert import cheapest, cheapest_on_leg, insert
from geopar.search.omdcpdp.state import (
    ARRIVAL,
    BEST,
    CURRENT,
    ITERATIONS,
    OPEN,
    OPEN_IN,
    State,
    delivery_of,
    distance,
    empty,
    end_of,
    keep,
    link,
    record_best,
    refresh,
    start_of,
    touch,
)

# An order waits its turn by what it costs to insert now, less this part of what it would cost if a
# vehicle were free for it: far orders are not put off only because they are far.
_FORGIVEN = 0.4
# From so many orders on it is enough to be nearly the cheapest, which spares second looks.
_VERY_MANY_ORDERS, _HURRY = 10_000, 0.17
# Tries of a small instance differ by so much in the costs; and so many orders are tried in all.
_NOISE = 0.5
_INSERTED_IN_ALL = 2_000
# The longest route decides how many steps a construction takes. Where vehicles have many orders,
# one with more than this part above the mean is worth avoiding, at this part of the cost.
_MANY_FOR_ONE, _ABOVE_MEAN, _WORTH = 10.0, 0.08, 0.01


def insertion(data: Data, seed: int, noise: float = 0.0, most: int | None = None) -> State:
    """Insert all orders, always the one that costs least to insert now, where it costs least.

    With noise the costs by which orders wait are disturbed by about that share, differently for
    every seed but zero. No vehicle gets more than ``most`` orders.
    """
    state = empty(data, seed)
    weight = np.ones(data.orders)
    if noise and seed:
        weight = np.exp(noise * np.random.default_rng(seed).standard_normal(data.orders))
    hurry = max(1.0, data.orders / _VERY_MANY_ORDERS) ** _HURRY
    fill(data, state, weight, hurry, data.orders if most is None else most)
    return state


def best_insertion(data: Data, tries: int) -> State:
    """The best of some insertions; fewer where one takes long, but always one or two.

    Where vehicles have many orders each, all but the first try to share them out evenly.
    """
    mean = data.orders / len(data.capacity)
    most = math.ceil((1.0 + _ABOVE_MEAN) * mean) if mean >= _MANY_FOR_ONE else data.orders
    tries = min(tries, max(2 if mean >= _MANY_FOR_ONE else 1, _INSERTED_IN_ALL // data.orders))
    # What disturbs a long sequence a little everywhere spoils it as a whole.
    noise = _NOISE / data.orders**0.5

    def worth(state: State) -> float:
        return float(state.value[BEST]) * (1.0 + _WORTH * bool(state.load.max() > most))

    states = (insertion(data, seed, noise, most if seed else None) for seed in range(tries))
    return min(states, key=worth)


def given(data: Data, routes: Sequence[ArrayLike], seed: int) -> State:
    """A plan by the tasks of each vehicle in order."""
    state = empty(data, seed)
    for v, route in enumerate(routes):
        take(data, state, v, np.asarray(route, dtype=np.int64))
    record_best(data, state)
    return state


@compiled
def fill(data: Data, state: State, weight: Floats, hurry: float, most: int) -> None:
    """Insert all orders; their costs are weighted to decide whose turn it is.

    It is an order's turn when it costs at most ``hurry`` times as much as the next. A vehicle with
    ``most`` orders gets no more.

    Hardly any insertion makes another one cheaper, so a cost that was true once is a bound: only
    the order that is first by such bounds is looked at again.
    """
    end, vehicles, count = end_of(state), len(data.capacity), data.settings.neighbours
    free = np.zeros(vehicles)
    last = np.array([start_of(data, v) for v in range(vehicles)])
    known = np.full(data.orders, end)
    keys = weight * (1.0 - _FORGIVEN) * data.least
    turns: list[tuple[float, int]] = [(keys[order], order) for order in range(data.orders)]
    heapq.heapify(turns)
    while turns:
        order = np.uint32(heapq.heappop(turns)[1])
        state.counter[ITERATIONS] += 1
        # The leg that was best before mostly still is, which spares looking closely at others.
        cost, pickup_after, delivery_after = on_leg(data, state, order, known[order])
        soonest, vehicle = soonest_at_an_end(data, state, order, free, last, cost)
        if vehicle >= 0:
            cost, pickup_after, delivery_after = soonest, last[vehicle], order
        growth, pickup, delivery = cheapest(data, state, order, cost, count)
        if pickup != end:
            cost, pickup_after, delivery_after = growth, pickup, delivery
        known[order] = pickup_after
        key = weight[order] * (cost - _FORGIVEN * data.least[order])
        if turns and key > hurry * turns[0][0]:
            heapq.heappush(turns, (key, np.int64(order)))  # type: ignore[misc]
            continue
        state.value[CURRENT] += insert(data, state, order, pickup_after, delivery_after)
        vehicle = np.int64(state.vehicle[order])
        while state.following[last[vehicle]] != end:
            last[vehicle] = state.following[last[vehicle]]
        free[vehicle] = state.stops[last[vehicle], ARRIVAL]
        if state.load[vehicle] >= most:
            free[vehicle] = np.inf
            close(data, state, vehicle)
        keep(state)
    for v in range(vehicles):
        refresh(data, state, v)
    record_best(data, state)


@inner(_nrt=False)
def close(data: Data, state: State, v: int) -> None:
    """Let nothing more be inserted into a route, until it is refreshed."""
    s = start_of(data, v)
    while s != end_of(state):
        state.stops[s, OPEN] = state.stops[s, OPEN_IN] = np.inf
        s = state.following[s]


@inner(_nrt=False)
def on_leg(
    data: Data, state: State, order: np.uint32, a: np.uint32
) -> tuple[float, np.uint32, np.uint32]:
    """The cheapest way to insert an order with its pickup after ``a``, if that is in the plan."""
    stops, following, end = state.stops, state.following, end_of(state)
    if a == end:
        return np.inf, end, end
    b = following[a]
    cost, place = cheapest_on_leg(
        stops, following, order, delivery_of(data, order), data.direct[order], a, b,
        distance(stops, a, order), distance(stops, b, order), np.inf,
    )  # fmt: skip
    return cost, a, place


@inner(_nrt=False)
def soonest_at_an_end(
    data: Data, state: State, order: np.uint32, free: Floats, last: Stops, limit: float
) -> tuple[float, np.int64]:
    """When an order can be delivered after all else, if before ``limit``, and by whom, or -1."""
    vehicle = np.int64(-1)
    limit -= data.direct[order]
    for v in range(len(free)):
        # Most vehicles are free too late whatever the way.
        if free[v] < limit:
            arrival = free[v] + distance(state.stops, last[v], order)
            if arrival < limit:
                limit, vehicle = arrival, np.int64(v)
    return limit + data.direct[order], vehicle


@compiled(_nrt=False)
def take(data: Data, state: State, v: int, route: NDArray[np.int64]) -> None:
    """Give an idle vehicle this route."""
    state.counter[ITERATIONS] += 1
    touch(data, state, v)
    a = start_of(data, v)
    for task in route:
        s = np.uint32(task)
        link(state, a, s)
        state.vehicle[s] = v
        a = s
    link(state, a, end_of(state))
    state.load[v] = len(route) // 2
    state.value[CURRENT] += refresh(data, state, v)
    keep(state)
