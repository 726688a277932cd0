"""Where the search begins: an insertion of all customers, or the user's own plan, repaired."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import uniform
from geopar.search.day.certain import loads_fit, place_certain
from geopar.search.day.cost import goal_of, settle, settle_all, total_of
from geopar.search.day.data import (
    CARRIER,
    CLOSES,
    FROM_DEPOT,
    MOST_TRIPS,
    PRIORITY,
    SERVICE,
    Data,
    Ints,
)
from geopar.search.day.judge import judge
from geopar.search.day.recreate import has_room, insert, may_serve, place
from geopar.search.day.state import (
    ABSENT,
    BEST,
    BEST_MISSING,
    BEST_NEXT,
    BEST_TOTAL,
    FINISH,
    FREELY,
    HORIZON,
    MISSING,
    PREVIOUS,
    REMOVED,
    SHARPNESS,
    TOUCHED_VEHICLES,
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
)
from geopar.search.day.times import refresh

START_SHARPNESS = 15.0
# A vehicle this far over the time to fill up to moves that time.
FULL = 1.25
# A first plan tries new trips on all vehicles, unless those are more pairs than this.
MOST_PAIRS, LEAST_TRIED = 2_000_000, 8
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
    order = turns(data)
    certain = order[np.argsort(-data.stop[order, PRIORITY], kind="stable")]
    build(data, state, *flat, order, certain, out_of_turn)
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
    certain: Ints,
    out_of_turn: float,
) -> None:
    """What is certain, then the given plan as far as it is feasible, then all others in order."""
    work = len(data.stop) / data.per_time
    for c in range(len(data.stop)):
        work += data.stop[c, SERVICE]
    state.totals[HORIZON] = max(work / len(data.fleet), 1e-9)
    state.totals[SHARPNESS] = START_SHARPNESS
    place_certain(data, state, tasks, certain)
    first = np.int64(0)
    while first < len(vehicle):
        v, last = vehicle[first], first
        while last < len(vehicle) and vehicle[last] == v:
            last += 1
        given = place_trips(data, state, tasks, bounds, v, first, last)
        if not given:
            for trip in range(first, last):
                p = np.int64(-1)
                for i in range(bounds[trip], bounds[trip + 1]):
                    p = append(data, state, tasks[i], v, p)
        first = last
    tried = max(LEAST_TRIED, min(len(data.fleet), MOST_PAIRS // len(data.stop)))
    held = order[0]
    for i in range(1, len(order) + 1):
        c = held
        if i < len(order):
            held = order[i]
            if out_of_turn > 0.0 and uniform(state.random) < out_of_turn:
                c, held = held, c
        if state.node[c, TRIP] < 0 and data.task[c, CARRIER] < 0:
            begin(state)
            push(state, REMOVED, c)
            insert(data, state, c, 0.0, tried)
            accept(state)
            grow_horizon(data, state)
    settle_all(data, state)
    if state.counters[ABSENT] == 0:
        state.totals[MISSING] = 0.0
    state.totals[BEST_MISSING] = state.totals[MISSING]
    state.totals[BEST] = goal_of(data, state)
    state.totals[BEST_TOTAL] = total_of(data, state)
    save_best(state)


@inner
def grow_horizon(data: Data, state: State) -> None:
    """Expect the vehicles to be home later, if one of those just touched is much later already."""
    for i in range(state.counters[TOUCHED_VEHICLES]):
        finish = state.tour[state.lists[TOUCHED_VEHICLES, i], FINISH] - data.dawn
        if finish > FULL * state.totals[HORIZON]:
            state.totals[HORIZON] *= FULL
            settle_all(data, state)


@inner
def place_trips(
    data: Data, state: State, tasks: Ints, bounds: Ints, v: int, first: int, last: int
) -> bool:
    """Some trips of vehicle ``v`` as they are; False, and nothing done, if that is impossible."""
    begin(state)
    kept = True
    for trip in range(first, last):
        p = np.int64(-1)
        for i in range(bounds[trip], bounds[trip + 1]):
            c = tasks[i]
            if state.node[c, TRIP] >= 0 or data.task[c, CARRIER] >= 0:
                continue
            if p < 0:
                last_one = np.int64(state.node[end_of(data, state, v), PREVIOUS])
                p = len(data.stop) + open_trip(data, state, v, last_one, np.int64(FREELY))
            kept &= may_serve(data, v, c)
            link(data, state, c, p)
            push(state, REMOVED, c)
            p = c
    kept &= refresh(data, state, v)
    kept &= loads_fit(data, state, v)
    if kept:
        settle(data, state, v)
        accept(state)
    else:
        reject(data, state)
    return kept  # type: ignore[no-any-return]


@inner
def append(data: Data, state: State, c: int, v: int, p: int) -> int:
    """Serve ``c`` after ``p`` (-1: on a new trip) if it fits; whom the next is to follow."""
    end = end_of(data, state, v)
    if state.node[c, TRIP] >= 0 or data.task[c, CARRIER] >= 0 or not may_serve(data, v, c):
        return p
    t = np.int64(state.node[p, TRIP]) if p >= 0 else np.int64(-1)
    if not has_room(data, state, t, v, c):
        return p
    if t < 0 and state.tour[v, TRIPS] >= data.fleet[v, MOST_TRIPS]:
        return p
    behind = p if p >= 0 else np.int64(state.node[end, PREVIOUS])
    if judge(data, state, c, behind, end, v, t, np.inf) == np.inf:
        return p
    begin(state)
    push(state, REMOVED, c)
    place(data, state, c, behind, v, t)
    accept(state)
    return c


def best_routes(data: Data, state: State) -> list[list[Ints]]:
    """The best plan: trips of customer indices for each vehicle."""
    n, slots = len(data.stop), len(state.amount)
    following = state.node[:, BEST_NEXT].tolist()
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
    """What is minimised, of the best plan, in the user's units.

    Anybody left out costs more than any plan that serves all.
    """
    return float(state.totals[BEST] + data.dear * state.totals[BEST_MISSING])


def best_goal(data: Data, state: State) -> float:
    """The same without what is left out."""
    return float(state.totals[BEST])
