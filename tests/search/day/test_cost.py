"""What plans cost: by the formulas, and by the checker."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from day_plans import at_random, days_by_goal, plan_of
from geopar.checking import check
from geopar.compiled.jit import compiled
from geopar.plan import Plan
from geopar.problems.day import GOALS, Day, Goal
from geopar.search.day.cost import (
    LARGEST_EXPONENT,
    LARGEST_WEIGHT,
    LEGS_A_HORIZON,
    TIE,
    cost_of,
    goal_of,
    settle,
    settle_all,
    total_of,
    weight,
)
from geopar.search.day.data import PRIORITY
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
)


@compiled(allocates=True)
def weighed(data, state, finish):
    return weight(data, state, finish)


@compiled(allocates=True)
def costs(data, state, finish, duty, driven, arrivals):
    return cost_of(data, state, finish, duty, driven, arrivals)


@compiled(allocates=True)
def summed(data, state):
    settle_all(data, state)
    return goal_of(data, state), total_of(data, state)


@compiled(allocates=True)
def settled(data, state, v):
    settle(data, state, v)


def square(goal: Goal):
    """Two trips of one vehicle, none of the other, some time after dawn."""
    day = Day(minimise=goal, available=[(3, 99), (3, 99)], service=[1] * 4)
    return at_random(instances.square().replace(day=day), 0)


@given(st.floats(-30, 60), st.floats(0, 9), st.floats(1, 500), st.floats(0.1, 99))
def test_a_finish_weighs_as_the_exponential_and_along_a_line_above_it(
    exponent, more, sharpness, horizon
):
    data, state = square("makespan")
    state.totals[[SHARPNESS, HORIZON]] = sharpness, horizon

    def at(exponent: float) -> float:
        return weighed(data, state, data.dawn + horizon * (1.0 + exponent / sharpness))

    if exponent <= LARGEST_EXPONENT - 1e-6:
        assert at(exponent) == pytest.approx(math.exp(exponent), rel=1e-6)
    else:
        line = LARGEST_WEIGHT * (1.0 + exponent - LARGEST_EXPONENT)
        assert at(exponent) == pytest.approx(line, rel=1e-6)
    assert at(exponent) <= at(exponent + more) * (1 + 1e-9)


@pytest.mark.parametrize("goal", GOALS)
@given(st.floats(3, 99), st.floats(0, 99), st.floats(0, 99), st.floats(0, 99))
def test_a_day_costs_its_goal_and_ties_count_a_millionth(goal, finish, duty, driven, arrivals):
    data, state = square(goal)
    state.totals[[SHARPNESS, HORIZON]] = 2.0, 50.0
    way, late = driven * data.per_length, (finish - 3.0) * data.per_time
    expected = {
        "distance": way + TIE * late,
        "duration": duty * data.per_time + TIE * (way + late),
        "arrivals": arrivals * data.per_time + TIE * (way + late),
        "makespan": math.exp(2.0 * ((finish - 3.0) / 50.0 - 1.0)) + way / LEGS_A_HORIZON,
    }[goal]
    assert costs(data, state, finish, duty, driven, arrivals) == pytest.approx(expected, rel=1e-9)


@given(days_by_goal(), st.integers(0, 99))
def test_the_goal_of_a_plan_is_what_the_checker_says_and_the_last_home_is_found(problem, seed):
    data, state = at_random(problem, seed)
    goal, total = summed(data, state)
    routes = [[np.array(trip) for trip in trips] for trips in plan_of(data, state)]
    report = check(problem, Plan.from_indices(problem, routes))
    assert goal == pytest.approx(report.objective, rel=1e-7, abs=1e-7)
    on_the_road = state.tour[:, TRIPS] > 0
    finish = np.where(on_the_road, state.tour[:, FINISH], -math.inf)
    if finish.max() > data.dawn:
        assert finish[state.counters[LAST_HOME]] == finish.max()
    if problem.goal == "makespan":
        assert total == pytest.approx(state.tour[on_the_road, DRIVEN].sum())
    else:
        assert total == state.totals[TOTAL]


@given(days_by_goal(), st.integers(0, 99))
def test_sums_are_made_anew_whatever_rounding_left(problem, seed):
    data, state = at_random(problem, seed)
    before = state.tour[:, COST].copy()
    state.totals[[TOTAL, MISSING]] += 0.25
    state.tour[:, COST] += 0.5
    summed(data, state)
    assert state.tour[:, COST].tolist() == before.tolist()
    assert state.totals[TOTAL] == pytest.approx(before.sum())
    absent = state.lists[ABSENT, : state.counters[ABSENT]]
    assert state.totals[MISSING] == data.stop[absent, PRIORITY].sum()


@pytest.mark.parametrize("goal", GOALS)
def test_one_vehicle_is_settled_and_who_stays_at_home_costs_nothing(goal):
    data, state = square(goal)
    before = state.totals[TOTAL]
    tour = state.tour[0]
    tour[[FINISH, DUTY, DRIVEN, ARRIVALS]] += 1.0
    settled(data, state, 0)
    more = tour[COST] - (before - state.tour[1, COST])
    assert more > 0.0
    assert state.totals[TOTAL] == pytest.approx(before + more)
    tour[TRIPS] = 0.0
    settled(data, state, 0)
    assert tour[COST] == 0.0
    assert state.totals[TOTAL] == pytest.approx(state.tour[1, COST])
