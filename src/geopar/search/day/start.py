"""Where the search begins: an insertion of all customers, or the user's own plan, repaired."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import uniform
from geopar.search.day.cost import goal_of, settle, settle_all
from geopar.search.day.data import (
    ABOARD,
    CLOSES,
    FROM_DEPOT,
    LOCKED,
    MOST_TRIPS,
    SERVICE,
    Data,
    Ints,
)
from geopar.search.day.judge import judge
from geopar.search.day.recreate import has_room, insert, may_serve
from geopar.search.day.state import (
    ABSENT,
    BEST,
    BEST_MISSING,
    FIXED,
    HORIZON,
    LOAD,
    MISSING,
    NEXT,
    PREVIOUS,
    REMOVED,
    SHARPNESS,
    SHUT,
    TRIP,
    TRIPS,
    State,
    accept,
    begin,
    empty_state,
    end_of,
    link,
    open_trip,
    push,
    reject,
    save_best,
    start_of,
)
from geopar.search.day.times import refresh

START_SHARPNESS = 15.0
# How often tries but the first change the sequence.
OUT_OF_TURN = 0.5


def initial(data: Data, seed: int) -> State:
    """Insert the customers one by one."""
    return _begun(data, seed, _NO_PLAN, 0.0)


def best_initial(data: Data, tries: int) -> State:
    """The best of some insertions, all but the first with customers a little out of turn."""
    return min(
        (_begun(data, seed, _NO_PLAN, OUT_OF_TURN if seed else 0.0) for seed in range(tries)),
        key=lambda state: (float(state.totals[BEST_MISSING]), float(state.totals[BEST])),
    )


def from_routes(data: Data, seed: int, flat: Sequence[Ints]) -> State:
    """Begin with a plan, flattened by :func:`geopar.plan.flatten`, as far as it is feasible."""
    return _begun(data, seed, flat, 0.0)


_NO_PLAN = tuple(np.zeros(size, dtype=np.int64) for size in (0, 1, 0))


def _begun(data: Data, seed: int, flat: Sequence[Ints], out_of_turn: float) -> State:
    state = empty_state(data, seed)
    build(data, state, *flat, turns(data), out_of_turn)
    return state


def turns(data: Data) -> Ints:
    """The order of insertion: who can be served only early first, then who is far."""
    return np.lexsort((-data.stop[:, FROM_DEPOT], data.stop[:, CLOSES])).astype(np.int64)


@compiled
def build(
    data: Data,
    state: State,
    tasks: Ints,
    bounds: Ints,
    vehicle: Ints,
    order: Ints,
    out_of_turn: float,
) -> None:
    """Trips under way and locked ones, then the given plan, then all others in this order."""
    work = np.sum(data.stop[:, SERVICE]) + len(data.stop) / data.per_time
    state.totals[HORIZON] = max(work / len(data.fleet), 1e-9)
    state.totals[SHARPNESS] = START_SHARPNESS
    for v in range(len(data.fleet)):
        begin(state)
        refresh(data, state, v)
        accept(state)
    settle_all(data, state)
    place_locked(data, state)
    place_aboard(data, state)
    first = 0
    while first < len(vehicle):
        last = first
        while last < len(vehicle) and vehicle[last] == vehicle[first]:
            last += 1
        place_trips(data, state, tasks, bounds, vehicle[first], first, last)
        first = last
    held = order[0]
    for i in range(1, len(order) + 1):
        c = held
        if i < len(order):
            held = order[i]
            if out_of_turn > 0.0 and uniform(state.random) < out_of_turn:
                c, held = held, c
        if state.node[c, TRIP] < 0:
            begin(state)
            push(state, REMOVED, c)
            insert(data, state, c, 0.0, len(data.fleet))
            accept(state)
    settle_all(data, state)
    if state.counters[ABSENT] == 0:
        state.totals[MISSING] = 0.0
    state.totals[BEST_MISSING] = state.totals[MISSING]
    state.totals[BEST] = goal_of(data, state)
    save_best(state)


@inner(forceinline=False)
def place_locked(data: Data, state: State) -> None:
    """Each vehicle's locked trips as they are. One that cannot keep to them takes nobody else."""
    i = 0
    for v in range(len(data.fleet)):
        if data.fleet[v, LOCKED] == 0:
            continue
        begin(state)
        for number in range(data.fleet[v, LOCKED]):
            aboard = number == 0 and data.fleet[v, ABOARD] > 0
            t = open_trip(data, state, v, end_of(data, state, v), aboard)
            state.trip[t, FIXED] = 1
            p = len(data.stop) + t
            while data.locked[i] >= 0:
                link(data, state, data.locked[i], p)
                push(state, REMOVED, data.locked[i])
                p = data.locked[i]
                i += 1
            i += 1
        kept = refresh(data, state, v)
        if not (kept and loads_fit(data, state, v)):
            state.vehicle[v, SHUT] = 1
        settle(data, state, v)
        accept(state)


