"""Where the search begins: an insertion of all customers, or the user's own plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import uniform
from geopar.plan import unflatten
from geopar.search.hcvrp.data import (
    CAPACITY,
    DEMAND,
    FROM_DEPOT,
    OFFSET,
    PLAIN,
    SERVICE,
    SPEED,
    Data,
    Floats,
    Int32s,
    Ints,
    distance,
    numbers,
    to_depot,
)
from geopar.search.hcvrp.recreate import insert
from geopar.search.hcvrp.state import (
    BEST,
    DIRTY,
    DIRTY_CUSTOMERS,
    DRIVEN,
    FIRST,
    FREE,
    HORIZON,
    LAST,
    LEG,
    LENGTH,
    MAKESPAN,
    NEXT,
    OWNER,
    PREVIOUS,
    RATE,
    ROOM,
    SERVED,
    SHARPNESS,
    SIZE,
    TRIP,
    State,
    accept,
    attach,
    begin,
    empty_state,
    mark_trip,
    push,
    reweigh_all,
    save_best,
    served,
)
from geopar.search.neighbours import Pause, go_on

START_SHARPNESS = 15.0
ABOVE_BOUND = 1.2
# A vehicle this far over the time to fill up to moves that time.
FULL = 1.25
# A new trip competes on so many vehicles at most, of larger fleets on random ones: a million
# customers and thousands of vehicles would take longer than anybody waits.
MOST_VEHICLES = 1000
# How often tries but the first change the sequence.
OUT_OF_TURN = 0.5


# Customers inserted between two pauses: some hundredths of a second.
PIECE = 5000


def initial(data: Data, seed: int, pause: Pause = go_on) -> State:
    """Insert the customers one by one, the farthest first."""
    return next(_insertions(data, [(seed, 0.0)], pause))


def best_initial(data: Data, tries: int) -> State:
    """The best of some insertions, all but the first with customers a little out of turn."""
    seeds = ((seed, OUT_OF_TURN if seed else 0.0) for seed in range(tries))
    return min(_insertions(data, seeds), key=lambda state: float(state.totals[BEST]))


def turns_and_horizon(place: Floats, vehicle: Floats) -> tuple[Ints, Floats]:
    """For instances of one size the sequence of insertion, and the time to fill up to."""
    from_depot = place[:, :-1, FROM_DEPOT]
    # The bound of geopar.problems.hcvrp.bound, and a little more.
    load = [float(one[:-1, DEMAND] @ one[:-1, FROM_DEPOT]) for one in place]
    work = 2.0 * np.array(load) / vehicle[..., [CAPACITY, SPEED]].prod(axis=2).sum(axis=1)
    farthest = 2.0 * from_depot.max(axis=1) / vehicle[:, :, SPEED].max(axis=1)
    horizon = np.maximum(ABOVE_BOUND * work, farthest)
    horizon[horizon == 0.0] = 1.0
    return np.argsort(-from_depot, axis=1, kind="stable"), horizon


def _insertions(
    data: Data, seeds: Iterable[tuple[int, float]], pause: Pause = go_on
) -> Iterator[State]:
    """A first plan for each seed, and how often a customer is to be out of turn."""
    turns, horizons = turns_and_horizon(data.place[None], data.vehicle[None])
    horizon = float(horizons[0])
    if len(data) > PLAIN:
        # What it takes besides driving, shared evenly.
        horizon += data.place[:, SERVICE].sum() / len(data.vehicle) + data.vehicle[:, OFFSET].mean()
    for seed, out_of_turn in seeds:
        pause()
        state = empty_state(data, seed)
        state.totals[HORIZON], state.totals[SHARPNESS] = horizon, START_SHARPNESS
        order = turns[0].copy()
        for first in range(0, len(order), PIECE):
            pause()
            insert_some(data, state, order, first, min(first + PIECE, len(order)), out_of_turn)
        yield state


@compiled
def insert_some(
    data: Data, state: State, order: Ints, first: int, end: int, out_of_turn: float
) -> None:
    """Insert those from ``first`` to ``end`` of this order, all before them being in the plan.

    Every customer has a chance of ``out_of_turn`` to be inserted before the one whose turn it is,
    with which it changes places in ``order``. After the last one, the result is the best plan.
    """
    if first == 0:
        reweigh_all(data, state)
    for i in range(first, end):
        if out_of_turn > 0.0 and i + 1 < len(order) and uniform(state.random) < out_of_turn:
            order[i], order[i + 1] = order[i + 1], order[i]
        c = order[i]
        begin(state)
        insert(data, state, c, 0.0, min(len(data.vehicle), MOST_VEHICLES))
        accept(data, state)
        v = state.trip[state.customer[c, TRIP], OWNER]
        if state.drive[v, RATE] * state.drive[v, DRIVEN] > state.totals[SHARPNESS] * FULL:
            state.totals[HORIZON] *= FULL
            reweigh_all(data, state)
    if end == len(order):
        settle(data, state)


@inner
def settle(data: Data, state: State) -> None:
    """Make the current plan the best one."""
    reweigh_all(data, state)
    save_best(state)


@compiled
def link_all(data: Data, state: State, tasks: Ints, bounds: Ints, vehicle: Ints) -> None:
    """Build the trips of a flattened plan, and the best plan, in a state without any."""
    for t in range(len(vehicle)):
        _link_trip(data, state, t, tasks[bounds[t] : bounds[t + 1]], vehicle[t])
    # Free slots are taken from the end of their list, the lowest first.
    state.counters[FREE] -= len(vehicle)
    state.totals[HORIZON] = 1.0
    state.totals[SHARPNESS] = 0.0
    reweigh_all(data, state)
    if len(tasks) < len(data.near):
        _insert_missing(data, state)
    settle(data, state)


@inner(forceinline=False)
def _link_trip(data: Data, state: State, t: int, tasks: Ints, v: int) -> None:
    """Let vehicle ``v`` drive these customers on trip ``t``."""
    n = len(data.near)
    length, load, service, before = 0.0, 0.0, 0.0, np.int64(n)
    for i in range(len(tasks)):
        c = tasks[i]
        row = state.customer[c]
        row[PREVIOUS], row[TRIP], row[DIRTY] = before, t, 1
        row[NEXT] = tasks[i + 1] if i + 1 < len(tasks) else n
        push(state, DIRTY_CUSTOMERS, c)
        leg = distance(data, before, c)
        state.leg[c, LEG] = leg
        length += leg
        load += data.place[c, DEMAND]
        if len(data) > PLAIN:
            service += data.place[c, SERVICE]
        before = c
    state.trip[t, FIRST], state.trip[t, LAST], state.trip[t, SIZE] = tasks[0], before, len(tasks)
    state.amount[t, ROOM] = data.vehicle[v, CAPACITY] - load
    state.amount[t, LENGTH] = length + to_depot(data, before)
    if len(data) > PLAIN:
        state.amount[served(state, t), SERVED] = service + data.loading
    attach(state, t, v)
    mark_trip(state, t)


@inner(forceinline=False)
def _insert_missing(data: Data, state: State) -> None:
    """Put customers that the plan does not have where they cost least."""
    for c in range(len(data.near)):
        if state.customer[c, TRIP] < 0:
            state.totals[HORIZON] = max(state.totals[MAKESPAN], 1e-9)
            state.totals[SHARPNESS] = START_SHARPNESS
            reweigh_all(data, state)
            begin(state)
            insert(data, state, c, 0.0, len(data.vehicle))
            accept(data, state)


def from_routes(data: Data, seed: int, flat: Sequence[Ints]) -> State:
    """Begin with a plan that breaks no rule, flattened by :func:`geopar.plan.flatten`.

    Customers that it lacks are inserted.
    """
    state = empty_state(data, seed)
    tasks, *trips = flat
    own = np.empty(len(data.near), dtype=np.int64)
    own[numbers(data)] = np.arange(len(own))
    link_all(data, state, own[tasks], *trips)
    return state


def best_routes(data: Data, state: State) -> list[list[Ints]]:
    """The best plan: trips of customer indices for each vehicle."""
    tasks, bounds, vehicle = best_trips(state.best_next, state.best_trip, len(data.near))
    return unflatten(numbers(data)[tasks], bounds, vehicle, len(data.vehicle))


@compiled(allocates=True)
def best_trips(following: Int32s, trips: Int32s, n: int) -> tuple[Ints, Ints, Ints]:
    """The best plan as :func:`geopar.plan.flatten` has it."""
    tasks = np.empty(n, dtype=np.int64)
    bounds, owner = np.zeros(len(trips) + 1, dtype=np.int64), np.empty(len(trips), dtype=np.int64)
    size = count = 0
    for t in range(len(trips)):
        c = np.int64(trips[t, 0])
        if trips[t, 1] < 0 or c >= n:
            continue
        while c < n:
            tasks[size] = c
            size += 1
            c = np.int64(following[c])
        owner[count] = trips[t, 1]
        count += 1
        bounds[count] = size
    return tasks[:size], bounds[: count + 1], owner[:count]


def best_cost(data: Data, state: State) -> float:
    """Makespan of the best plan in the user's units."""
    return float(state.totals[BEST] * data.unit)
