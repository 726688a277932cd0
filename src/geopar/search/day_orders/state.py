"""A plan under search: linked routes with their times and loads, and orders that are left out.

All that a route knows of itself follows from its sequence of stops (:func:`refresh`), so undoing
an iteration is putting the sequences back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geopar.compiled import random
from geopar.compiled.jit import compiled, inner
from geopar.search.day_orders.data import (
    ARRIVALS,
    DISTANCE,
    DURATION,
    GAPS,
    MAKESPAN,
    NOBODY,
    SERVICE,
    Data,
    Floats,
    Ints,
    Stops,
)
from geopar.search.day_orders.timing import earliest, latest, length, travel
from geopar.search.omdcpdp.state import end_of, sequences, start_of

# Columns of State.stops: together one line of cache.
BEGIN, LEAVE, LATEST, HOLD, LEG, FAR, AFTER, RIGID = range(8)
# Entries of State.value.
CURRENT, ABSENT, BEST, BEST_ABSENT, SCALE = range(5)
# Entries of State.counter.
ITERATIONS, ACCEPTED, TOUCHED, SAVED, DIRTY, OUTSIDE = range(6)

OUT = -1
# Behind the goals in State.total.
BUSY = 4


class State(NamedTuple):
    """A run at some moment: all arrays, all changed in place.

    Parameters
    ----------
    stops
        A row for each stop: when service begins and when the vehicle leaves; when service may
        begin at the latest so that the route can be driven, and so that it ends no later; how long
        and how far the leg behind the stop is; how many deliveries come after it; how much later
        service may begin so that all that follows moves by just as much.
    load
        What is on board after each stop, in each dimension.
    following, preceding
        The stop after and before each stop in its route.
    vehicle
        The vehicle that visits each stop; -1 while a task is out of the plan.
    last
        The last stop of each vehicle.
    total
        What each vehicle adds to each goal, by the goal's number: its finish for the makespan.
        Then how long it drives and serves.
    cost
        What each vehicle adds to the cost of the search.
    best
        ``following`` of the best plan so far.
    best_total
        What that plan amounts to, by goal.
    stamp, touched, bounds, saved
        The journal of an iteration: the routes that it touched, as they were before.
    dirty, is_dirty
        Vehicles whose route may differ from the best plan's.
    absent, seat
        Orders that are left out and need not be, and where in that list each order is, or -1.
    removed, key, legs
        Orders to insert in an iteration, what to sort them by, and stops behind which one of
        them may be picked up.
    value
        Cost now, priority of the absent; both of the best plan; what makespans are measured by.
    counter
        Iterations, accepted ones, sizes of journal, dirty list and absent list.
    random
        The run's own random state.
    """

    stops: Floats
    load: Floats
    following: Stops
    preceding: Stops
    vehicle: NDArray[np.int32]
    last: Stops
    total: Floats
    cost: Floats
    best: Stops
    best_total: Floats
    stamp: Ints
    touched: Ints
    bounds: Ints
    saved: Stops
    dirty: Ints
    is_dirty: NDArray[np.bool_]
    absent: Stops
    seat: Ints
    removed: Stops
    key: Floats
    legs: Stops
    value: Floats
    counter: Ints
    random: random.State


def empty(data: Data, seed: int) -> State:
    """All vehicles at their starts, all orders left out."""
    orders, vehicles, dimensions = data.orders, len(data.ready), data.size.shape[1]
    tasks, end = 2 * orders, 2 * orders + vehicles
    nowhere = np.full(end + 1, end, dtype=np.uint32)
    vehicle = np.full(end + 1, OUT, dtype=np.int32)
    vehicle[tasks:end] = np.arange(vehicles)
    absent, seat = np.zeros(orders, dtype=np.uint32), np.full(orders, -1, dtype=np.int64)
    may_be = np.flatnonzero(data.home != NOBODY)
    absent[: len(may_be)] = may_be
    seat[may_be] = np.arange(len(may_be))
    value = np.zeros(5)
    value[ABSENT] = value[BEST_ABSENT] = data.priority.sum()
    value[BEST] = np.inf
    value[SCALE] = 1.0
    counter = np.zeros(6, dtype=np.int64)
    counter[OUTSIDE] = len(may_be)
    state = State(
        stops=np.zeros((end + 1, 8)),
        load=np.zeros((end + 1, dimensions)),
        following=nowhere,
        preceding=nowhere.copy(),
        vehicle=vehicle,
        last=np.arange(tasks, end, dtype=np.uint32),
        total=np.zeros((vehicles, 5)),
        cost=np.zeros(vehicles),
        best=nowhere.copy(),
        best_total=np.zeros(4),
        stamp=np.zeros(vehicles, dtype=np.int64),
        touched=np.zeros(vehicles, dtype=np.int64),
        bounds=np.zeros(vehicles + 1, dtype=np.int64),
        saved=np.zeros(tasks, dtype=np.uint32),
        dirty=np.zeros(vehicles, dtype=np.int64),
        is_dirty=np.zeros(vehicles, dtype=np.bool_),
        absent=absent,
        seat=seat,
        removed=np.zeros(2 * orders, dtype=np.uint32),
        key=np.zeros(2 * orders),
        legs=np.zeros(
            2 * data.near.shape[1] + data.near_starts.shape[1] + 1 + end, dtype=np.uint32
        ),
        value=value,
        counter=counter,
        random=random.seed_state(seed),
    )
    refresh_all(data, state)
    return state


def routes_of(data: Data, following: Stops) -> list[Ints]:
    """The tasks of each vehicle in order, by ``following`` of this or of the best plan."""
    sequence, bounds = sequences(following, len(data.ready))
    return np.split(sequence, bounds[1:-1])


# The kernels below and in the other modules allocate nothing. Without numba's reference counts
# for the many arrays of a state they run nearly twice as fast.


@inner
def link(state: State, a: np.uint32, b: np.uint32) -> None:
    """Let ``b`` follow ``a``."""
    state.following[a] = b
    state.preceding[b] = a


@inner
def unlink(state: State, s: np.uint32) -> None:
    """Take a task out of its route."""
    link(state, state.preceding[s], state.following[s])
    state.vehicle[s] = OUT


@inner
def put(state: State, v: int, a: np.uint32, s: np.uint32) -> None:
    """Put a task behind stop ``a`` of a vehicle."""
    b = state.following[a]
    link(state, a, s)
    link(state, s, b)
    state.vehicle[s] = v


@inner
def cost_of_finish(data: Data, state: State, finish: float) -> float:
    """What a vehicle's finish counts in the smooth makespan: little unless it is late."""
    scale = state.value[SCALE]
    power = max(0.0, finish / scale)
    for _ in range(data.settings.sharpness):
        power *= power
    return scale * power  # type: ignore[no-any-return]