@inner(forceinline=False)
def place_aboard(data: Data, state: State) -> None:
    """What is on board of vehicles that are under way; as with locks where it cannot be in time."""
    n = len(data.stop)
    for v in range(len(data.fleet)):
        if data.fleet[v, ABOARD] == 0 or data.fleet[v, LOCKED] > 0:
            continue
        begin(state)
        t = open_trip(data, state, v, end_of(data, state, v), True)
        refresh(data, state, v)
        settle(data, state, v)
        placed = True
        for c in range(n):
            if data.carrier[c] == v:
                push(state, REMOVED, c)
                placed &= insert(data, state, c, 0.0, 0)
        p = n + t
        while np.int64(state.node[p, NEXT]) < n:
            p = np.int64(state.node[p, NEXT])
        for i in range(state.counters[REMOVED]):
            c = np.int64(state.lists[REMOVED, i])
            if state.node[c, TRIP] < 0:
                link(data, state, c, p)
                p = c
        if not placed:
            state.vehicle[v, SHUT] = 1
            state.trip[t, FIXED] = 1
            refresh(data, state, v)
            settle(data, state, v)
        accept(state)


@inner(forceinline=False)
def place_trips(
    data: Data, state: State, tasks: Ints, bounds: Ints, v: int, first: int, last: int
) -> None:
    """Some trips of vehicle ``v`` as they are; where they are not feasible, what is in time."""
    if state.vehicle[v, SHUT] == 1:
        return
    begin(state)
    kept = True
    for trip in range(first, last):
        t = -1
        p = -1
        for i in range(bounds[trip], bounds[trip + 1]):
            c = tasks[i]
            if state.node[c, TRIP] >= 0 or data.carrier[c] >= 0:
                continue
            if t < 0:
                t = open_trip(data, state, v, end_of(data, state, v), False)
                p = len(data.stop) + t
            kept &= may_serve(data, v, c)
            link(data, state, c, p)
            push(state, REMOVED, c)
            p = c
    kept &= refresh(data, state, v)
    kept &= loads_fit(data, state, v)
    settle(data, state, v)
    if kept:
        accept(state)
        return
    reject(state)
    for trip in range(first, last):
        p = -1
        for i in range(bounds[trip], bounds[trip + 1]):
            p = append(data, state, tasks[i], v, p)


@inner
def append(data: Data, state: State, c: int, v: int, p: int) -> int:
    """Serve ``c`` after ``p`` (-1: on a new trip) if it fits; whom the next is to follow."""
    n, end = len(data.stop), end_of(data, state, v)
    if state.node[c, TRIP] >= 0 or data.carrier[c] >= 0 or not may_serve(data, v, c):
        return p
    t = np.int64(state.node[p, TRIP]) if p >= 0 else -1
    if not has_room(data, state, t, v, c):
        return p
    if t < 0 and state.vehicle[v, TRIPS] >= data.fleet[v, MOST_TRIPS]:
        return p
    behind = p if p >= 0 else np.int64(state.node[end, PREVIOUS])
    if judge(data, state, c, behind, end, v, t, np.inf) == np.inf:
        return p
    begin(state)
    push(state, REMOVED, c)
    if t < 0:
        behind = n + open_trip(data, state, v, end, False)
    link(data, state, c, behind)
    refresh(data, state, v)
    settle(data, state, v)
    accept(state)
    return c


@inner(forceinline=False)
def loads_fit(data: Data, state: State, v: int) -> bool:
    """Whether no trip of vehicle ``v`` carries too much."""
    n = len(data.stop)
    x, end = start_of(data, state, v), end_of(data, state, v)
    while x != end:
        if n <= x < n + len(state.trip):
            for i in range(data.demand.shape[1]):
                if state.amount[x - n, LOAD + i] > data.capacity[v, i]:
                    return False
        x = np.int64(state.node[x, NEXT])
    return True


def best_routes(data: Data, state: State) -> list[list[Ints]]:
    """The best plan: trips of customer indices for each vehicle."""
    n, slots = len(data.stop), len(state.trip)
    following = state.best_next.tolist()
    routes: list[list[Ints]] = []
    for v in range(len(data.fleet)):
        trips: list[list[int]] = []
        x = following[n + slots + v]
        while x < n + slots:
            if x >= n:
                trips.append([])
            else:
                trips[-1].append(x)
            x = following[x]
        routes.append([np.array(trip, dtype=np.int64) for trip in trips])
    return routes


def best_cost(data: Data, state: State) -> float:
    """What is minimised, of the best plan, in the user's units."""
    return float(state.totals[BEST])
