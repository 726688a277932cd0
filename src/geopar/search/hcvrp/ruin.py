"""Ruin: remove strings of customers from trips that lie close together.

After "Slack Induction by String Removals" (Christiaens & Vanden Berghe 2020).
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import below, uniform
from geopar.search.hcvrp.data import SPEED, Data
from geopar.search.hcvrp.state import (
    AFTER,
    BUSIEST,
    DRIVEN,
    FIRST,
    HEAD,
    ITERATION,
    MOST_REMOVED,
    NEXT,
    OPEN_TRIPS,
    PREVIOUS,
    REMOVED,
    RUINED,
    SIZE,
    TRIP,
    TRIPS,
    State,
    push,
    unlink,
)

# How likely a spared stretch grows by one more customer.
SPARE_MORE = 0.5
# A late vehicle is the latest of this many drawn at random.
LATE_AMONG = 4


@inner
def trip_of(state: State, v: int) -> int:
    """A random trip of vehicle ``v``, which has one."""
    t = state.vehicle[v, HEAD]
    for _ in range(below(state.random, state.vehicle[v, TRIPS])):
        t = state.trip[t, AFTER]
    return np.int64(t)  # type: ignore[return-value]


@inner(forceinline=False)
def choose_seed(data: Data, state: State, on_late: float) -> int:
    """A random customer; with probability ``on_late`` one of a vehicle that is home late.

    Only vehicles with trips count as late. When even the busiest has none, any customer will do.
    """
    if uniform(state.random) >= on_late:
        return below(state.random, len(data.near))  # type: ignore[no-any-return]
    v = state.counters[BUSIEST]
    if uniform(state.random) < 0.5:
        # Among many vehicles others are nearly as late.
        latest = 0.0
        for _ in range(LATE_AMONG):
            other = below(state.random, len(data.vehicle))
            time = state.drive[other, DRIVEN] / data.vehicle[other, SPEED]
            if time > latest and state.vehicle[other, TRIPS] > 0:
                latest, v = time, other
    if state.vehicle[v, TRIPS] == 0:
        return below(state.random, len(data.near))  # type: ignore[no-any-return]
    t = trip_of(state, v)
    c = np.int64(state.trip[t, FIRST])
    for _ in range(below(state.random, state.trip[t, SIZE])):
        c = state.customer[c, NEXT]
    return c  # type: ignore[return-value]


@inner(forceinline=False)
def remove_string(data: Data, state: State, c: int, length: int, spared: int) -> None:
    """Remove ``length`` customers around ``c`` from its trip, sparing ``spared`` among them."""
    n = len(data.near)
    span = length + spared
    start = c
    for _ in range(below(state.random, span)):
        if state.customer[start, PREVIOUS] == n:
            break
        start = state.customer[start, PREVIOUS]
    # Where the trip ends before the string does, the string starts earlier.
    end, inside = start, 1
    while inside < span and state.customer[end, NEXT] < n:
        end = state.customer[end, NEXT]
        inside += 1
    while inside < span:
        start = state.customer[start, PREVIOUS]
        inside += 1
    spare_from = 1 + below(state.random, length) if spared > 0 else span
    c = start
    for place in range(span):
        following = state.customer[c, NEXT]
        if place < spare_from or place >= spare_from + spared:
            unlink(data, state, c)
            push(state, REMOVED, c)
        c = following


@inner(forceinline=False)
def ruin(
    data: Data, state: State, seed: int, mean_removed: float, longest_string: float, split: float
) -> None:
    """Remove strings from the trips nearest to customer ``seed``, about ``mean_removed`` in all."""
    n = len(data.near)
    now = state.counters[ITERATION]
    string = min(longest_string, n / state.counters[OPEN_TRIPS])
    most_strings = 4.0 * mean_removed / (1.0 + string) - 1.0
    strings = int(uniform(state.random) * max(1.0, most_strings)) + 1
    for i in range(-1, data.near.shape[1]):
        c = seed if i < 0 else data.near[seed, i]
        t = state.customer[c, TRIP]
        if t < 0 or state.trip[t, RUINED] == now:
            continue
        state.trip[t, RUINED] = now
        size = state.trip[t, SIZE]
        length = int(uniform(state.random) * min(float(size), string)) + 1
        length = min(length, MOST_REMOVED - state.counters[REMOVED])
        spared = 0
        if 1 < length < size and uniform(state.random) < split:
            spared = 1
            while length + spared < size and uniform(state.random) < SPARE_MORE:
                spared += 1
        remove_string(data, state, c, length, spared)
        strings -= 1
        if strings == 0 or state.counters[REMOVED] == MOST_REMOVED:
            break
