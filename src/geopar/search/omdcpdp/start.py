"""First plans: cheapest insertion in random sequence, or a given plan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geopar.search.compiled import compiled
from geopar.search.omdcpdp.data import Data
from geopar.search.omdcpdp.insert import cheapest, cheapest_at_an_end, insert
from geopar.search.omdcpdp.state import (
    CURRENT,
    ITERATIONS,
    State,
    end_of,
    keep,
    link,
    record_best,
    refresh,
    start_of,
    touch,
)
from geopar.search.random import below


@compiled(_nrt=False)
def fill(data: Data, state: State) -> None:
    """Insert all orders, in random sequence, each at its cheapest place."""
    # The list of removed orders is free: none was ever in the plan.
    sequence = state.removed
    for i in range(data.orders):
        j = below(state.random, i + 1)
        sequence[i] = sequence[j]
        sequence[j] = i
    for order in sequence:
        state.counter[ITERATIONS] += 1
        _, pickup_after, delivery_after = cheapest(data, state, order, np.inf)
        if pickup_after == end_of(state):
            pickup_after, delivery_after = cheapest_at_an_end(data, state, order), order
        state.value[CURRENT] += insert(data, state, order, pickup_after, delivery_after)
        keep(state)
    record_best(data, state)


@compiled(_nrt=False)
def take(data: Data, state: State, v: int, route: NDArray[np.int64]) -> None:
    """Give an idle vehicle this route."""
    state.counter[ITERATIONS] += 1
    touch(data, state, v)
    a = start_of(data, v)
    for task in route:
        s = np.uint32(task)
        link(state, a, s)
        state.vehicle[s] = v
        a = s
    link(state, a, end_of(state))
    state.load[v] = len(route) // 2
    state.value[CURRENT] += refresh(data, state, v)
    keep(state)
    record_best(data, state)
