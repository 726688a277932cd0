"""Recreate: put the removed customers back, each where it raises the cost least."""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inlined, inner
from geopar.compiled.random import below, uniform
from geopar.search.day.cost import LEGS_A_HORIZON, settle
from geopar.search.day.data import (
    CAPACITY,
    CARRIER,
    CLOSES,
    DEMAND,
    DISTANCE,
    FROM_DEPOT,
    MAKESPAN,
    MOST_TRIPS,
    OPENS,
    RELEASED,
    WIDTH,
    Data,
)
from geopar.search.day.judge import arrival_with, judge, later_home, way_added
from geopar.search.day.state import (
    ABOARD_TRIP,
    BLINK_IN,
    FREELY,
    KIND,
    LOAD,
    NEXT,
    OWNER,
    PREVIOUS,
    RELEASE,
    REMOVED,
    TOTAL,
    TOUCHED_VEHICLES,
    TRIP,
    TRIPS,
    WHERE,
    State,
    end_of,
    link,
    open_trip,
    start_of,
)
from geopar.search.day.times import inserted

# In the search a new trip is tried on the vehicles already touched and on so many at random.
VEHICLES_TRIED = 4


@inner
def sort_removed(data: Data, state: State) -> None:
    """Order the removed customers by one of seven rules, drawn with the weights of SISR."""
    rule = below(state.random, 17)
    removed = state.lists[REMOVED]
    for i in range(state.counters[REMOVED]):
        c = removed[i]
        stop = data.stop[c]
        if rule < 4:
            key = uniform(state.random)
        elif rule < 8:
            key = -stop[DEMAND]
        elif rule < 10:
            key = -stop[FROM_DEPOT]
        elif rule < 11:
            key = stop[FROM_DEPOT]
        elif rule < 13:
            key = stop[WIDTH]
        elif rule < 15:
            key = stop[OPENS]
        else:
            key = -stop[CLOSES]
        # Insertion sort: there are few.
        j = i - 1
        while j >= 0 and state.scratch[j] > key:
            removed[j + 1] = removed[j]
            state.scratch[j + 1] = state.scratch[j]
            j -= 1
        removed[j + 1] = c
        state.scratch[j + 1] = key


@inlined
def may_serve(data: Data, v: int, c: int) -> bool:
    """Whether vehicle ``v`` is allowed at customer ``c``."""
    return data.allowed.shape[0] == 0 or data.allowed[c, v] == 1  # type: ignore[no-any-return]


@inlined
def has_room(data: Data, state: State, t: int, v: int, c: int) -> bool:
    """Whether customer ``c`` fits on trip ``t`` (-1: a new one) of vehicle ``v``."""
    for i in range(data.dimensions):
        load = state.amount[t, LOAD + i] if t >= 0 else 0.0
        if load + data.stop[c, DEMAND + i] > data.shift[v, CAPACITY + i]:
            return False
    return True


@inlined
def blinks(state: State, blink: float) -> bool:
    """Whether a place is overlooked, with probability ``blink``."""
    if blink <= 0.0:
        return False
    state.counters[BLINK_IN] -= 1
    if state.counters[BLINK_IN] >= 0:
        return False
    wait = np.log(1.0 - uniform(state.random)) / np.log(1.0 - blink)
    state.counters[BLINK_IN] = np.int64(wait)
    return True


@inner
def place(data: Data, state: State, c: int, p: int, v: int, t: int) -> None:
    """Serve customer ``c`` behind node ``p`` of vehicle ``v``, on trip ``t`` or (-1) a new one."""
    added = way_added(data, state, c, p, np.int64(state.node[p, NEXT]), v, t)
    if t < 0:
        p = len(data.stop) + open_trip(data, state, v, p, np.int64(FREELY))
    link(data, state, c, p)
    inserted(data, state, c, added)
    settle(data, state, v)


