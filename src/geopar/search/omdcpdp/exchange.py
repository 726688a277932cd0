"""Let two vehicles that pass near each other swap the rest of their routes.

The exchange that routing knows as 2-opt* (Potvin & Rousseau 1995, "An exchange heuristic for
routeing problems with time windows", JORS 46) needs empty vehicles here: an order may not change
vehicles between its ends. So the orders on board leave the plan and are inserted anew, which makes
the exchange a ruin like any other.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import below, uniform
from geopar.search.omdcpdp.data import Data
from geopar.search.omdcpdp.state import (
    AFTER,
    ARRIVAL,
    CURRENT,
    LEG,
    State,
    delivery_of,
    distance,
    end_of,
    link,
    refresh,
    start_of,
    touch,
    unlink,
)

FAILED = -1
# Not always the best exchange of a stop, or the search would try the same ones again and again.
OVERLOOKED = 0.5


@inner
def exchange(data: Data, state: State, limit: float) -> int:
    """Swap two tails if that, orders on board aside, costs less than ``limit``.

    Returns
    -------
    number
        How many orders are out of the plan; ``FAILED`` when nothing was done.
    """
    following, preceding = state.following, state.preceding
    end = end_of(state)
    none = np.int64(0)  # a plain 0 would have everything below compiled once more
    # The vehicle v goes … p q …, the vehicle w goes … s t …; then … p t … and … s q ….
    q = np.uint32(below(state.random, data.orders))
    p = preceding[q]
    v = np.int64(state.vehicle[q])
    s = best_partner(data, state, p, q, limit)
    if s == end:
        return FAILED
    t = following[s]
    w = np.int64(state.vehicle[s])
    most = min(2 * data.settings.most_orders, data.orders)
    first = list_aboard(data, state, p, none, most)
    last = list_aboard(data, state, s, first, most) if first != FAILED else FAILED
    if last == FAILED:
        return FAILED
    if data.capacity[v] != data.capacity[w] and not (
        fits(data, state, q, none, first, data.capacity[w])
        and fits(data, state, t, first, last, data.capacity[v])
    ):
        return FAILED
    touch(data, state, v)
    touch(data, state, w)
    while is_listed(data, state, p, none, first):
        p = preceding[p]
    while is_listed(data, state, q, none, first):
        q = following[q]
    while is_listed(data, state, s, first, last):
        s = preceding[s]
    while is_listed(data, state, t, first, last):
        t = following[t]
    for i in range(last):
        order = state.removed[i]
        unlink(state, order)
        unlink(state, delivery_of(data, order))
    link(state, p, t)
    link(state, s, q)
    state.value[CURRENT] += take_over(data, state, v) + take_over(data, state, w)
    return last


@inner
def best_partner(data: Data, state: State, p: np.uint32, q: np.uint32, limit: float) -> np.uint32:
    """The stop near ``q`` after which the other tail is cut; the end when none is good enough."""
    stops = state.stops
    v = state.vehicle[q]
    best: np.uint32 = end_of(state)
    after, arrival, leg = stops[p, AFTER], stops[p, ARRIVAL], stops[p, LEG]
    for i in range(np.uint32(data.near.shape[1])):
        s = data.near[q, i]
        if state.vehicle[s] == v:
            continue
        tail = stops[s, AFTER]
        # Each tail arrives earlier or later as a whole.
        cost = (after - tail) * (stops[s, ARRIVAL] - arrival)
        cost += after * (distance(stops, s, q) - leg)
        cost += tail * (distance(stops, p, state.following[s]) - stops[s, LEG])
        if cost < limit and uniform(state.random) >= OVERLOOKED:
            limit, best = cost, s
    return best


@inner
def list_aboard(data: Data, state: State, last: np.uint32, number: int, most: int) -> int:
    """Append the orders on board after ``last`` to the removed ones; FAILED if they are too many.

    Nothing is removed yet.
    """
    removed, first = state.removed, number
    s = start_of(data, np.int64(state.vehicle[last]))
    while s != last:
        s = state.following[s]
        if s < data.orders:
            if number >= most:
                return FAILED
            removed[number] = s
            number += 1
        else:
            i = first
            while removed[i] != s - data.orders:
                i += 1
            number -= 1
            removed[i] = removed[number]
    return number


@inner
def is_listed(data: Data, state: State, s: np.uint32, first: int, last: int) -> bool:
    """Whether a stop belongs to one of these removed orders."""
    order = s if s < data.orders else s - data.orders
    found = False
    for i in range(first, last):
        found |= state.removed[i] == order
    return found


@inner
def fits(data: Data, state: State, s: np.uint32, first: int, last: int, room: int) -> bool:
    """Whether a vehicle with this room can drive the tail from ``s`` without the listed orders."""
    end = end_of(state)
    while s != end:
        if s < data.orders:
            room -= 1
            if room < 0:
                return False
        elif not is_listed(data, state, s, first, last):
            room += 1
        s = state.following[s]
    return True


@inner
def take_over(data: Data, state: State, v: int) -> float:
    """Make all that is linked to a start the vehicle's own; return how much its cost grew."""
    end = end_of(state)
    tasks = 0
    s = state.following[start_of(data, v)]
    while s != end:
        state.vehicle[s] = v
        tasks += 1
        s = state.following[s]
    state.load[v] = tasks // 2
    return refresh(data, state, v)  # type: ignore[no-any-return]
