"""Turn a stretch of a trip round: 2-opt (Croes 1958), for tours that cross themselves.

A ruin takes out some ten customers, so in a tour of hundreds it never undoes a crossing whose ends
are far apart. What a turn is worth follows from four legs; only one that is accepted walks the
stretch. Legs must be as long back as forth, so there are no turns on roads.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inner
from geopar.compiled.random import below
from geopar.search.hcvrp.data import Data, distance
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
    TRIP,
    WEIGHT,
    State,
    accept,
    begin,
    reweigh,
    touch_customer,
    touch_trip,
    weight_of,
)


@inner(forceinline=False)
def turn(data: Data, state: State, c: int, k: int, most_growth: float) -> bool:
    """Make ``c`` and ``k``, of one trip, neighbours if the cost grows by at most this factor.

    The stretch between them is turned round, with ``k`` or with ``c`` as one of its ends.
    """
    n = len(data.near)
    way = NEXT + below(state.random, 2)
    after, beyond = np.int64(state.customer[c, way]), np.int64(state.customer[k, way])
    if after == k or beyond == c:
        return False
    change = distance(data, c, k) - distance(data, c, after) - distance(data, k, beyond)
    if after != beyond:  # both are the depot in a trip of two
        change += distance(data, after, beyond)
    t = np.int64(state.customer[c, TRIP])
    v = np.int64(state.trip[t, OWNER])
    more = weight_of(data, state, v, state.drive[v, DRIVEN] + change) - state.drive[v, WEIGHT]
    if state.totals[COST] + more > state.totals[COST] * most_growth:
        return False
    # Whichever of the two comes first, the stretch lies between them.
    first, last = np.int64(c), np.int64(k)
    x = first
    while x < n and x != k:
        x = np.int64(state.customer[x, NEXT])
    if x == n:
        first, last = np.int64(k), np.int64(c)
    if way == NEXT:
        first = np.int64(state.customer[first, NEXT])
    else:
        last = np.int64(state.customer[last, PREVIOUS])
    begin(state)
    touch_trip(state, t)
    _turn_round(data, state, t, first, last)
    state.amount[t, LENGTH] += change
    state.drive[v, DRIVEN] += change
    reweigh(data, state, v)
    accept(data, state)
    return True


@inner(forceinline=False)
def _turn_round(data: Data, state: State, t: int, first: int, last: int) -> None:
    """Reverse the customers from ``first`` to ``last`` of trip ``t``."""
    n = len(data.near)
    before = np.int64(state.customer[first, PREVIOUS])
    after = np.int64(state.customer[last, NEXT])
    x = np.int64(first)
    while x != after:
        touch_customer(state, x)
        following = np.int64(state.customer[x, NEXT])
        state.customer[x, NEXT] = state.customer[x, PREVIOUS]
        state.customer[x, PREVIOUS] = following
        if x != last:
            state.leg[x, LEG] = state.leg[following, LEG]
        x = following
    state.customer[last, PREVIOUS] = before
    state.customer[first, NEXT] = after
    state.leg[last, LEG] = distance(data, before, last)
    if before < n:
        touch_customer(state, before)
        state.customer[before, NEXT] = last
    else:
        state.trip[t, FIRST] = last
    if after < n:
        touch_customer(state, after)
        state.customer[after, PREVIOUS] = first
        state.leg[after, LEG] = distance(data, first, after)
    else:
        state.trip[t, LAST] = first