@inner
def insert_aboard(data: Data, state: State, c: int) -> bool:
    """Put customer ``c``, whose goods are on board, on the first trip of that vehicle.

    False if it fits nowhere, and where what is certain of that vehicle stays as it is.
    """
    n = len(data.stop)
    v = data.task[c, CARRIER]
    p = np.int64(state.node[start_of(data, state, v), NEXT])
    t = p - n
    best, best_p = np.inf, np.int64(-1)
    if state.node[p, KIND] != ABOARD_TRIP or not has_room(data, state, t, v, c):
        return False
    while state.node[p, TRIP] == t:
        q = np.int64(state.node[p, NEXT])
        cost = judge(data, state, c, p, q, v, t, best)
        if cost < best:
            best, best_p = cost, p
        p = q
    if best_p >= 0:
        place(data, state, c, best_p, v, t)
    return best_p >= 0  # type: ignore[return-value]


@inlined
def least_cost(data: Data, way: float) -> float:
    """What a longer way costs at the least, whatever happens to times."""
    if data.goal == DISTANCE:
        return way * data.per_length
    if data.goal == MAKESPAN:
        return way * data.per_length / LEGS_A_HORIZON
    return -np.inf


@inner
def insert(data: Data, state: State, c: int, blink: float, vehicles: int) -> bool:
    """Put customer ``c`` where it costs least; False if it fits nowhere that was looked at.

    Looked at are places beside its neighbours and trips of its own, those on so many vehicles;
    when that is not the whole fleet, on random ones.
    """
    n, m = len(data.stop), len(data.fleet)
    best, best_p, best_v, best_t = np.inf, np.int64(-1), np.int64(-1), np.int64(-1)
    simple = data.goal == DISTANCE and not data.duties and not data.several
    smooth = data.goal == MAKESPAN and not data.duties and not data.several
    for i in range(data.near.shape[1]):
        k = np.int64(data.near[c, i])
        t = np.int64(state.node[k, TRIP])
        if t < 0 or state.node[n + t, KIND] != FREELY:
            continue
        v = np.int64(state.node[n + t, OWNER])
        if not has_room(data, state, t, v, c) or not may_serve(data, v, c):
            continue
        in_time = not data.releases or data.stop[c, RELEASED] <= state.amount[t, RELEASE]
        for side in range(2):
            p, q = k, k
            if side == 0:
                p = np.int64(state.node[k, PREVIOUS])
            else:
                q = np.int64(state.node[k, NEXT])
            way = way_added(data, state, c, p, q, v, t)
            cost = least_cost(data, way)
            if cost >= best:
                continue
            arrival = arrival_with(data, state, c, p, q, v)
            if arrival == np.inf or blinks(state, blink):
                continue
            if smooth and in_time:
                cost = later_home(data, state, q, v, arrival, way, best)
            elif not (simple and in_time):
                cost = judge(data, state, c, p, q, v, t, best)
            if cost < best:
                best, best_p, best_v, best_t = cost, p, v, t
    # A new trip competes with every insertion.
    touched = state.counters[TOUCHED_VEHICLES]
    for i in range(touched + min(m, vehicles)):
        v = np.int64(i - touched)
        if i < touched:
            v = np.int64(state.lists[TOUCHED_VEHICLES, i])
        elif vehicles < m:
            v = below(state.random, m)
        if (
            state.tour[v, TRIPS] >= data.fleet[v, MOST_TRIPS]
            or not has_room(data, state, np.int64(-1), v, c)
            or not may_serve(data, v, c)
        ):
            continue
        p, end = start_of(data, state, v), end_of(data, state, v)
        while p != end:
            q = np.int64(state.node[p, NEXT])
            if q >= n and (q == end or state.node[q, KIND] == FREELY):
                cost = judge(data, state, c, p, q, v, np.int64(-1), best)
                if cost < best:
                    best, best_p, best_v, best_t = cost, p, v, np.int64(-1)
            p = q
    if best_v < 0:
        return False
    place(data, state, c, best_p, best_v, best_t)
    return True


@inner
def recreate(data: Data, state: State, blink: float, most: float) -> bool:
    """Put removed customers back as far as they fit; False as soon as the cost passes ``most``.

    False as well if goods would stay on board for ever. Insertions hardly ever lower the cost.
    """
    sort_removed(data, state)
    for i in range(state.counters[REMOVED]):
        c = np.int64(state.lists[REMOVED, i])
        if data.task[c, CARRIER] < 0:
            insert(data, state, c, blink, np.int64(VEHICLES_TRIED))
        elif not insert_aboard(data, state, c) and state.node[c, WHERE] < 0:
            return False
        if state.totals[TOTAL] > most:
            return False
    return True
