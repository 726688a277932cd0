"""Tear a piece out of the plan: strings of stops in neighbouring routes.

After Christiaens & Vanden Berghe (2020), "Slack induction by string removals for vehicle routing
problems", Transportation Science 54. An order goes when either of its ends is hit.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import below
from geopar.search.omdcpdp.data import Data
from geopar.search.omdcpdp.state import (
    CURRENT,
    ITERATIONS,
    OUT,
    State,
    delivery_of,
    end_of,
    refresh,
    touch,
    unlink,
)


@inner
def ruin(data: Data, state: State) -> int:
    """Remove strings around a random order; return how many orders are out of the plan."""
    settings = data.settings
    most = min(settings.most_orders, data.orders)
    more = below(state.random, settings.strings)
    seed = np.uint32(below(state.random, data.orders))
    number: int = remove_string(data, state, seed, np.int64(0), most)
    for i in range(np.uint32(data.near.shape[1])):
        if more == 0 or number >= most:
            break
        s = data.near[seed, i]
        v = state.vehicle[s]
        if s < 2 * data.orders and v != OUT and state.stamp[v] != state.counter[ITERATIONS]:
            number = remove_string(data, state, s, number, most)
            more -= 1
    return number


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
        # The partner goes as well, and it may be the next stop.
        while s in (order, delivery):
            s = state.following[s]
            length -= 1
        unlink(state, order)
        unlink(state, delivery)
        state.load[v] -= 1
        state.removed[number] = order
        number += 1
    state.value[CURRENT] += refresh(data, state, v)
    return number
