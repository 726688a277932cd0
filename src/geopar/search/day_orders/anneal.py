"""Simulated annealing over ruin and recreate.

Plans are compared by what is left out first, and by cost among equals. A plan that leaves out less
is always taken, one that leaves out more is taken rarely, and only while it is hot.
"""

from __future__ import annotations

import math

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import below, uniform
from geopar.search.day_orders.data import ARRIVALS, Data
from geopar.search.day_orders.recreate import cheapest, insert
from geopar.search.day_orders.ruin import FAILED, ruin
from geopar.search.day_orders.state import (
    ABSENT,
    ACCEPTED,
    BEST,
    BEST_ABSENT,
    CURRENT,
    ITERATIONS,
    OUTSIDE,
    State,
    keep,
    record_best,
    reweigh,
    take_note,
    undo,
    worth,
)
from geopar.search.omdcpdp.state import end_of

# Costs are sums of changes; so often they are summed anew, before rounding adds up.
_RESUM = 1 << 16
# Priorities are sums too: differences below this part of them all are none.
_EQUAL = 1e-12


@compiled
def anneal(
    data: Data, state: State, iterations: int, hot: float, cold: float, patience: float
) -> None:
    """So many iterations while the temperature falls from ``hot`` to ``cold``.

    Parameters
    ----------
    patience
        How much more may be left out at a temperature of one, in mean.
    """
    value, counter = state.value, state.counter
    equal = _EQUAL * np.sum(data.priority)
    temperature = hot
    factor = (cold / hot) ** (1.0 / max(1, iterations)) if hot > 0.0 else 1.0
    for _ in range(iterations):
        counter[ITERATIONS] += 1
        before, absent = value[CURRENT], value[ABSENT]
        # Drawn first, so that a plan that will be refused need not be finished.
        growth = -temperature * math.log(1.0 - uniform(state.random))
        spare = -temperature * patience * math.log(1.0 - uniform(state.random))
        number = ruin(data, state)
        is_taken = False
        if number != FAILED:
            arrange(data, state, number)
            more = recreate(data, state, number, before + growth, spare)
            is_taken = more < -equal or (more <= equal and value[CURRENT] < before + growth)
            is_taken |= equal < more <= spare
        if is_taken:
            take_note(data, state, number)
            keep(state)
            counter[ACCEPTED] += 1
            value[ABSENT] = absent + more if counter[OUTSIDE] else 0.0
            if counter[ITERATIONS] % _RESUM == 0:
                reweigh(data, state)
            less = value[BEST_ABSENT] - value[ABSENT]
            if less > equal or (less >= -equal and worth(data, state) < value[BEST]):
                record_best(data, state)
        else:
            undo(data, state)
            value[CURRENT] = before
        temperature *= factor


@inner
def arrange(data: Data, state: State, number: int) -> None:
    """Put orders into sequence: at random, or long, near, urgent or dear ones first."""
    removed, key = state.removed, state.key
    kind = below(state.random, 8)
    for i in range(number):
        order = removed[i]
        if kind == 0:
            key[i] = -data.direct[order]
        elif kind == 1:
            key[i] = data.least[order]
        elif kind == 2:
            key[i] = data.closing[order]
        elif kind == 3:
            key[i] = -data.priority[order]
        else:
            key[i] = uniform(state.random)
    for i in range(1, number):
        order, value = removed[i], key[i]
        j = i
        while j > 0 and key[j - 1] > value:
            key[j], removed[j] = key[j - 1], removed[j - 1]
            j -= 1
        key[j], removed[j] = value, order


@inner
def recreate(data: Data, state: State, number: int, limit: float, spare: float) -> float:
    """Insert orders one by one, where there is room.

    It is given up, which counts as infinitely much left out, as soon as the plan must be refused:
    while everything is served and has to be, because the cost must pass ``limit``.

    Returns
    -------
    more
        The priority of what is left out now, less that of what was before.
    """
    more, least = 0.0, 0.0
    if data.goal == ARRIVALS:
        # No order costs less than its own soonest delivery.
        for i in range(number):
            least += data.least[state.removed[i]]
    for i in range(number):
        order = state.removed[i]
        if data.goal == ARRIVALS:
            least -= data.least[order]
        was_absent = state.seat[order] >= 0
        must = state.counter[OUTSIDE] == 0 and spare < data.priority[order]
        most = limit - least - state.value[CURRENT] if must else np.inf
        _, pickup_after, delivery_after = cheapest(data, state, order, most)
        if pickup_after != end_of(state):
            if not insert(data, state, order, pickup_after, delivery_after):
                return np.inf
            if was_absent:
                more -= data.priority[order]
        elif must:
            return np.inf
        elif not was_absent:
            more += data.priority[order]
    return more
