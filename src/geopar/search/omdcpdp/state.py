"""A plan under search: linked routes, with what is needed to price a change at once.

Each stop knows its neighbours in the route, when the vehicle arrives, how many deliveries come
after it, how long the leg to the next stop is and how much room is left on it. With those the
exact change of the objective is a handful of operations for any insertion (``insert.py``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.search import random
from geopar.search.compiled import compiled
from geopar.search.omdcpdp.data import Data, Floats, Ints

# Columns of State.stops.
X, Y, ARRIVAL, AFTER, LEG, ROOM = range(6)
WIDTH = 8  # one cache line for each stop
# Entries of State.value.
CURRENT, BEST, DISCREPANCY = range(3)
# Entries of State.counter.
ITERATIONS, ACCEPTED, TOUCHED, SAVED, DIRTY, DEBUG = range(6)

NONE = -1


class State(NamedTuple):
    """A run at some moment: all arrays, all changed in place.

    Parameters
    ----------
    stops
        A row for each stop: place, arrival, deliveries after it, length of the leg that leaves
        it (0 at the end of a route), room on that leg.
    following, preceding
        The stop after and before each stop in its route; -1 for none.
    vehicle
        The vehicle that visits each stop; -1 while a task is out of the plan.
    load
        Orders of each vehicle.
    cost
        Sum of arrivals at the deliveries of each vehicle.
    best
        ``following`` of the best plan so far.
    stamp, touched, bounds, saved_stop, saved, saved_cost
        The journal of an iteration: the routes that it touched as they were before.
    dirty, is_dirty
        Vehicles whose route may differ from the best plan's.
    removed, key
        Orders out of the plan, and what to sort them by.
    value
        Cost now, best cost, largest discrepancy found in debug mode.
    counter
        Iterations, accepted ones, sizes of the journal and of the dirty list, debug mode.
    random
        The run's own random state.
    """

    stops: Floats
    following: Ints
    preceding: Ints
    vehicle: Ints
    load: Ints
    cost: Floats
    best: Ints
    stamp: NDArray[np.int64]
    touched: Ints
    bounds: Ints
    saved_stop: Ints
    saved: Floats
    saved_cost: Floats
    dirty: Ints
    is_dirty: NDArray[np.bool_]
    removed: Ints
    key: Floats
    value: Floats
    counter: NDArray[np.int64]
    random: random.State


def empty(data: Data, seed: int) -> State:
    """All vehicles at their starts, all orders out of the plan."""
    num_stops, vehicles = len(data.xy), len(data.capacity)
    tasks = 2 * data.orders
    stops = np.zeros((num_stops, WIDTH))
    stops[:, :2] = data.xy
    stops[tasks:, ROOM] = data.capacity
    none = np.full(num_stops, NONE, dtype=np.int32)
    vehicle = none.copy()
    vehicle[tasks:] = np.arange(vehicles)
    return State(
        stops=stops,
        following=none,
        preceding=none.copy(),
        vehicle=vehicle,
        load=np.zeros(vehicles, dtype=np.int32),
        cost=np.zeros(vehicles),
        best=none.copy(),
        stamp=np.full(vehicles, NONE, dtype=np.int64),
        touched=np.zeros(vehicles, dtype=np.int32),
        bounds=np.zeros(vehicles + 1, dtype=np.int32),
        saved_stop=np.zeros(num_stops, dtype=np.int32),
        saved=np.zeros((num_stops, 4)),
        saved_cost=np.zeros(vehicles),
        dirty=np.zeros(vehicles, dtype=np.int32),
        is_dirty=np.zeros(vehicles, dtype=np.bool_),
        removed=np.zeros(data.orders, dtype=np.int32),
        key=np.zeros(data.orders),
        value=np.zeros(3),
        counter=np.zeros(6, dtype=np.int64),
        random=random.seed_state(seed),
    )


def routes_of(state: State, following: Ints) -> list[NDArray[np.int64]]:
    """The tasks of each vehicle in order, by ``following`` of this or the best plan."""
    sequence, bounds = _sequences(following, len(state.load))
    return np.split(sequence, bounds[1:-1])


@compiled
def _sequences(following: Ints, vehicles: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    tasks = len(following) - vehicles
    sequence = np.empty(tasks, np.int64)
    bounds = np.zeros(vehicles + 1, np.int64)
    size = 0
    for v in range(vehicles):
        s = following[tasks + v]
        while s >= 0:
            sequence[size] = s
            size += 1
            s = following[s]
        bounds[v + 1] = size
    return sequence[:size], bounds


@compiled(_nrt=False)
def distance(stops: Floats, a: int, b: int) -> float:
    """Between two stops."""
    dx = stops[a, X] - stops[b, X]
    dy = stops[a, Y] - stops[b, Y]
    return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]


@compiled(_nrt=False)
def link(state: State, a: int, b: int) -> None:
    """Let ``b`` (or nothing) follow ``a``."""
    state.following[a] = b
    if b >= 0:
        state.preceding[b] = a
        state.stops[a, LEG] = distance(state.stops, a, b)
    else:
        state.stops[a, LEG] = 0.0


@compiled(_nrt=False)
def refresh(data: Data, state: State, v: int) -> float:
    """Bring arrivals, counts and room of a route up to date; return how much its cost grew."""
    stops, following, orders = state.stops, state.following, data.orders
    s = 2 * orders + v
    arrival, cost = 0.0, 0.0
    after = float(state.load[v])
    room = stops[s, ROOM]
    stops[s, AFTER] = after
    arrival = stops[s, LEG]
    s = following[s]
    while s >= 0:
        if s < orders:
            room -= 1.0
        else:
            room += 1.0
            after -= 1.0
            cost += arrival
        stops[s, ARRIVAL] = arrival
        stops[s, AFTER] = after
        stops[s, ROOM] = room
        arrival += stops[s, LEG]
        s = following[s]
    grown: float = cost - state.cost[v]
    state.cost[v] = cost
    return grown


@compiled(_nrt=False)
def touch(data: Data, state: State, v: int) -> None:
    """Write a route into the journal before its first change in an iteration."""
    count = state.counter
    if state.stamp[v] == count[ITERATIONS]:
        return
    state.stamp[v] = count[ITERATIONS]
    number, size = count[TOUCHED], count[SAVED]
    state.touched[number] = v
    state.saved_cost[number] = state.cost[v]
    stops, saved = state.stops, state.saved
    s = 2 * data.orders + v
    while s >= 0:
        state.saved_stop[size] = s
        saved[size, 0] = stops[s, ARRIVAL]
        saved[size, 1] = stops[s, AFTER]
        saved[size, 2] = stops[s, LEG]
        saved[size, 3] = stops[s, ROOM]
        size += 1
        s = state.following[s]
    state.bounds[number + 1] = size
    count[TOUCHED] = number + 1
    count[SAVED] = size


@compiled(_nrt=False)
def undo(state: State) -> None:
    """Put all touched routes back as they were."""
    stops, saved = state.stops, state.saved
    for number in range(state.counter[TOUCHED]):
        v = state.touched[number]
        state.cost[v] = state.saved_cost[number]
        previous = NONE
        first, last = state.bounds[number], state.bounds[number + 1]
        state.load[v] = (last - first) // 2
        for i in range(first, last):
            s = state.saved_stop[i]
            stops[s, ARRIVAL] = saved[i, 0]
            stops[s, AFTER] = saved[i, 1]
            stops[s, LEG] = saved[i, 2]
            stops[s, ROOM] = saved[i, 3]
            state.vehicle[s] = v
            state.preceding[s] = previous
            if previous >= 0:
                state.following[previous] = s
            previous = s
        state.following[previous] = NONE
    state.counter[TOUCHED] = 0
    state.counter[SAVED] = 0


@compiled(_nrt=False)
def keep(state: State) -> None:
    """Let the touched routes stand."""
    for number in range(state.counter[TOUCHED]):
        v = state.touched[number]
        if not state.is_dirty[v]:
            state.is_dirty[v] = True
            state.dirty[state.counter[DIRTY]] = v
            state.counter[DIRTY] += 1
    state.counter[TOUCHED] = 0
    state.counter[SAVED] = 0


@compiled(_nrt=False)
def record_best(data: Data, state: State) -> None:
    """Make the plan as it is the best one; only routes that changed since the last are copied."""
    state.value[BEST] = state.value[CURRENT]
    for i in range(state.counter[DIRTY]):
        v = state.dirty[i]
        state.is_dirty[v] = False
        s = 2 * data.orders + v
        while s >= 0:
            state.best[s] = state.following[s]
            s = state.following[s]
    state.counter[DIRTY] = 0


@compiled(_nrt=False)
def recomputed(data: Data, state: State) -> float:
    """The cost from the order of the stops alone."""
    total = 0.0
    tasks = 2 * data.orders
    for v in range(len(data.capacity)):
        arrival = 0.0
        a = tasks + v
        b = state.following[a]
        while b >= 0:
            arrival += distance(state.stops, a, b)
            if b >= data.orders:
                total += arrival
            a = b
            b = state.following[b]
    return total
