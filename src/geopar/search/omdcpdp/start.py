"""First plans: cheapest insertion in random sequence, or a given plan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geopar.search.compiled import compiled
from geopar.search.omdcpdp.data import Data
from geopar.search.omdcpdp.insert import cheapest, cheapest_append, insert
from geopar.search.omdcpdp.state import (
    CURRENT,
    ITERATIONS,
    NONE,
    State,
    keep,
    link,
    record_best,
    refresh,
    touch,
)
from geopar.search.random import below


@compiled
def fill(data: Data, state: State) -> None:
    """Insert all orders, in random sequence, each at its cheapest place."""
    orders = data.orders
    sequence = np.arange(orders)
    for i in range(orders - 1, 0, -1):
        j = below(state.random, i + 1)
        sequence[i], sequence[j] = sequence[j], sequence[i]
    for order in sequence:
        state.counter[ITERATIONS] += 1
        _, pickup_after, delivery_after = cheapest(data, state, order, np.inf)
        if pickup_after < 0:
            _, pickup_after, delivery_after = cheapest_append(data, state, order)
        state.value[CURRENT] += insert(data, state, order, pickup_after, delivery_after)
        keep(state)
    record_best(data, state)


@compiled
def take(data: Data, state: State, v: int, route: NDArray[np.int64]) -> None:
    """Give an idle vehicle this route."""
    state.counter[ITERATIONS] += 1
    touch(data, state, v)
    a = 2 * data.orders + v
    for s in route:
        link(state, a, s)
        state.vehicle[s] = v
        a = s
    link(state, a, NONE)
    state.load[v] = len(route) // 2
    state.value[CURRENT] += refresh(data, state, v)
    keep(state)
    record_best(data, state)
