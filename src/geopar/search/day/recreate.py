"""Recreate: put the removed customers back, each where it raises the cost least."""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import below, uniform
from geopar.search.day.cost import settle
from geopar.search.day.data import (
    CLOSES,
    FIRST_DEMAND,
    FROM_DEPOT,
    MOST_TRIPS,
    OPENS,
    WIDTH,
    Data,
)
from geopar.search.day.judge import judge
from geopar.search.day.state import (
    BLINK_IN,
    FIXED,
    IS_ABOARD,
    LOAD,
    NEXT,
    OWNER,
    PREVIOUS,
    REMOVED,
    SHUT,
    TOTAL,
    TOUCHED_VEHICLES,
    TRIP,
    TRIPS,
    State,
    end_of,
    link,
    open_trip,
    start_of,
)
from geopar.search.day.times import refresh

# In the search a new trip is tried on the vehicles already touched and on so many at random.
VEHICLES_TRIED = 4


@inner(forceinline=False)
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
            key = -stop[FIRST_DEMAND]
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
        while j >= 0 and state.key[j] > key:
            removed[j + 1] = removed[j]
            state.key[j + 1] = state.key[j]
            j -= 1
        removed[j + 1] = c
        state.key[j + 1] = key


@inner
def may_serve(data: Data, v: int, c: int) -> bool:
    """Whether vehicle ``v`` is allowed at customer ``c``."""
    return data.allowed.shape[0] == 0 or data.allowed[c, v] == 1


@inner
def has_room(data: Data, state: State, t: int, v: int, c: int) -> bool:
    """Whether customer ``c`` fits on trip ``t`` (-1: a new one) of vehicle ``v``."""
    for i in range(data.demand.shape[1]):
        load = state.amount[t, LOAD + i] if t >= 0 else 0.0
        if load + data.demand[c, i] > data.capacity[v, i]:
            return False
    return True


@inner
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


@inner(forceinline=False)
def insert(data: Data, state: State, c: int, blink: float, vehicles: int) -> bool:
    """Put customer ``c`` where it costs least; False if it fits nowhere that was looked at.

    Looked at are places beside its neighbours and trips of its own, those on so many vehicles;
    when that is not the whole fleet, on random ones.
    """
    n, m = len(data.stop), len(data.fleet)
    best, best_p, best_q, best_v = np.inf, -1, -1, -1
    if data.carrier[c] >= 0:
        # Its goods are on board: it is served on the first trip of that vehicle.
        v = data.carrier[c]
        p = np.int64(state.node[start_of(data, state, v), NEXT])
        t = p - n
        while state.node[p, TRIP] == t:
            q = np.int64(state.node[p, NEXT])
            cost = judge(data, state, c, p, q, v, t, best)
            if cost < best:
                best, best_p = cost, p
            p = q
        if best_p >= 0:
            link(data, state, c, best_p)
            refresh(data, state, v)
            settle(data, state, v)
        return best_p >= 0
    for i in range(data.near.shape[1]):
        k = np.int64(data.near[c, i])
        t = np.int64(state.node[k, TRIP])
        if t < 0 or state.trip[t, FIXED] == 1 or state.trip[t, IS_ABOARD] == 1:
            continue
        v = np.int64(state.trip[t, OWNER])
        if not has_room(data, state, t, v, c) or not may_serve(data, v, c):
            continue
        for side in range(2):
            if blinks(state, blink):
                continue
            p = np.int64(state.node[k, PREVIOUS]) if side == 0 else k
            q = k if side == 0 else np.int64(state.node[k, NEXT])
            cost = judge(data, state, c, p, q, v, t, best)
            if cost < best:
                best, best_p, best_q, best_v = cost, p, -1, v
    # A new trip competes with every insertion.
    touched = state.counters[TOUCHED_VEHICLES]
    for i in range(touched + min(m, vehicles)):
        v = np.int64(i - touched)
        if i < touched:
            v = np.int64(state.lists[TOUCHED_VEHICLES, i])
        elif vehicles < m:
            v = below(state.random, m)
        if (
            state.vehicle[v, TRIPS] >= data.fleet[v, MOST_TRIPS]
            or state.vehicle[v, SHUT] == 1
            or not has_room(data, state, -1, v, c)
            or not may_serve(data, v, c)
        ):
            continue
        p, end = start_of(data, state, v), end_of(data, state, v)
        while p != end:
            q = np.int64(state.node[p, NEXT])
            if q >= n:
                t = q - n
                if q == end or (state.trip[t, FIXED] == 0 and state.trip[t, IS_ABOARD] == 0):
                    cost = judge(data, state, c, p, q, v, -1, best)
                    if cost < best:
                        best, best_p, best_q, best_v = cost, p, q, v
            p = q
    if best_v < 0:
        return False
    if best_q >= 0:
        best_p = n + open_trip(data, state, best_v, best_q, False)
    link(data, state, c, best_p)
    refresh(data, state, best_v)
    settle(data, state, best_v)
    return True


@inner(forceinline=False)
def recreate(data: Data, state: State, blink: float, most: float) -> bool:
    """Put removed customers back as far as they fit; False as soon as the cost passes ``most``.

    False as well if goods would stay on board for ever. Insertions hardly ever lower the cost.
    """
    sort_removed(data, state)
    for i in range(state.counters[REMOVED]):
        c = np.int64(state.lists[REMOVED, i])
        placed = insert(data, state, c, blink, VEHICLES_TRIED)
        if not placed and data.carrier[c] >= 0:
            return False
        if state.totals[TOTAL] > most:
            return False
    return True
