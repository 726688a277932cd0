"""Let two trips swap their tails: 2-opt* (Potvin & Rousseau 1995).

A ruin moves some ten customers, so two long tours that should part elsewhere get there only step by
step, and each step may cost. What a swap is worth needs the lengths and loads of both tails: they
are walked, after a look at the four legs concerned has seen off most pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from geopar.compiled.jit import inner
from geopar.search.hcvrp.data import (
    CAPACITY,
    DEMAND,
    FREE_FOR_ALL,
    PLAIN,
    SERVICE,
    SPEED,
    Data,
    distance,
    may_serve,
    to_depot,
)
from geopar.search.hcvrp.state import (
    COST,
    DRIVEN,
    FIRST,
    LAST,
    LEG,
    LENGTH,
    NEXT,
    OWNER,
    PREVIOUS,
    ROOM,
    SERVED,
    SIZE,
    TRIP,
    WEIGHT,
    State,
    accept,
    begin,
    reweigh,
    served,
    touch_customer,
    touch_trip,
    weight_of,
)


class Tail(NamedTuple):
    """The rest of a trip from one of its customers on, without the leg that leads there."""

    length: float
    load: float
    service: float
    size: int
    allowed: bool


@inner(forceinline=False)
def _tail(data: Data, state: State, c: int, vehicle: int) -> Tail:
    """From ``c`` on, home included, and whether ``vehicle`` may serve it; nothing at the depot."""
    n = len(data.near)
    length, load, service, size = 0.0, 0.0, 0.0, 0
    last, x = np.int64(n), np.int64(c)
    while x < n:
        if size:
            length += state.leg[x, LEG]
        load += data.place[x, DEMAND]
        if len(data) > PLAIN:
            service += data.place[x, SERVICE]
        if len(data) > FREE_FOR_ALL and not may_serve(data, x, vehicle):
            return Tail(0.0, 0.0, 0.0, 0, False)
        size += 1
        last = x
        x = np.int64(state.customer[x, NEXT])
    if size:
        length += to_depot(data, last)
    return Tail(length, load, service, size, True)


@inner(forceinline=False)
def swap_tails(data: Data, state: State, c: int, k: int, most_growth: float) -> bool:
    """Let ``k``, of another trip, and all after it follow ``c``, and the other tail go there.

    Made (and True) if the cost grows by at most this factor.
    """
    n = len(data.near)
    after, before = np.int64(state.customer[c, NEXT]), np.int64(state.customer[k, PREVIOUS])
    old = state.leg[after, LEG] if after < n else to_depot(data, c)
    joint, other = distance(data, c, k), 0.0
    if before < n or after < n:
        other = distance(data, before, after)
    if joint + other > 2.0 * (old + state.leg[k, LEG]):
        return False
    t, u = np.int64(state.customer[c, TRIP]), np.int64(state.customer[k, TRIP])
    v, w = np.int64(state.trip[t, OWNER]), np.int64(state.trip[u, OWNER])
    ours, theirs = _tail(data, state, after, w), _tail(data, state, k, v)
    room = state.amount[t, ROOM] + ours.load - theirs.load
    their_room = state.amount[u, ROOM] + theirs.load - ours.load
    if not (ours.allowed and theirs.allowed) or room < 0.0 or their_room < 0.0:
        return False
    # Where nothing follows ``c``, what leads home goes with ``c`` and not with a tail.
    change = joint + theirs.length - old - ours.length
    their_change = other + ours.length - state.leg[k, LEG] - theirs.length
    more, their_more = change, their_change
    if len(data) > PLAIN:
        more += data.vehicle[v, SPEED] * (theirs.service - ours.service)
        their_more += data.vehicle[w, SPEED] * (ours.service - theirs.service)
        if before == n and after == n:
            their_more -= data.vehicle[w, SPEED] * data.loading
    if not _is_good(data, state, v, w, more, their_more, most_growth):
        return False
    begin(state)
    touch_trip(state, t)
    touch_trip(state, u)
    _join(data, state, c, after, before, k)
    moved = theirs.size - ours.size
    state.trip[t, SIZE] += moved
    state.trip[u, SIZE] -= moved
    state.amount[t, ROOM] = room
    state.amount[u, ROOM] = their_room
    state.amount[t, LENGTH] += change
    state.amount[u, LENGTH] += their_change
    if len(data) > PLAIN:
        state.amount[served(state, t), SERVED] += theirs.service - ours.service
        state.amount[served(state, u), SERVED] += ours.service - theirs.service
    if state.trip[u, SIZE] == 0:
        # Exactly nothing, so that rounding never stays behind in an empty trip.
        state.amount[u, ROOM] = data.vehicle[w, CAPACITY]
        state.amount[u, LENGTH] = 0.0
    state.drive[v, DRIVEN] += more
    state.drive[w, DRIVEN] += their_more
    reweigh(data, state, v)
    if v != w:
        reweigh(data, state, w)
    accept(data, state)
    return True


@inner
def _is_good(
    data: Data, state: State, v: int, w: int, more: float, theirs: float, most_growth: float
) -> bool:
    """Whether the cost grows by at most this factor when two vehicles drive so much more."""
    if v == w:
        new = weight_of(data, state, v, state.drive[v, DRIVEN] + more + theirs)
        new -= state.drive[v, WEIGHT]
    else:
        new = weight_of(data, state, v, state.drive[v, DRIVEN] + more)
        new += weight_of(data, state, w, state.drive[w, DRIVEN] + theirs)
        new -= state.drive[v, WEIGHT] + state.drive[w, WEIGHT]
    return state.totals[COST] + new <= state.totals[COST] * most_growth  # type: ignore[no-any-return]


@inner(forceinline=False)
def _join(data: Data, state: State, c: int, after: int, before: int, k: int) -> None:
    """Link ``k`` behind ``c`` and ``after`` behind ``before``, and tell both tails their trips."""
    n = len(data.near)
    t, u = np.int64(state.customer[c, TRIP]), np.int64(state.customer[k, TRIP])
    last, their_last = state.trip[t, LAST], state.trip[u, LAST]
    x = np.int64(k)
    while x < n:
        touch_customer(state, x)
        state.customer[x, TRIP] = t
        x = np.int64(state.customer[x, NEXT])
    x = np.int64(after)
    while x < n:
        touch_customer(state, x)
        state.customer[x, TRIP] = u
        x = np.int64(state.customer[x, NEXT])
    touch_customer(state, c)
    state.customer[c, NEXT] = k
    state.customer[k, PREVIOUS] = c
    state.leg[k, LEG] = distance(data, c, k)
    state.trip[t, LAST] = their_last
    if before < n:
        touch_customer(state, before)
        state.customer[before, NEXT] = after
    else:
        state.trip[u, FIRST] = after
    if after < n:
        state.customer[after, PREVIOUS] = before
        state.leg[after, LEG] = distance(data, before, after)
        state.trip[u, LAST] = last
    else:
        state.trip[u, LAST] = before
