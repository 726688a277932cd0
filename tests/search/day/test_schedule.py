"""How hot and how sharp, by the size of the instance and of the run."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from day_plans import days_by_goal
from geopar.problems.day import GOALS, Day, Goal
from geopar.problems.random import generate
from geopar.search import day as search
from geopar.search.day.data import FROM_DEPOT, PRIORITY
from geopar.search.day.schedule import TRIP_MOVES, parameters_for
from geopar.search.hcvrp import schedule as plain


def many(goal: Goal, customers: int = 100) -> search.Data:
    problem: Any = generate(f"hcvrp/{customers}/4", 1)
    return search.prepare(problem.replace(day=Day(service=[0] * customers, minimise=goal)))


@given(days_by_goal(), st.floats(0, 1e15))
def test_a_run_cools_and_sharpens_and_to_leave_out_is_dearer_than_any_heat(problem, iterations):
    data = search.prepare(problem)
    p = parameters_for(data, iterations)
    least = data.stop[:, PRIORITY].min()
    assert p.first_temperature >= p.last_temperature > 0
    assert 0 < p.first_sharpness <= p.last_sharpness
    assert 0 <= p.on_late < 1
    assert 0 <= p.trip_moves < 1
    assert p.penalty * least >= 100
    if problem.goal == "makespan":
        plan = plain.parameters_for(
            problem.num_tasks, problem.num_vehicles,
            max(problem.num_vehicles, problem.num_tasks / 10), iterations,
        )  # fmt: skip
        assert p.first_temperature == plan.first_temperature
        assert p.on_late == plan.on_late
    else:
        assert p.penalty * least >= 10 * p.first_temperature
        far = data.stop[:, FROM_DEPOT].max() * data.per_length
        # Twice there and back.
        assert p.penalty * least >= 4 * far * (1 - 1e-9)


@pytest.mark.parametrize("goal", GOALS)
def test_a_long_run_is_hotter_than_a_short_one(goal):
    data = many(goal)
    short, long = parameters_for(data, 1e3), parameters_for(data, 1e7)
    assert long.first_temperature > short.first_temperature


def test_where_times_count_it_is_hotter_and_a_large_instance_is_too():
    heat = {goal: parameters_for(many(goal), 1e9).first_temperature for goal in GOALS}
    assert heat["duration"] == heat["arrivals"] == pytest.approx(3 * heat["distance"])
    large = parameters_for(many("distance", 400), 1e9).first_temperature
    assert large == pytest.approx(2 * heat["distance"])


def test_trips_change_places_unless_vehicles_are_alike_and_make_one():
    square = instances.square()
    one, some = Day(most_trips=[1, 1]), Day(most_trips=[1, 2])
    share = [
        parameters_for(search.prepare(problem), 1e3).trip_moves
        for problem in (
            square.replace(day=one),
            square.replace(day=some),
            square.replace(day=one, capacity=[2, 3]),
        )
    ]
    assert share == [0.0, TRIP_MOVES, TRIP_MOVES]


def test_where_arrivals_count_the_last_window_is_dear():
    windows = [[(0, 1e6)], [], [], []]
    day = Day(windows=windows, minimise="arrivals", priority=[1, 2, 3, 4])
    data = search.prepare(instances.square().replace(day=day))
    assert parameters_for(data, 1e3).penalty == pytest.approx(1e6 * data.per_time, rel=1e-9)
    assert np.isfinite(parameters_for(data, 0.0).penalty)
