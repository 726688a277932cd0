"""Simulated annealing over ruins, recreations and moves of whole trips."""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import compiled
from geopar.compiled.random import uniform
from geopar.search.hcvrp.data import Data
from geopar.search.hcvrp.exchange import exchange
from geopar.search.hcvrp.recreate import recreate
from geopar.search.hcvrp.ruin import choose_seed, ruin
from geopar.search.hcvrp.schedule import Parameters
from geopar.search.hcvrp.state import (
    BEST,
    HORIZON,
    MAKESPAN,
    OLD_COST,
    SHARPNESS,
    TOUCHED_VEHICLES,
    State,
    accept,
    begin,
    reject,
    renew_stamps,
    reweigh,
    reweigh_all,
    save_best,
    update_makespan,
)
from geopar.search.hcvrp.trips import move_trip, reassign


@compiled
def anneal(
    data: Data,
    state: State,
    parameters: Parameters,
    iterations: int,
    begin_at: float,
    end_at: float,
) -> None:
    """Run ``iterations`` iterations, those between the fractions ``begin_at`` and ``end_at``."""
    if state.totals[BEST] <= 0.0:
        return  # everything is at the depot
    p = parameters
    renew_stamps(state)
    state.totals[HORIZON] = state.totals[BEST]
    sharpened = p.last_sharpness / p.first_sharpness
    state.totals[SHARPNESS] = p.first_sharpness * sharpened ** (begin_at * p.cycles % 1.0)
    reweigh_all(data, state)
    fall = np.log(p.last_temperature / p.first_temperature)
    temperature = p.first_temperature
    for i in range(iterations):
        if i % 64 == 0:
            fraction = (begin_at + (end_at - begin_at) * i / iterations) * p.cycles % 1.0
            temperature = p.first_temperature * np.exp(fall * fraction)
        # Metropolis on the logarithm of the cost: it may grow by exp(-temperature ln u).
        most_growth = (1.0 - uniform(state.random)) ** -temperature
        kind = uniform(state.random)
        if kind < p.trip_moves:
            if not move_trip(data, state, most_growth):
                continue
        elif kind < p.trip_moves + p.exchanges:
            seed = choose_seed(data, state, p.on_late)
            if not exchange(data, state, seed, most_growth):
                continue
        else:
            begin(state)
            seed = choose_seed(data, state, p.on_late)
            ruin(data, state, seed, p.mean_removed, p.longest_string, p.split)
            if uniform(state.random) < p.reassign:
                reassign(data, state)
            for j in range(state.counters[TOUCHED_VEHICLES]):
                reweigh(data, state, np.int64(state.lists[TOUCHED_VEHICLES, j]))
            if not recreate(data, state, p.blink, state.totals[OLD_COST] * most_growth):
                reject(state)
                continue
            accept(data, state)
        update_makespan(data, state)
        if state.totals[MAKESPAN] < state.totals[BEST] * (1.0 - 1e-12):
            save_best(state)
