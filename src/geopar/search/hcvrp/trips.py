"""Moves of whole trips: give one to another vehicle, or let two vehicles swap theirs."""

from __future__ import annotations

from geopar.search.compiled import inner
from geopar.search.hcvrp.data import CAPACITY, Data
from geopar.search.hcvrp.ruin import trip_of
from geopar.search.hcvrp.state import (
    BUSIEST,
    COST,
    DRIVEN,
    LENGTH,
    LOAD,
    TRIPS,
    WEIGHT,
    State,
    attach,
    begin,
    detach,
    mark_trip,
    reweigh,
    touch_vehicle,
    weight_of,
)
from geopar.search.random import below, uniform

FROM_BUSIEST = 0.3
SWAP = 0.7


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
    if state.amount[t, LOAD] > data.vehicle[other, CAPACITY]:
        return False
    change = -state.amount[t, LENGTH]
    if state.vehicle[other, TRIPS] > 0 and uniform(state.random) < SWAP:
        u = trip_of(state, other)
        if state.amount[u, LOAD] > data.vehicle[one, CAPACITY]:
            return False
        change += state.amount[u, LENGTH]
    old = state.drive[one, WEIGHT] + state.drive[other, WEIGHT]
    new = weight_of(data, state, one, state.drive[one, DRIVEN] + change)
    new += weight_of(data, state, other, state.drive[other, DRIVEN] - change)
    if state.totals[COST] + new - old > state.totals[COST] * most_growth:
        return False
    begin(state)
    touch_vehicle(state, one)
    touch_vehicle(state, other)
    detach(state, t)
    if u >= 0:
        detach(state, u)
        attach(state, u, one)
        mark_trip(state, u)
    attach(state, t, other)
    mark_trip(state, t)
    state.drive[one, DRIVEN] += change
    state.drive[other, DRIVEN] -= change
    reweigh(data, state, one)
    reweigh(data, state, other)
    return True
