"""A plan under search: linked routes, with what is needed to price a change at once.

Each stop knows its neighbours in the route, when the vehicle arrives, how many deliveries come
after it, how long its legs are and whether there is room on them. With those the exact change of
the objective by an insertion is a handful of operations (``insert.py``).

Every route ends in the same last stop of the table, which is far away and never open. No delivery
comes after it, so its distance counts nowhere and no loop needs to treat the end of a route apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled import random
from geopar.compiled.jit import compiled, inner
from geopar.search.omdcpdp.data import Data, Floats, Stops

# Columns of State.stops: together one line of cache.
X, Y, ARRIVAL, AFTER, LEG, LEG_IN, OPEN, OPEN_IN = range(8)
# Entries of State.value.
CURRENT, BEST, DISCREPANCY = range(3)
# Entries of State.counter.
ITERATIONS, ACCEPTED, TOUCHED, SAVED, DIRTY, DEBUG = range(6)

OUT = -1


class State(NamedTuple):
    """A run at some moment: all arrays, all changed in place.

    Parameters
    ----------
    stops
        A row for each stop: its place; the arrival; deliveries after it; lengths of the legs that
        leave and enter it; the arrival again, at this stop and at the one before it, but infinite
        where the vehicle leaves with no room, or where the task is out of the plan.
    following, preceding
        The stop after and before each stop in its route.
    vehicle
        The vehicle that visits each stop; -1 while a task is out of the plan.
    load
        How many orders each vehicle has.
    cost
        Sum of arrivals at the deliveries of each vehicle.
    best
        ``following`` of the best plan so far.
    stamp, touched, bounds, saved_stop, saved, saved_cost
        The journal of an iteration: the routes that it touched, as they were before.
    dirty, is_dirty
        Vehicles whose route may differ from the best plan's.
    removed, key
        Orders out of the plan, and what to sort them by.
    value
        Cost now, best cost, largest discrepancy that watching the costs found.
    counter
        Iterations, accepted ones, sizes of journal and dirty list, whether costs are watched.
    random
        The run's own random state.
    """

    stops: Floats
    following: Stops
    preceding: Stops
    vehicle: NDArray[np.int32]
    load: NDArray[np.int32]
    cost: Floats
    best: Stops
    stamp: NDArray[np.int64]
    touched: NDArray[np.int32]
    bounds: NDArray[np.int32]
    saved_stop: Stops
    saved: Floats
    saved_cost: Floats
    dirty: NDArray[np.int32]
    is_dirty: NDArray[np.bool_]
    removed: Stops
    key: Floats
    value: Floats
    counter: NDArray[np.int64]
    random: random.State


def empty(data: Data, seed: int) -> State:
    """All vehicles at their starts, all orders out of the plan."""
    end, vehicles = len(data.xy), len(data.capacity)
    tasks = 2 * data.orders
    stops = np.zeros((end + 1, 8))
    stops[:end, :2] = data.xy
    stops[end, :2] = 1e3 * np.abs(data.xy).max() + 1.0
    stops[:, OPEN] = stops[:, OPEN_IN] = np.inf
    stops[tasks:end, OPEN] = 0.0
    nowhere = np.full(end + 1, end, dtype=np.uint32)
    vehicle = np.full(end + 1, OUT, dtype=np.int32)
    vehicle[tasks:end] = np.arange(vehicles)
    return State(
        stops=stops,
        following=nowhere,
        preceding=nowhere.copy(),
        vehicle=vehicle,
        load=np.zeros(vehicles, dtype=np.int32),
        cost=np.zeros(vehicles),
        best=nowhere.copy(),
        stamp=np.zeros(vehicles, dtype=np.int64),
        touched=np.zeros(vehicles, dtype=np.int32),
        bounds=np.zeros(vehicles + 1, dtype=np.int32),
        saved_stop=np.zeros(end, dtype=np.uint32),
        saved=np.zeros((end, 6)),
        saved_cost=np.zeros(vehicles),
        dirty=np.zeros(vehicles, dtype=np.int32),
        is_dirty=np.zeros(vehicles, dtype=np.bool_),
        removed=np.zeros(data.orders, dtype=np.uint32),
        key=np.zeros(data.orders),
        value=np.zeros(3),
        counter=np.zeros(6, dtype=np.int64),
        random=random.seed_state(seed),
    )


def routes_of(state: State, following: Stops) -> list[NDArray[np.int64]]:
    """The tasks of each vehicle in order, by ``following`` of this or of the best plan."""
    sequence, bounds = sequences(following, len(state.load))
    return np.split(sequence, bounds[1:-1])


@compiled(allocates=True)
def sequences(following: Stops, vehicles: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The tasks of all vehicles, one after the other, and where each one's begin and end."""
    end = len(following) - 1
    tasks = end - vehicles
    sequence = np.empty(tasks, np.int64)
    bounds = np.zeros(vehicles + 1, np.int64)
    size = 0
    for v in range(vehicles):
        s = following[tasks + v]
        while s != end:
            sequence[size] = s
            size += 1
            s = following[s]
        bounds[v + 1] = size
    return sequence[:size], bounds


# The kernels below and in the other modules allocate nothing. Without numba's reference counts
# for the many arrays of a state they run nearly twice as fast.


@inner
def end_of(state: State) -> np.uint32:
    """The stop that ends every route."""
    return np.uint32(len(state.stops) - 1)


@inner
def start_of(data: Data, v: int) -> np.uint32:
    """The stop where a vehicle begins."""
    return np.uint32(2 * data.orders + v)


