"""Where to put an order: the exact change of the objective for pairs of places, in O(1) each.

Let a route be s_0 (the start), s_1, …, let A_i be the arrival at s_i and W_i the number of
deliveries after it. A detour of length δ on the leg that leaves s_i delays W_i deliveries. With
the pickup p inserted after s_i and the delivery d after s_j, i < j, the objective grows by

    (W_i + 1)·δ_i(p)  +  W_j·δ_j(d) + A_j + |s_j d|,

a sum of one term for each place. With both on one leg it grows by W_i·δ_i(p, d) plus the arrival
A_i + |s_i p| + |p d|. There must be room for one more order on all legs from s_i to s_j.

All terms are at least zero and A_j + |s_j d| never falls along a route, which is what the search
for the cheapest pair prunes by.
"""

from __future__ import annotations

import math

import numpy as np

from geopar.search.compiled import compiled
from geopar.search.omdcpdp.data import Data, Floats, Ints
from geopar.search.omdcpdp.state import (
    AFTER,
    ARRIVAL,
    LEG,
    NONE,
    ROOM,
    State,
    distance,
    link,
    refresh,
    touch,
)
from geopar.search.random import uniform


@compiled(_nrt=False)
def cheapest_on_leg(
    stops: Floats,
    following: Ints,
    order: int,
    delivery: int,
    direct: float,
    a: int,
    to_pickup: float,
    from_pickup: float,
    limit: float,
) -> tuple[float, int]:
    """The best delivery place for a pickup on the leg that leaves ``a``.

    Returns
    -------
    cost, place
        The growth, below ``limit``, and the stop after which the delivery goes (the pickup itself
        counts); place -1 when there is none below the limit.
    """
    place = NONE
    after = stops[a, AFTER]
    b = following[a]
    soonest = stops[a, ARRIVAL] + to_pickup + direct
    if b < 0:
        return (soonest, order) if soonest < limit else (limit, place)
    detour = to_pickup + from_pickup - stops[a, LEG]
    if detour * after + soonest >= limit:
        return limit, place
    both = to_pickup + direct + distance(stops, delivery, b) - stops[a, LEG]
    cost = both * after + soonest
    if cost < limit:
        limit, place = cost, order
    base = detour * (after + 1.0)
    gap = distance(stops, b, delivery)
    while stops[b, ROOM] >= 1.0:
        arrival = base + stops[b, ARRIVAL] + gap
        if arrival >= limit:
            break
        c = following[b]
        if c < 0:
            limit, place = arrival, b
            break
        onward = distance(stops, c, delivery)
        cost = arrival + stops[b, AFTER] * (gap + onward - stops[b, LEG])
        if cost < limit:
            limit, place = cost, b
        b = c
        gap = onward
    return limit, place


@compiled(_nrt=False)
def draw_blink(state: State, blink: float) -> int:
    """How many places are seen until the next one is overlooked."""
    if blink <= 0.0:
        return 1 << 62
    return int(math.log(1.0 - uniform(state.random)) / math.log(1.0 - blink))


@compiled(_nrt=False)
def cheapest(data: Data, state: State, order: int, limit: float) -> tuple[float, int, int]:
    """The cheapest way to insert an order that costs less than ``limit``.

    Returns
    -------
    cost, pickup_after, delivery_after
        The places are -1 when there is none below the limit.
    """
    stops, following, preceding = state.stops, state.following, state.preceding
    delivery = data.orders + order
    direct = data.direct[order]
    pickup_after, delivery_after = NONE, NONE
    seen = draw_blink(state, data.settings.blink)
    for i in range(data.near.shape[1]):
        s = data.near[order, i]
        if state.vehicle[s] < 0:
            continue
        gap = distance(stops, s, order)
        if gap + direct >= limit:
            break
        # Each leg is looked at once, from the end that is nearer to the pickup.
        b = following[s]
        if stops[s, ROOM] >= 1.0:
            other = distance(stops, b, order) if b >= 0 else 0.0
            if b < 0 or other >= gap:
                if seen == 0:
                    seen = draw_blink(state, data.settings.blink)
                else:
                    seen -= 1
                    limit, place = cheapest_on_leg(
                        stops, following, order, delivery, direct, s, gap, other, limit
                    )
                    if place >= 0:
                        pickup_after, delivery_after = s, place
        a = preceding[s]
        if a >= 0 and stops[a, ROOM] >= 1.0:
            other = distance(stops, a, order)
            if other > gap:
                if seen == 0:
                    seen = draw_blink(state, data.settings.blink)
                else:
                    seen -= 1
                    limit, place = cheapest_on_leg(
                        stops, following, order, delivery, direct, a, other, gap, limit
                    )
                    if place >= 0:
                        pickup_after, delivery_after = a, place
    for i in range(data.near_starts.shape[1]):
        s = data.near_starts[order, i]
        gap = distance(stops, s, order)
        if gap + direct >= limit:
            break
        b = following[s]
        other = distance(stops, b, order) if b >= 0 else 0.0
        limit, place = cheapest_on_leg(
            stops, following, order, delivery, direct, s, gap, other, limit
        )
        if place >= 0:
            pickup_after, delivery_after = s, place
    return limit, pickup_after, delivery_after


@compiled(_nrt=False)
def cheapest_append(data: Data, state: State, order: int) -> tuple[float, int, int]:
    """The cheapest vehicle to serve an order after all else; always possible, seldom needed."""
    best, place = np.inf, NONE
    for v in range(len(data.capacity)):
        s = 2 * data.orders + v
        while state.following[s] >= 0:
            s = state.following[s]
        cost = state.stops[s, ARRIVAL] + distance(state.stops, s, order) + data.direct[order]
        if cost < best:
            best, place = cost, s
    return best, place, order


@compiled(_nrt=False)
def insert(data: Data, state: State, order: int, pickup_after: int, delivery_after: int) -> float:
    """Insert an order at these places; return how much the cost grew."""
    v = state.vehicle[pickup_after]
    touch(data, state, v)
    delivery = data.orders + order
    b = state.following[pickup_after]
    link(state, pickup_after, order)
    link(state, order, b)
    b = state.following[delivery_after]
    link(state, delivery_after, delivery)
    link(state, delivery, b)
    state.vehicle[order] = v
    state.vehicle[delivery] = v
    state.load[v] += 1
    return refresh(data, state, v)  # type: ignore[no-any-return]