@inner
def weigh(data: Data, state: State, v: int) -> float:
    """Bring the cost of a vehicle up to date; return how much it grew."""
    total, weight = state.total, data.weight
    cost = 0.0
    for goal in range(4):
        if goal == MAKESPAN and data.goal == MAKESPAN:
            cost += cost_of_finish(data, state, total[v, MAKESPAN])
        else:
            cost += weight[goal] * total[v, goal]
    grown: float = cost - state.cost[v]
    state.cost[v] = cost
    return grown


@inner
def refresh(data: Data, state: State, v: int) -> bool:
    """Bring times, loads and cost of a route up to date; return whether it can be driven."""
    stops, following, place = state.stops, state.following, data.place
    end, start = end_of(state), start_of(data, v)
    total, dimensions = state.total, data.size.shape[1]
    for goal in range(5):
        total[v, goal] = 0.0
    time, number, fits = data.ready[v], 0.0, True
    stops[start, BEGIN] = stops[start, LEAVE] = time
    a, b = start, following[start]
    while b != end:
        leg, far = travel(data, v, a, b), length(data, v, a, b)
        stops[a, LEG], stops[a, FAR] = leg, far
        total[v, DISTANCE] += far
        total[v, BUSY] += leg + place[b, SERVICE]
        begin = earliest(data, b, time + leg)
        time = begin + place[b, SERVICE]
        stops[b, BEGIN], stops[b, LEAVE] = begin, time
        is_pickup = b < data.orders
        order = b if is_pickup else b - np.uint32(data.orders)
        if not is_pickup:
            total[v, ARRIVALS] += begin - data.dawn
            number += 1.0
        for d in range(dimensions):
            size = data.size[order, d]
            state.load[b, d] = state.load[a, d] + (size if is_pickup else -size)
            fits &= state.load[b, d] <= data.capacity[v, d]
        a, b = b, following[b]
    state.last[v] = a
    stops[a, LEG] = stops[a, FAR] = 0.0
    # Who is late is never done, also where no shift ends.
    fits &= time <= data.due[v] and time < np.inf
    if a != start and fits:
        look_back(data, state, v, a, number)
        total[v, MAKESPAN] = time - data.dawn
        total[v, DURATION] = time - stops[start, HOLD]
        fits = total[v, DURATION] <= data.longest[v]
    elif a == start:
        stops[start, AFTER], stops[start, LATEST], stops[start, HOLD] = 0.0, np.inf, time
        stops[start, RIGID] = np.inf
    return bool(fits)


@inner
def look_back(data: Data, state: State, v: int, s: np.uint32, number: float) -> None:
    """The latest times of a route that ends in ``s`` and has so many deliveries."""
    stops, place, start = state.stops, data.place, start_of(data, v)
    by_arrivals = data.goal == ARRIVALS
    after, rigid = 0.0, np.inf
    bound, hold = data.due[v], stops[s, LEAVE]
    while True:
        service = place[s, SERVICE]
        bound = latest(data, s, bound - service)
        # Where arrivals count no stop may be served later, what is on board included.
        keeps = by_arrivals and s != start
        hold = stops[s, BEGIN] if keeps else latest(data, s, hold - service)
        hold = max(hold, stops[s, BEGIN])
        if place[s, GAPS] > 0.0:
            rigid = min(rigid, in_window(data, s, stops[s, BEGIN]))
        stops[s, LATEST], stops[s, HOLD] = bound, hold
        stops[s, AFTER], stops[s, RIGID] = after, rigid
        if s == start:
            break
        if data.orders <= s:
            after += 1.0
        p = state.preceding[s]
        if stops[s, BEGIN] > stops[p, LEAVE] + stops[p, LEG]:
            rigid = 0.0
        bound -= stops[p, LEG]
        hold -= stops[p, LEG]
        s = p


