"""Where to put an order: the exact change of the objective for pairs of places, in O(1) each.

Let a route be s_0 (the start), s_1, …, let A_i be the arrival at s_i and W_i the number of
deliveries after it. A detour of length δ on the leg that leaves s_i delays W_i deliveries. With
the pickup p inserted after s_i and the delivery d after s_j, i < j, the objective grows by

    (W_i + 1)·δ_i(p)  +  W_j·δ_j(d) + A_j + |s_j d|,

a sum of one term for each place. With both on one leg it grows by W_i·δ_i(p, d) plus the arrival
A_i + |s_i p| + |p d|. There must be room for one more order on all legs from s_i to s_j.

No term is negative, and A_j + |s_j d| never falls along a route: that is what the search for the
cheapest pair is pruned by.
"""

from __future__ import annotations

import math

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import below, uniform
from geopar.search.omdcpdp.data import Data, Floats, Stops
from geopar.search.omdcpdp.state import (
    AFTER,
    LEG,
    LEG_IN,
    OPEN,
    OPEN_IN,
    State,
    delivery_of,
    distance,
    end_of,
    link,
    refresh,
    start_of,
    touch,
)


@inner
def cheapest_on_leg(
    stops: Floats,
    following: Stops,
    order: np.uint32,
    delivery: np.uint32,
    direct: float,
    a: np.uint32,
    b: np.uint32,
    to_pickup: float,
    from_pickup: float,
    limit: float,
) -> tuple[float, np.uint32]:
    """The best delivery place for a pickup on the leg from ``a`` to ``b``.

    Returns
    -------
    cost, place
        The growth, below ``limit``, and the stop after which the delivery goes (the pickup itself
        counts); the end when there is no place below the limit.
    """
    place = np.uint32(len(stops) - 1)
    after, leg = stops[a, AFTER], stops[a, LEG]
    soonest = stops[a, OPEN] + to_pickup + direct
    detour = to_pickup + from_pickup - leg
    if detour * after + soonest >= limit:
        return limit, place
    gap = distance(stops, b, delivery)
    cost = (to_pickup + direct + gap - leg) * after + soonest
    if cost < limit:
        limit, place = cost, order
    base = detour * (after + 1.0)
    while True:
        arrival = base + stops[b, OPEN] + gap
        if arrival >= limit:
            return limit, place
        c = following[b]
        onward = distance(stops, c, delivery)
        cost = arrival + stops[b, AFTER] * (gap + onward - stops[b, LEG])
        if cost < limit:
            limit, place = cost, b
        b, gap = c, onward


@inner
def until_blink(state: State, blink: float) -> int:
    """How many places are seen before one is overlooked."""
    if blink <= 0.0:
        return 1 << 62
    return int(math.log(1.0 - uniform(state.random)) / math.log(1.0 - blink))


@inner
def cheapest(
    data: Data, state: State, order: np.uint32, limit: float, neighbours: int
) -> tuple[float, np.uint32, np.uint32]:
    """The cheapest way to insert an order that costs less than ``limit``.

    Only so many stops around its pickup are looked at.

    Returns
    -------
    cost, pickup_after, delivery_after
        The places are the end when there is no way below the limit.
    """
    stops, following, preceding = state.stops, state.following, state.preceding
    near, near_starts, blink = data.near, data.near_starts, data.settings.blink
    end = end_of(state)
    delivery, direct = delivery_of(data, order), data.direct[order]
    pickup_after, delivery_after = end, end
    seen = until_blink(state, blink)
    for i in range(np.uint32(min(neighbours, near.shape[1]))):
        s = near[order, i]
        gap = distance(stops, s, order)
        if gap + direct >= limit:
            break
        # Each leg is looked at from the end that is nearer to the pickup. The other end is at
        # least as far, which bounds the detour before that end is even known.
        after, leg = stops[s, AFTER], stops[s, LEG]
        if stops[s, OPEN] + gap + direct + max(0.0, 2.0 * gap - leg) * after < limit:
            b = following[s]
            other = distance(stops, b, order)
            if other >= gap:
                if seen == 0:
                    seen = until_blink(state, blink)
                else:
                    seen -= 1
                    limit, place = cheapest_on_leg(
                        stops, following, order, delivery, direct, s, b, gap, other, limit
                    )
                    if place != end:
                        pickup_after, delivery_after = s, place
        leg = stops[s, LEG_IN]
        soonest = stops[s, OPEN_IN] + max(gap, leg - gap) + direct
        if soonest + max(0.0, 2.0 * gap - leg) * after < limit:
            a = preceding[s]
            other = distance(stops, a, order)
            if other > gap:
                if seen == 0:
                    seen = until_blink(state, blink)
                else:
                    seen -= 1
                    limit, place = cheapest_on_leg(
                        stops, following, order, delivery, direct, a, s, other, gap, limit
                    )
                    if place != end:
                        pickup_after, delivery_after = a, place
    # Vehicles that set out near the pickup, and any one at random: idle ones may be far away.
    for i in range(near_starts.shape[1] + 1):
        if i < near_starts.shape[1]:
            s = near_starts[order, i]
        else:
            s = start_of(data, below(state.random, len(data.capacity)))
        gap = distance(stops, s, order)
        if gap + direct < limit:
            b = following[s]
            other = distance(stops, b, order)
            limit, place = cheapest_on_leg(
                stops, following, order, delivery, direct, s, b, gap, other, limit
            )
            if place != end:
                pickup_after, delivery_after = s, place
    return limit, pickup_after, delivery_after


@inner
def insert(
    data: Data, state: State, order: np.uint32, pickup_after: np.uint32, delivery_after: np.uint32
) -> float:
    """Insert an order at these places; return how much the cost grew."""
    v = np.int64(state.vehicle[pickup_after])
    touch(data, state, v)
    delivery = delivery_of(data, order)
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
