"""Tear a piece out of the plan: strings of stops in neighbouring routes.

After Christiaens & Vanden Berghe (2020), "Slack induction by string removals for vehicle routing
problems", Transportation Science 54. An order goes when either of its ends is hit, unless its
vehicle is told to begin with both.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import below
from geopar.search.day_orders.data import Data
from geopar.search.day_orders.state import (
    CURRENT,
    ITERATIONS,
    OUT,
    OUTSIDE,
    State,
    refresh,
    touch,
    unlink,
    weigh,
)
from geopar.search.omdcpdp.state import delivery_of, end_of

FAILED = -1


@inner
def ruin(data: Data, state: State) -> int:
    """Remove strings around a random order; return how many orders are to be inserted.

    Orders that are left out join them. ``FAILED`` where roads go such that a vehicle with less to
    do is late.
    """
    settings = data.settings
    most = min(settings.most_orders, data.orders)
    more = below(state.random, settings.strings)
    seed = np.uint32(below(state.random, data.orders))
    number = np.int64(0)
    if state.vehicle[seed] != OUT:
        number = remove_string(data, state, seed, number, most)
    else:
        more += 1
    for i in range(np.uint32(data.near.shape[1])):
        if more == 0 or number >= most or number == FAILED:
            break
        s = data.near[seed, i]
        v = state.vehicle[s]
        if v != OUT and state.stamp[v] != state.counter[ITERATIONS]:
            number = remove_string(data, state, s, number, most)
            more -= 1
    if number == FAILED:
        return FAILED
    return call_in(data, state, seed, number)  # type: ignore[no-any-return]


@inner
def remove_string(data: Data, state: State, s: np.uint32, number: int, most: int) -> int:
    """Remove the orders on a random string of stops around ``s``; return how many are out."""
    orders, end, v = data.orders, end_of(state), np.int64(state.vehicle[s])
    touch(data, state, v)
    length = below(state.random, data.settings.longest) + 1
    for _ in range(below(state.random, length)):
        if s < 2 * orders:
            s = state.preceding[s]
    if s >= 2 * orders:
        s = state.following[s]
    while s != end and length > 0 and number < most:
        order = np.uint32(s if s < orders else s - orders)
        delivery = delivery_of(data, order)
        if data.rank[delivery] >= 0:
            s = state.following[s]
            length -= 1
            continue
        # The partner goes as well, and it may be the next stop.
        while s in (order, delivery):
            s = state.following[s]
            length -= 1
        unlink(state, order)
        unlink(state, delivery)
        state.removed[number] = order
        number += 1
    if not refresh(data, state, v):
        return FAILED
    state.value[CURRENT] += weigh(data, state, v)
    return number


@inner
def call_in(data: Data, state: State, seed: np.uint32, number: int) -> int:
    """Add some orders that are left out to those to be inserted: the seed, then any."""
    outside = state.counter[OUTSIDE]
    count = min(outside, data.settings.most_absent)
    first = number
    if count and state.seat[seed] >= 0:
        state.removed[number] = seed
        number += 1
    begin = below(state.random, outside) if outside else 0
    for i in range(outside):
        if number - first >= count:
            break
        order = state.absent[(begin + i) % outside]
        if order != seed:
            state.removed[number] = order
            number += 1
    return number
