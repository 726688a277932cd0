"""Recreate: put the removed customers back, each where it raises the cost least."""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import below, uniform
from geopar.search.hcvrp.data import (
    CAPACITY,
    DEMAND,
    FREE_FOR_ALL,
    FROM_DEPOT,
    PLAIN,
    SERVICE,
    SPEED,
    STRAIGHT,
    Data,
    distance,
    may_serve,
    to_depot,
)
from geopar.search.hcvrp.state import (
    BLINK_IN,
    COST,
    DRIVEN,
    HORIZON,
    LEG,
    NEXT,
    OWNER,
    PREVIOUS,
    RATE,
    REMOVED,
    ROOM,
    SHARPNESS,
    TOUCHED_VEHICLES,
    TRIP,
    WEIGHT,
    State,
    link,
    open_trip,
    reweigh,
)

# In the search a new trip is tried on the vehicles already touched and on so many at random.
VEHICLES_TRIED = 6


@inner
def growth(x: float) -> float:
    """About exp(x) - 1, as monotone and never below x, at the price of a few products."""
    y = 1.0 + x * (1.0 / 64.0)
    y *= y
    y *= y
    y *= y
    y *= y
    y *= y
    y *= y
    return y - 1.0


@inner(forceinline=False)
def sort_removed(data: Data, state: State) -> None:
    """Order the removed customers by one of four rules, drawn with the weights of SISR."""
    rule = below(state.random, 11)
    removed = state.lists[REMOVED]
    count = state.counters[REMOVED]
    for i in range(count):
        c = removed[i]
        if rule < 4:
            key = uniform(state.random)
        elif rule < 8:
            key = -data.place[c, DEMAND]
        elif rule < 10:
            key = -data.place[c, FROM_DEPOT]
        else:
            key = data.place[c, FROM_DEPOT]
        # Insertion sort: there are few.
        j = i - 1
        while j >= 0 and state.key[j] > key:
            removed[j + 1] = removed[j]
            state.key[j + 1] = state.key[j]
            j -= 1
        removed[j + 1] = c
        state.key[j + 1] = key


@inner(forceinline=False)
def insert(data: Data, state: State, c: int, blink: float, vehicles: int) -> None:
    """Put customer ``c`` beside one of its neighbours or on a new trip, whichever costs least.

    A place is overlooked with probability ``blink`` (Christiaens & Vanden Berghe 2020). A new trip
    is tried on so many vehicles; when that is not the whole fleet, on random ones.
    """
    n, m = len(data.near), len(data.vehicle)
    demand = data.place[c, DEMAND]
    best = np.inf
    best_trip, best_place, best_vehicle = -1, n, -1
    # Service weighs the same for all: rates are p / (s_v T), and it counts as s_v times as far.
    stay = 0.0
    if len(data) > PLAIN:
        stay = data.place[c, SERVICE] * state.totals[SHARPNESS] / state.totals[HORIZON]
    for i in range(data.near.shape[1]):
        k = data.near[c, i]
        t = state.customer[k, TRIP]
        if t < 0:
            continue
        if demand > state.amount[t, ROOM]:
            continue
        if len(data) > FREE_FOR_ALL and not may_serve(data, c, state.trip[t, OWNER]):
            continue
        if blink > 0.0:
            state.counters[BLINK_IN] -= 1
            if state.counters[BLINK_IN] < 0:
                wait = np.log(1.0 - uniform(state.random)) / np.log(1.0 - blink)
                state.counters[BLINK_IN] = np.int64(wait)
                continue
        beside = data.near_distance[c, i]
        back = beside
        if len(data) > STRAIGHT:
            beside, back = data.matrix[c, k], data.matrix[k, c]
        before = state.customer[k, PREVIOUS]
        after = state.customer[k, NEXT]
        change = beside + distance(data, before, c) - state.leg[k, LEG]
        out = state.leg[after, LEG] if after < n else to_depot(data, k)
        other = back + distance(data, c, after) - out
        place = before
        if other < change:
            change, place = other, k
        v = state.trip[t, OWNER]
        weight, exponent = state.drive[v, WEIGHT], state.drive[v, RATE] * change
        if len(data) > PLAIN:
            exponent += stay
        # growth(x) is never below x, so most places are seen off without it
        if weight * exponent < best:
            cost = weight * growth(exponent)
            if cost < best:
                best, best_trip, best_place = cost, t, place
    # A new trip competes with every insertion.
    length = 2.0 * data.place[c, FROM_DEPOT]
    if len(data) > STRAIGHT:
        length = data.place[c, FROM_DEPOT] + to_depot(data, c)
    if len(data) > PLAIN:
        stay += data.loading * state.totals[SHARPNESS] / state.totals[HORIZON]
    touched = state.counters[TOUCHED_VEHICLES]
    for i in range(touched + min(m, vehicles)):
        v = np.int64(i - touched)
        if i < touched:
            v = np.int64(state.lists[TOUCHED_VEHICLES, i])
        elif vehicles < m:
            v = below(state.random, m)
        weight, exponent = state.drive[v, WEIGHT], state.drive[v, RATE] * length
        if len(data) > PLAIN:
            exponent += stay
        if len(data) > FREE_FOR_ALL and not may_serve(data, c, v):
            continue
        if demand <= data.vehicle[v, CAPACITY] and weight * exponent < best:
            cost = weight * growth(exponent)
            if cost < best:
                best, best_trip, best_vehicle = cost, -1, v
    if best_trip < 0:
        if best_vehicle < 0:
            best_vehicle = first_home(data, state, c, length)
        best_trip = open_trip(data, state, best_vehicle)
        best_place = n
    link(data, state, c, best_trip, best_place)
    reweigh(data, state, np.int64(state.trip[best_trip, OWNER]))


@inner(forceinline=False)
def first_home(data: Data, state: State, c: int, length: float) -> int:
    """Among all vehicles that can serve customer ``c`` the one home first after ``length`` more."""
    best, chosen = np.inf, -1
    demand = data.place[c, DEMAND]
    for v in range(len(data.vehicle)):
        if demand <= data.vehicle[v, CAPACITY] and may_serve(data, c, v):
            time = (state.drive[v, DRIVEN] + length) / data.vehicle[v, SPEED]
            if time < best:
                best, chosen = time, v
    return chosen


@inner(forceinline=False)
def recreate(data: Data, state: State, blink: float, most: float) -> bool:
    """Put all removed customers back; False, and unfinished, as soon as the cost passes ``most``.

    Insertions only ever add to the cost.
    """
    sort_removed(data, state)
    for i in range(state.counters[REMOVED]):
        insert(data, state, np.int64(state.lists[REMOVED, i]), blink, VEHICLES_TRIED)
        if state.totals[COST] > most:
            return False
    return True
