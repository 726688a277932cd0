"""Simulated annealing over ruin and recreate."""

from __future__ import annotations

import math

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import below, uniform
from geopar.search.omdcpdp.data import Data
from geopar.search.omdcpdp.exchange import FAILED, exchange
from geopar.search.omdcpdp.insert import cheapest, insert
from geopar.search.omdcpdp.ruin import ruin
from geopar.search.omdcpdp.state import (
    ACCEPTED,
    BEST,
    CURRENT,
    DEBUG,
    DISCREPANCY,
    ITERATIONS,
    State,
    end_of,
    keep,
    recomputed,
    record_best,
    undo,
)

# Costs are sums of changes; so often they are summed anew, before rounding adds up.
_RESUM = 1 << 16


@compiled
def anneal(data: Data, state: State, iterations: int, hot: float, cold: float) -> None:
    """So many iterations while the temperature falls from ``hot`` to ``cold``."""
    value, counter, settings = state.value, state.counter, data.settings
    temperature = hot
    factor = (cold / hot) ** (1.0 / max(1, iterations)) if hot > 0.0 else 1.0
    for _ in range(iterations):
        counter[ITERATIONS] += 1
        before = value[CURRENT]
        # Drawn first, so that a plan that will be refused need not be finished.
        growth = -temperature * math.log(1.0 - uniform(state.random))
        number = FAILED
        if uniform(state.random) < settings.exchange:
            number = exchange(data, state, growth + temperature)
        if number == FAILED:
            number = ruin(data, state)
        arrange(data, state, number)
        if recreate(data, state, number, before + growth):
            keep(state)
            counter[ACCEPTED] += 1
            if counter[ITERATIONS] % _RESUM == 0:
                value[CURRENT] = np.sum(state.cost)
            if counter[DEBUG]:
                wrong = abs(recomputed(data, state) - value[CURRENT])
                value[DISCREPANCY] = max(value[DISCREPANCY], wrong)
            if value[CURRENT] < value[BEST]:
                record_best(data, state)
        else:
            undo(state)
            value[CURRENT] = before
        temperature *= factor


@inner
def arrange(data: Data, state: State, number: int) -> None:
    """Put the removed orders into sequence: at random, long ones first, or those at hand first."""
    removed, key = state.removed, state.key
    kind = below(state.random, 4)
    for i in range(number):
        order = removed[i]
        if kind == 0:
            key[i] = -data.direct[order]
        elif kind == 1:
            key[i] = data.least[order]
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
def recreate(data: Data, state: State, number: int, limit: float) -> bool:
    """Insert the removed orders one by one; give up as soon as the cost must pass ``limit``.

    No insertion makes a plan cheaper, and none costs less than the order's least arrival, so
    nothing that could have been accepted is lost.
    """
    spare, neighbours = limit - state.value[CURRENT], data.settings.neighbours
    for i in range(number):
        spare -= data.least[state.removed[i]]
    for i in range(number):
        order = state.removed[i]
        spare += data.least[order]
        cost, pickup_after, delivery_after = cheapest(data, state, order, spare, neighbours)
        if pickup_after == end_of(state):
            return False
        spare -= cost
        state.value[CURRENT] += insert(data, state, order, pickup_after, delivery_after)
    return bool(state.value[CURRENT] < limit)
