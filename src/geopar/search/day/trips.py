"""Moves of whole trips: give one to another vehicle or moment, or let two change places."""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inlined, inner
from geopar.compiled.random import below, uniform
from geopar.search.day.cost import settle
from geopar.search.day.data import CAPACITY, Data
from geopar.search.day.recreate import may_serve
from geopar.search.day.state import (
    FREELY,
    KIND,
    LAST_HOME,
    LOAD,
    NEXT,
    OWNER,
    PREVIOUS,
    TRIPS,
    State,
    end_of,
    join,
    start_of,
    touch_node,
    touch_vehicle,
)
from geopar.search.day.times import refresh

FROM_LAST_HOME = 0.3
SWAP = 0.5


@inlined
def random_trip(data: Data, state: State, v: int) -> int:
    """The depot node of a random trip of vehicle ``v`` that may change, or -1."""
    n, slots = len(data.stop), len(state.amount)
    chosen, seen = np.int64(-1), 0
    x = np.int64(state.node[start_of(data, state, v), NEXT])
    while x < n + slots:
        if x >= n and state.node[x, KIND] == FREELY:
            seen += 1
            if below(state.random, seen) == 0:
                chosen = x
        x = np.int64(state.node[x, NEXT])
    return chosen  # type: ignore[return-value]


@inlined
def last_of(data: Data, state: State, d: int) -> int:
    """The last customer of the trip of depot node ``d``."""
    x = d
    while state.node[x, NEXT] < len(data.stop):
        x = np.int64(state.node[x, NEXT])  # type: ignore[assignment]
    return x


@inner
def may_drive(data: Data, state: State, d: int, v: int) -> bool:
    """Whether vehicle ``v`` has room for a trip and is allowed everywhere on it."""
    n = len(data.stop)
    for i in range(data.dimensions):
        if state.amount[d - n, LOAD + i] > data.shift[v, CAPACITY + i]:
            return False
    if data.allowed.shape[0] > 0:
        c = np.int64(state.node[d, NEXT])
        while c < n:
            if not may_serve(data, v, c):
                return False
            c = np.int64(state.node[c, NEXT])
    return True


@inner
def splice(data: Data, state: State, d: int, last: int, p: int, v: int) -> None:
    """Put a trip that hangs on nobody behind node ``p`` of vehicle ``v``."""
    touch_vehicle(data, state, v)
    touch_node(data, state, p)
    q = np.int64(state.node[p, NEXT])
    touch_node(data, state, q)
    touch_node(data, state, d)
    state.node[d, OWNER] = v
    x = d
    join(data, state, v, p, d)
    while x != last:
        y = np.int64(state.node[x, NEXT])
        touch_node(data, state, y)
        join(data, state, v, x, y)
        x = y  # type: ignore[assignment]
    join(data, state, v, last, q)
    state.tour[v, TRIPS] += 1.0


@inner
def take_off(data: Data, state: State, d: int, last: int) -> int:
    """Take a trip off its vehicle; the node before it."""
    v = np.int64(state.node[d, OWNER])
    p, q = np.int64(state.node[d, PREVIOUS]), np.int64(state.node[last, NEXT])
    touch_vehicle(data, state, v)
    touch_node(data, state, p)
    touch_node(data, state, q)
    touch_node(data, state, d)
    touch_node(data, state, last)
    join(data, state, v, p, q)
    state.tour[v, TRIPS] -= 1.0
    return p  # type: ignore[return-value]


@inner
def move_trip(data: Data, state: State) -> bool:
    """Move or swap random trips; False if that is not possible, then to be undone."""
    m = len(data.fleet)
    v = below(state.random, m)
    if uniform(state.random) < FROM_LAST_HOME:
        v = np.int64(state.counters[LAST_HOME])
    w = below(state.random, m)
    if data.depot < 0:
        return False
    d = random_trip(data, state, v)
    if d < 0 or not may_drive(data, state, d, w):
        return False
    e = random_trip(data, state, w)
    if v == w and e == d:
        return False
    last = last_of(data, state, d)
    if e >= 0 and uniform(state.random) < SWAP:
        if not may_drive(data, state, e, v):
            return False
        their_last = last_of(data, state, e)
        p = take_off(data, state, d, last)
        their_p = take_off(data, state, e, their_last)
        splice(data, state, d, last, their_p, w)
        # It may have been right before the other.
        splice(data, state, e, their_last, last if p == their_last else p, v)
    else:
        # Before a trip of the other vehicle, or as its last.
        take_off(data, state, d, last)
        place = end_of(data, state, w)
        if e >= 0 and uniform(state.random) < SWAP:
            place = e
        splice(data, state, d, last, np.int64(state.node[place, PREVIOUS]), w)
    kept = refresh(data, state, v)
    settle(data, state, v)
    if w != v:
        kept &= refresh(data, state, w)
        settle(data, state, w)
    return kept  # type: ignore[no-any-return]
