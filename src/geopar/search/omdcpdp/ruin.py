"""Tear a piece out of the plan: strings of stops in neighbouring routes.

After Christiaens & Vanden Berghe (2020), "Slack induction by string removals for vehicle routing
problems", Transportation Science 54. An order goes when either of its ends is hit.
"""

from __future__ import annotations

from geopar.search.compiled import compiled
from geopar.search.omdcpdp.data import Data
from geopar.search.omdcpdp.state import ITERATIONS, NONE, State, link, refresh, touch
from geopar.search.random import below, uniform


@compiled(_nrt=False)
def unlink(state: State, s: int) -> None:
    """Take a stop out of its route."""
    link(state, state.preceding[s], state.following[s])
    state.vehicle[s] = NONE


@compiled(_nrt=False)
def remove_string(data: Data, state: State, s: int, length: int, number: int, most: int) -> int:
    """Remove the orders on a random string of stops around ``s``; return how many are out."""
    v = state.vehicle[s]
    touch(data, state, v)
    back = below(state.random, length)
    while back > 0 and state.preceding[s] >= 0:
        s = state.preceding[s]
        back -= 1
    if s >= 2 * data.orders:
        s = state.following[s]
    first = number
    while s >= 0 and length > 0 and number < most:
        order = s if s < data.orders else s - data.orders
        state.removed[number] = order
        number += 1
        state.load[v] -= 1
        # The partner may be the next stop.
        other = s + data.orders if s < data.orders else s - data.orders
        s = state.following[s]
        length -= 1
        if s == other:
            s = state.following[s]
            length -= 1
        unlink(state, order)
        unlink(state, order + data.orders)
    if number > first:
        state.value[0] += refresh(data, state, v)
    return number


@compiled(_nrt=False)
def ruin(data: Data, state: State) -> int:
    """Remove strings around a random order; return how many orders are out of the plan."""
    settings = data.settings
    rng = state.random
    vehicles = len(data.capacity)
    mean = 2.0 * data.orders / vehicles
    longest = max(1.0, min(float(settings.longest), mean))
    strings = int(uniform(rng) * (4.0 * settings.removed / (1.0 + longest) - 1.0)) + 1
    most = min(settings.most_orders, data.orders)
    seed = below(rng, data.orders)
    number = 0
    if state.vehicle[seed] >= 0:
        length = below(rng, int(longest)) + 1
        number = remove_string(data, state, seed, length, number, most)
        strings -= 1
    for i in range(data.near.shape[1]):
        if strings <= 0 or number >= most:
            break
        s = data.near[seed, i]
        if s >= 2 * data.orders:
            continue
        v = state.vehicle[s]
        if v < 0 or state.stamp[v] == state.counter[ITERATIONS]:
            continue
        length = below(rng, int(longest)) + 1
        number = remove_string(data, state, s, length, number, most)
        strings -= 1
    return number