@inner
def delivery_of(data: Data, order: int) -> np.uint32:
    """The delivery of an order; its pickup has the number of the order."""
    return np.uint32(data.orders + order)


@inner
def distance(stops: Floats, a: np.uint32, b: np.uint32) -> float:
    """Between two stops."""
    dx = stops[a, X] - stops[b, X]
    dy = stops[a, Y] - stops[b, Y]
    return np.sqrt(dx * dx + dy * dy)  # type: ignore[no-any-return]


@inner
def link(state: State, a: np.uint32, b: np.uint32) -> None:
    """Let ``b`` follow ``a``."""
    state.following[a] = b
    if b == end_of(state):
        state.stops[a, LEG] = 0.0
        return
    leg = distance(state.stops, a, b)
    state.preceding[b] = a
    state.stops[a, LEG] = leg
    state.stops[b, LEG_IN] = leg


@inner
def unlink(state: State, s: np.uint32) -> None:
    """Take a task out of its route."""
    link(state, state.preceding[s], state.following[s])
    state.vehicle[s] = OUT
    state.stops[s, OPEN] = np.inf
    state.stops[s, OPEN_IN] = np.inf


@inner
def refresh(data: Data, state: State, v: int) -> float:
    """Bring arrivals, counts and room of a route up to date; return how much its cost grew."""
    stops, following, end = state.stops, state.following, end_of(state)
    s = start_of(data, v)
    after = float(state.load[v])
    stops[s, AFTER] = after
    room = data.capacity[v]
    arrival, opened, cost = stops[s, LEG], 0.0, 0.0
    s = following[s]
    while s != end:
        stops[s, OPEN_IN] = opened
        if s < data.orders:
            room -= 1
        else:
            room += 1
            after -= 1.0
            cost += arrival
        opened = arrival if room > 0 else np.inf
        stops[s, ARRIVAL] = arrival
        stops[s, AFTER] = after
        stops[s, OPEN] = opened
        arrival += stops[s, LEG]
        s = following[s]
    grown: float = cost - state.cost[v]
    state.cost[v] = cost
    return grown


@inner
def touch(data: Data, state: State, v: int) -> None:
    """Write a route into the journal before its first change in an iteration."""
    stops, saved, counter, end = state.stops, state.saved, state.counter, end_of(state)
    if state.stamp[v] == counter[ITERATIONS]:
        return
    state.stamp[v] = counter[ITERATIONS]
    number, size = counter[TOUCHED], counter[SAVED]
    state.touched[number] = v
    state.saved_cost[number] = state.cost[v]
    s = start_of(data, v)
    while s != end:
        state.saved_stop[size] = s
        saved[size, 0] = stops[s, ARRIVAL]
        saved[size, 1] = stops[s, AFTER]
        saved[size, 2] = stops[s, LEG]
        saved[size, 3] = stops[s, LEG_IN]
        saved[size, 4] = stops[s, OPEN]
        saved[size, 5] = stops[s, OPEN_IN]
        size += 1
        s = state.following[s]
    state.bounds[number + 1] = size
    counter[TOUCHED] = number + 1
    counter[SAVED] = size


@inner
def undo(state: State) -> None:
    """Put all touched routes back as they were."""
    stops, saved, end = state.stops, state.saved, end_of(state)
    for number in range(state.counter[TOUCHED]):
        v = state.touched[number]
        first, last = state.bounds[number], state.bounds[number + 1]
        state.cost[v] = state.saved_cost[number]
        state.load[v] = (last - first) // 2
        previous = end
        for i in range(first, last):
            s = state.saved_stop[i]
            stops[s, ARRIVAL] = saved[i, 0]
            stops[s, AFTER] = saved[i, 1]
            stops[s, LEG] = saved[i, 2]
            stops[s, LEG_IN] = saved[i, 3]
            stops[s, OPEN] = saved[i, 4]
            stops[s, OPEN_IN] = saved[i, 5]
            state.vehicle[s] = v
            state.preceding[s] = previous
            state.following[previous] = s
            previous = s
        state.following[previous] = end
    state.counter[TOUCHED] = state.counter[SAVED] = 0


@inner
def keep(state: State) -> None:
    """Let the touched routes stand."""
    counter = state.counter
    for number in range(counter[TOUCHED]):
        v = state.touched[number]
        if not state.is_dirty[v]:
            state.is_dirty[v] = True
            state.dirty[counter[DIRTY]] = v
            counter[DIRTY] += 1
    counter[TOUCHED] = counter[SAVED] = 0


@compiled
def record_best(data: Data, state: State) -> None:
    """Make the plan as it is the best one; only routes that changed since the last are copied."""
    end = end_of(state)
    state.value[BEST] = state.value[CURRENT]
    for i in range(state.counter[DIRTY]):
        v = state.dirty[i]
        state.is_dirty[v] = False
        s = start_of(data, v)
        while s != end:
            state.best[s] = state.following[s]
            s = state.following[s]
    state.counter[DIRTY] = 0


@inner
def recomputed(data: Data, state: State) -> float:
    """The cost by the sequence of the stops alone."""
    end = end_of(state)
    total = 0.0
    for v in range(len(data.capacity)):
        arrival = 0.0
        a = start_of(data, v)
        b = state.following[a]
        while b != end:
            arrival += distance(state.stops, a, b)
            if b >= data.orders:
                total += arrival
            a = b
            b = state.following[b]
    return total
