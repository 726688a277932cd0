"""Simulated annealing over ruins and recreations."""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import compiled, inlined
from geopar.compiled.random import uniform
from geopar.search.day.cost import goal_of, settle, settle_all, total_of
from geopar.search.day.data import MAKESPAN, Data
from geopar.search.day.recreate import recreate
from geopar.search.day.ruin import choose_seed, ruin
from geopar.search.day.schedule import Parameters
from geopar.search.day.state import (
    ABSENT,
    BEST,
    BEST_MISSING,
    BEST_TOTAL,
    FINISH,
    HORIZON,
    LAST_HOME,
    MISSING,
    SHARPNESS,
    TOTAL,
    TOUCHED_VEHICLES,
    State,
    accept,
    begin,
    reject,
    renew_stamps,
    save_best,
)
from geopar.search.day.times import refresh
from geopar.search.day.trips import move_trip

# A plan is better if it is by this part.
LEAST_GAIN = 1e-12
# And a way is shorter if it is by this part: each time the plan is kept.
LEAST_TIE_GAIN = 1e-6


@inlined
def save_if_best(data: Data, state: State) -> None:
    """Keep the plan if fewer are absent than ever, or as few and it costs less."""
    if state.counters[ABSENT] == 0:
        state.totals[MISSING] = 0.0
    missing, least = state.totals[MISSING], state.totals[BEST_MISSING]
    if missing > least * (1.0 + LEAST_GAIN):
        return
    fewer = missing < least * (1.0 - LEAST_GAIN)
    if not fewer:
        # Most plans are seen off by one look.
        if data.goal == MAKESPAN:
            finish = state.tour[state.counters[LAST_HOME], FINISH]
            if finish - data.dawn > state.totals[BEST]:
                return
        elif state.totals[TOTAL] >= state.totals[BEST_TOTAL]:
            return
    goal, total = goal_of(data, state), total_of(data, state)
    better = goal < state.totals[BEST] * (1.0 - LEAST_GAIN)
    # Where a window or a far stop decides when the last one is home, the way does about the rest.
    tied = data.goal == MAKESPAN and goal <= state.totals[BEST]
    if fewer or better or (tied and total < state.totals[BEST_TOTAL] * (1.0 - LEAST_TIE_GAIN)):
        state.totals[BEST_MISSING] = missing
        state.totals[BEST] = goal
        state.totals[BEST_TOTAL] = total
        save_best(state)


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
    p = parameters
    renew_stamps(data, state)
    smooth = data.goal == MAKESPAN
    if smooth:
        state.totals[HORIZON] = state.totals[BEST] if state.totals[BEST] > 0.0 else 1.0
        sharpened = p.last_sharpness / p.first_sharpness
        state.totals[SHARPNESS] = p.first_sharpness * sharpened**begin_at
    settle_all(data, state)
    fall = np.log(p.last_temperature / p.first_temperature)
    temperature = p.first_temperature
    for i in range(iterations):
        if i % 64 == 0:
            fraction = begin_at + (end_at - begin_at) * i / iterations
            temperature = p.first_temperature * np.exp(fall * fraction)
        if smooth:
            # Metropolis on the logarithm of the cost.
            allowance = (1.0 - uniform(state.random)) ** -temperature - 1.0
            allowance *= state.totals[TOTAL]
        else:
            allowance = -temperature * np.log(1.0 - uniform(state.random))
        begin(state)
        most = state.totals[TOTAL] + allowance + p.penalty * state.totals[MISSING]
        if uniform(state.random) < p.trip_moves:
            possible = move_trip(data, state)
        else:
            seed = choose_seed(data, state, p.on_late)
            ruin(data, state, seed, p.mean_removed, p.longest_string, p.split)
            # Where going round is shorter, those who stay may be late without the removed.
            possible = True
            for j in range(state.counters[TOUCHED_VEHICLES]):
                v = np.int64(state.lists[TOUCHED_VEHICLES, j])
                possible &= refresh(data, state, v)
                settle(data, state, v)
            possible = possible and recreate(data, state, p.blink, most)
        if possible and state.totals[TOTAL] + p.penalty * state.totals[MISSING] <= most:
            accept(state)
            save_if_best(data, state)
        else:
            reject(data, state)
