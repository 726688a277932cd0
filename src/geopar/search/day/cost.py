"""What a vehicle's day costs, in the search's own units: a typical leg is one.

For the makespan it is a smooth stand-in, Σ exp(p (t_v / T - 1)) with p the sharpness and T the
horizon, as in :mod:`geopar.search.hcvrp.state`; for the other goals what they say. Ties go to
shorter ways and those who are done early.
"""

from __future__ import annotations

import numpy as np

from geopar.compiled.jit import inlined, inner
from geopar.search.day.data import ARRIVALS as BY_ARRIVALS
from geopar.search.day.data import DISTANCE, DURATION, MAKESPAN, PRIORITY, Data
from geopar.search.day.state import (
    ABSENT,
    ARRIVALS,
    COST,
    DRIVEN,
    DUTY,
    FINISH,
    HORIZON,
    LAST_HOME,
    MISSING,
    SHARPNESS,
    TOTAL,
    TRIPS,
    State,
)

# What breaks ties weighs this much.
TIE = 1e-6
# A way of so many typical legs is as dear as one vehicle that is home at the horizon.
LEGS_A_HORIZON = 1000.0
# Above this exponent weights grow along a line, so that sums lose nothing to rounding whatever a
# plan looks like.
LARGEST_EXPONENT = 16.0
LARGEST_WEIGHT = float(np.exp(LARGEST_EXPONENT))


@inlined
def weight(data: Data, state: State, finish: float) -> float:
    """What a vehicle that is done then adds to the smooth makespan."""
    exponent = state.totals[SHARPNESS] * ((finish - data.dawn) / state.totals[HORIZON] - 1.0)
    above = max(0.0, exponent - LARGEST_EXPONENT)
    return np.exp(exponent - above) * (1.0 + above)  # type: ignore[no-any-return]


@inlined
def cost_of(
    data: Data, state: State, finish: float, duty: float, driven: float, arrivals: float
) -> float:
    """What a vehicle's day costs, by the numbers that tell of it."""
    way, late = driven * data.per_length, (finish - data.dawn) * data.per_time
    if data.goal == DISTANCE:
        return way + TIE * late
    if data.goal == DURATION:
        return duty * data.per_time + TIE * (way + late)
    if data.goal == BY_ARRIVALS:
        return arrivals * data.per_time + TIE * (way + late)
    return weight(data, state, finish) + way / LEGS_A_HORIZON  # type: ignore[no-any-return]


@inner
def settle(data: Data, state: State, v: int) -> None:
    """Bring the cost of vehicle ``v``, and the total, up to date with its tour."""
    tour = state.tour[v]
    cost = 0.0
    if state.tour[v, TRIPS] > 0.0:
        cost = cost_of(data, state, tour[FINISH], tour[DUTY], tour[DRIVEN], tour[ARRIVALS])
    state.totals[TOTAL] += cost - tour[COST]
    tour[COST] = cost


@inner
def settle_all(data: Data, state: State) -> None:
    """Add everything up anew, so that rounding never adds up."""
    for v in range(len(data.fleet)):
        settle(data, state, v)
    state.totals[TOTAL] = 0.0
    for v in range(len(data.fleet)):
        state.totals[TOTAL] += state.tour[v, COST]
    state.totals[MISSING] = 0.0
    for i in range(state.counters[ABSENT]):
        state.totals[MISSING] += data.stop[state.lists[ABSENT, i], PRIORITY]


@inner
def goal_of(data: Data, state: State) -> float:
    """What is minimised, of the whole plan, in the user's units; finds the last one home."""
    goal = 0.0
    last = data.dawn
    for v in range(len(data.fleet)):
        if state.tour[v, TRIPS] == 0.0:
            continue
        tour = state.tour[v]
        if tour[FINISH] > last:
            last = tour[FINISH]
            state.counters[LAST_HOME] = v
        if data.goal == DISTANCE:
            goal += tour[DRIVEN]
        elif data.goal == DURATION:
            goal += tour[DUTY]
        elif data.goal == BY_ARRIVALS:
            goal += tour[ARRIVALS]
    if data.goal == MAKESPAN:
        goal = last - data.dawn
    return goal


@inner
def total_of(data: Data, state: State) -> float:
    """What decides between plans of one makespan, the way; for the other goals all that counts."""
    if data.goal != MAKESPAN:
        return state.totals[TOTAL]  # type: ignore[no-any-return]
    way = 0.0
    for v in range(len(data.fleet)):
        if state.tour[v, TRIPS] > 0.0:
            way += state.tour[v, DRIVEN]
    return way