@inner
def in_window(data: Data, s: np.uint32, time: float) -> float:
    """How long the window lasts in which service begins at a stop."""
    for g in range(data.gap[s], data.gap[s + np.uint32(1)]):
        if time <= data.gap_begins[g]:
            return data.gap_begins[g] - time  # type: ignore[no-any-return]
    return np.inf


@compiled
def refresh_all(data: Data, state: State) -> None:
    """Bring everything up to date."""
    for v in range(len(data.ready)):
        refresh(data, state, v)
    reweigh(data, state)


@inner
def reweigh(data: Data, state: State) -> None:
    """Sum all costs anew."""
    state.value[CURRENT] = 0.0
    for v in range(len(data.ready)):
        weigh(data, state, v)
        state.value[CURRENT] += state.cost[v]


@inner
def touch(data: Data, state: State, v: int) -> None:
    """Write a route into the journal before its first change in an iteration."""
    counter, end = state.counter, end_of(state)
    if state.stamp[v] == counter[ITERATIONS]:
        return
    state.stamp[v] = counter[ITERATIONS]
    number, size = counter[TOUCHED], counter[SAVED]
    state.touched[number] = v
    s = state.following[start_of(data, v)]
    while s != end:
        state.saved[size] = s
        size += 1
        s = state.following[s]
    state.bounds[number + 1] = size
    counter[TOUCHED] = number + 1
    counter[SAVED] = size


@inner
def undo(data: Data, state: State) -> None:
    """Put all touched routes back as they were."""
    end = end_of(state)
    for i in range(state.counter[TOUCHED]):
        s = state.following[start_of(data, state.touched[i])]
        while s != end:
            state.vehicle[s] = OUT
            s = state.following[s]
    for i in range(state.counter[TOUCHED]):
        v = state.touched[i]
        a = start_of(data, v)
        for j in range(state.bounds[i], state.bounds[i + 1]):
            s = state.saved[j]
            link(state, a, s)
            state.vehicle[s] = v
            a = s
        link(state, a, end)
        refresh(data, state, v)
        weigh(data, state, v)
    state.counter[TOUCHED] = state.counter[SAVED] = 0


@inner
def keep(state: State) -> None:
    """Let the touched routes stand."""
    counter = state.counter
    for i in range(counter[TOUCHED]):
        v = state.touched[i]
        if not state.is_dirty[v]:
            state.is_dirty[v] = True
            state.dirty[counter[DIRTY]] = v
            counter[DIRTY] += 1
    counter[TOUCHED] = counter[SAVED] = 0


@inner
def take_note(data: Data, state: State, number: int) -> None:
    """Bring the list of absent orders up to date after those that were to be inserted."""
    absent, seat, counter = state.absent, state.seat, state.counter
    for i in range(number):
        order = state.removed[i]
        is_out = state.vehicle[order] == OUT
        if is_out and seat[order] < 0:
            seat[order] = counter[OUTSIDE]
            absent[counter[OUTSIDE]] = order
            counter[OUTSIDE] += 1
        elif not is_out and seat[order] >= 0:
            counter[OUTSIDE] -= 1
            other = absent[counter[OUTSIDE]]
            absent[seat[order]] = other
            seat[other] = seat[order]
            seat[order] = -1


@inner
def worth(data: Data, state: State) -> float:
    """What plans with equally many absent are compared by."""
    if data.goal != MAKESPAN:
        return state.value[CURRENT]  # type: ignore[no-any-return]
    makespan = 0.0
    for v in range(len(data.ready)):
        makespan = max(makespan, state.total[v, MAKESPAN])
    # Of equal makespans the smoother.
    return makespan + data.weight[DURATION] * state.value[CURRENT]  # type: ignore[no-any-return]


@compiled
def record_best(data: Data, state: State) -> None:
    """Make the plan as it is the best one; only routes that changed since the last are copied."""
    end, value, total = end_of(state), state.value, state.total
    for goal in range(4):
        state.best_total[goal] = 0.0
        for v in range(len(total)):
            if goal == MAKESPAN:
                state.best_total[goal] = max(state.best_total[goal], total[v, goal])
            else:
                state.best_total[goal] += total[v, goal]
    if data.goal == MAKESPAN:
        value[SCALE] = max(state.best_total[MAKESPAN], 1e-9 * data.unit)
        reweigh(data, state)
    value[BEST], value[BEST_ABSENT] = worth(data, state), value[ABSENT]
    for i in range(state.counter[DIRTY]):
        v = state.dirty[i]
        state.is_dirty[v] = False
        s = start_of(data, v)
        while s != end:
            state.best[s] = state.following[s]
            s = state.following[s]
    state.counter[DIRTY] = 0
