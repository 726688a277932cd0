"""Days that only add: the fast search keeps its books on them, and its plans pass the check."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.checking import check
from geopar.plan import Plan, flatten
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.problems.random import generate
from geopar.problems.random_day import random_day
from geopar.search import hcvrp
from geopar.search.additive import is_additive
from geopar.search.engines import operations_of
from geopar.search.hcvrp.audit import largest_discrepancy
from geopar.search.hcvrp.data import numbers, side_by_side
from geopar.search.hcvrp_engine import OPERATIONS

PARTS = ("matrices", "service", "loading", "opens", "allowed", "start", "priority")


@st.composite
def additive_days(draw):
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    size, fleet = draw(st.integers(1, 20)), draw(st.integers(1, 4))
    parts = tuple(draw(st.sets(st.sampled_from(PARTS))))
    problem = random_day(generate(f"hcvrp/{size}/{fleet}", seed), rng, parts)
    day = problem.day
    if day.matrices is not None:
        day = day.replace(profile=["bike"] * fleet)
    if draw(st.booleans()):
        begin = rng.uniform(0.0, 1.0, fleet)
        day = day.replace(available=np.column_stack([begin, np.full(fleet, np.inf)]))
    if day.allowed is not None:
        day = day.replace(allowed=day.allowed | (np.arange(fleet) == 0))
    return problem.replace(day=day)


@given(additive_days(), st.integers(0, 1000))
def test_books_are_kept_and_plans_pass_the_check(problem, seed):
    assert is_additive(problem)
    assert operations_of(problem) is OPERATIONS
    data = hcvrp.prepare(problem)
    state = hcvrp.initial(data, seed)
    settings = hcvrp.parameters_for(problem.num_tasks, problem.num_vehicles, 5, 2000)
    for begin in np.arange(0.0, 1.0, 0.1):
        hcvrp.anneal(data, state, settings, 20, begin, begin + 0.1)
        assert largest_discrepancy(data, state) < 1e-8
    plan = Plan.from_indices(problem, hcvrp.best_routes(data, state))
    report = check(problem, plan)
    assert report.feasible
    assert not report.left_out
    assert report.objective == pytest.approx(hcvrp.best_cost(data, state), rel=1e-9)


@given(additive_days())
def test_a_plan_that_lacks_customers_is_completed(problem):
    data = hcvrp.prepare(problem)
    routes = hcvrp.best_routes(data, hcvrp.initial(data, 0))
    fewer = [[trip[1:] for trip in trips if len(trip) > 1] for trips in routes]
    state = hcvrp.from_routes(data, 0, flatten(fewer))
    assert largest_discrepancy(data, state) < 1e-8
    assert check(problem, Plan.from_indices(problem, hcvrp.best_routes(data, state))).feasible


@pytest.mark.parametrize(
    "parts",
    [
        {"windows": [[(0, 9)], [], [], []]},
        {"closes": 9.0},
        {"released": [0, 1, 0, 0]},
        {"most_trips": [1, 1]},
        {"minimise": "distance"},
        {"end": [[1, 1], [2, 2]]},
        {"available": [[0, 9], [0, 9]]},
        {"allowed": [[True, True], [False, False], [True, True], [True, True]]},
    ],
)
def test_limits_and_waits_do_more_than_add(parts):
    problem = instances.square().replace(day=Day(**parts))
    assert not is_additive(problem)
    assert operations_of(problem) is not OPERATIONS


def test_by_road_customers_are_in_another_order_and_plans_in_the_problems():
    problem = generate("hcvrp/60/3", 1)
    assert isinstance(problem, HCVRP)
    lines = np.hypot(*(problem.places_xy[:, None] - problem.places_xy).transpose(2, 0, 1))
    rows = np.argsort(problem.matrix_rows)
    day = Day(matrices={"car": lines[np.ix_(rows, rows)]})
    data = hcvrp.prepare(problem.replace(day=day))
    number = numbers(data)
    assert sorted(number.tolist()) == list(range(60))
    assert number.tolist() != list(range(60))
    given = [[np.array([5, 3]), np.array([9])], [np.array([1, 0])], []]
    state = hcvrp.from_routes(data, 0, flatten(given))
    routes = hcvrp.best_routes(data, state)
    assert sorted(c for trips in routes for trip in trips for c in trip.tolist()) == list(range(60))
    straight = hcvrp.prepare(problem)
    assert data.matrix[0, 1] * data.unit == pytest.approx(
        float(np.hypot(*np.diff(straight.place[number[:2], :2], axis=0)[0])) * straight.unit
    )


def test_neighbours_are_close_in_the_order_of_the_search():
    points = np.random.default_rng(0).random((900, 2))
    order = side_by_side(points)
    steps = np.linalg.norm(np.diff(points[order], axis=0), axis=1)
    assert np.median(steps) < 0.1
    assert side_by_side(np.zeros((3, 2))).tolist() == [0, 1, 2]
