"""Moves of whole trips: give one to another vehicle, or let two vehicles swap theirs."""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import below, uniform
from geopar.search.hcvrp.data import FREE_FOR_ALL, Data, may_serve
from geopar.search.hcvrp.ruin import trip_of
from geopar.search.hcvrp.state import (
    BUSIEST,
    COST,
    DRIVEN,
    FIRST,
    MOST_REMOVED,
    NEXT,
    OWNER,
    REMOVED,
    ROOM,
    SIZE,
    TOUCHED_TRIPS,
    TRIPS,
    WEIGHT,
    State,
    attach,
    begin,
    detach,
    driven_for,
    give,
    mark_trip,
    push,
    rest_if_idle,
    reweigh,
    room_with,
    touch_vehicle,
    trip_may_go,
    unlink,
    weight_of,
)

FROM_BUSIEST = 0.3
SWAP = 0.7
# How often a trip changes places with one ruined along with it, rather than with any.
AMONG_RUINED = 0.5


@inner(forceinline=False)
def move_trip(data: Data, state: State, most_growth: float) -> bool:
    """Try one move or swap; made (and True) if the cost grows by at most this factor."""
    m = len(data.vehicle)
    one = below(state.random, m)
    if uniform(state.random) < FROM_BUSIEST:
        one = state.counters[BUSIEST]
    other = below(state.random, m)
    if one == other or state.vehicle[one, TRIPS] == 0:
        return False
    t, u = trip_of(state, one), -1
    room, their_room = room_with(data, state, t, other), 0.0
    if room < 0.0 or not trip_may_go(data, state, t, other):
        return False
    change = -driven_for(data, state, t, one)
    their_change = driven_for(data, state, t, other)
    if state.vehicle[other, TRIPS] > 0 and uniform(state.random) < SWAP:
        u = trip_of(state, other)
        their_room = room_with(data, state, u, one)
        if their_room < 0.0 or not trip_may_go(data, state, u, one):
            return False
        change += driven_for(data, state, u, one)
        their_change -= driven_for(data, state, u, other)
    old = state.drive[one, WEIGHT] + state.drive[other, WEIGHT]
    new = weight_of(data, state, one, state.drive[one, DRIVEN] + change)
    new += weight_of(data, state, other, state.drive[other, DRIVEN] + their_change)
    if state.totals[COST] + new - old > state.totals[COST] * most_growth:
        return False
    begin(state)
    touch_vehicle(state, one)
    touch_vehicle(state, other)
    detach(state, t)
    if u >= 0:
        detach(state, u)
        attach(state, u, one)
        state.amount[u, ROOM] = their_room
        mark_trip(state, u)
    attach(state, t, other)
    state.amount[t, ROOM] = room
    mark_trip(state, t)
    state.drive[one, DRIVEN] += change
    state.drive[other, DRIVEN] += their_change
    reweigh(data, state, one)
    reweigh(data, state, other)
    rest_if_idle(data, state, one)
    return True


@inner(forceinline=False)
def reassign(data: Data, state: State) -> None:
    """Within a ruin, give what is left of a trip to another vehicle, mostly in exchange.

    A full trip cannot go to a smaller vehicle as it is, and nearly all trips are full. So that it
    can, customers that are too much for the new vehicle are removed with the others.
    """
    ruined = state.counters[TOUCHED_TRIPS]
    t, u = np.int64(state.lists[TOUCHED_TRIPS, below(state.random, ruined)]), -1
    if uniform(state.random) < AMONG_RUINED:
        u = state.lists[TOUCHED_TRIPS, below(state.random, ruined)]
        other = np.int64(state.trip[u, OWNER])
    else:
        other = below(state.random, len(data.vehicle))
        if state.vehicle[other, TRIPS] > 0 and uniform(state.random) < SWAP:
            u = trip_of(state, other)
    one = np.int64(state.trip[t, OWNER])
    left = state.trip[t, SIZE]
    if one == other or left == 0:
        return
    if u >= 0:
        if state.trip[u, SIZE] == 0:
            return
        left += state.trip[u, SIZE]
    if state.counters[REMOVED] + left > MOST_REMOVED:
        return
    if u >= 0:
        give(data, state, u, one)
        shed(data, state, u)
    give(data, state, t, other)
    shed(data, state, t)


@inner(forceinline=False)
def shed(data: Data, state: State, t: int) -> None:
    """Remove whom its vehicle may not serve, then random customers until it can carry the rest."""
    if len(data) > FREE_FOR_ALL:
        c, owner = np.int64(state.trip[t, FIRST]), np.int64(state.trip[t, OWNER])
        while c < len(data.near):
            following = np.int64(state.customer[c, NEXT])
            if not may_serve(data, c, owner):
                unlink(data, state, c)
                push(state, REMOVED, c)
            c = following
    while state.amount[t, ROOM] < 0.0:
        c = np.int64(state.trip[t, FIRST])
        for _ in range(below(state.random, state.trip[t, SIZE])):
            c = state.customer[c, NEXT]
        unlink(data, state, c)
        push(state, REMOVED, c)
