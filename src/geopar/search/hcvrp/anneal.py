"""Simulated annealing over ruins, recreations and moves of whole trips."""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import compiled, inner
from geopar.compiled.random import below, uniform
from geopar.search.hcvrp.data import STRAIGHT, Data
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
    TRIP,
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
from geopar.search.hcvrp.tails import swap_tails
from geopar.search.hcvrp.trips import move_trip, reassign
from geopar.search.hcvrp.turn import turn

# Of so many nearest neighbours one is drawn to follow a customer.
RECONNECTED = 8


@inner(forceinline=False)
def reconnect(data: Data, state: State, most_growth: float) -> bool:
    """Try to let a random customer be followed by one of its nearest neighbours."""
    c = below(state.random, len(data.near))
    nearest = min(data.near.shape[1], RECONNECTED)
    if nearest == 0:
        return False
    k = np.int64(data.near[c, below(state.random, nearest)])
    if state.customer[c, TRIP] != state.customer[k, TRIP]:
        return swap_tails(data, state, c, k, most_growth)  # type: ignore[no-any-return]
    if len(data) > STRAIGHT:
        return False
    return turn(data, state, c, k, most_growth)  # type: ignore[no-any-return]


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
    state.totals[SHARPNESS] = p.first_sharpness * sharpened**begin_at
    reweigh_all(data, state)
    fall = np.log(p.last_temperature / p.first_temperature)
    temperature = p.first_temperature
    for i in range(iterations):
        if i % 64 == 0:
            fraction = begin_at + (end_at - begin_at) * i / iterations
            temperature = p.first_temperature * np.exp(fall * fraction)
        # Metropolis on the logarithm of the cost: it may grow by exp(-temperature ln u).
        most_growth = (1.0 - uniform(state.random)) ** -temperature
        kind = uniform(state.random)
        if kind < p.trip_moves:
            if not move_trip(data, state, most_growth):
                continue
        elif kind < p.trip_moves + p.reconnections:
            if not reconnect(data, state, most_growth):
                continue
        elif kind < p.trip_moves + p.reconnections + p.exchanges:
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
