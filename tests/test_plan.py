import pickle
from copy import copy
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.plan import Plan, Route, flatten, unflatten
from geopar.problems.tasks import Stop
from instances import plan_of
from strategies import problems, problems_with_plans


def as_lists(routes):
    return [[trip.tolist() for trip in trips] for trips in routes]


def test_by_id(square):
    plan = Plan.from_indices(square, [[[0, 1], [], [2]], [[3]]], 5.0)
    assert plan.kind == "hcvrp"
    assert plan.routes == (
        Route("red", (("east", "north"), ("west",))),
        Route("blue", (("south",),)),
    )
    assert plan.objective == 5.0
    assert plan.routes[0].tasks == ("east", "north", "west")


def test_orders_have_two_ends(corridor):
    plan = Plan.from_indices(corridor, [[[0, 3, 1, 4]], [[]]])
    assert plan.routes[0].tasks[:2] == (Stop("a", "pickup"), Stop("a", "delivery"))
    assert plan.routes[1] == Route("right", ())
    assert str(plan.routes[0].tasks[1]) == "delivery of a"


def test_one_route_for_each_vehicle(square):
    with pytest.raises(ValueError, match="1 routes for 2 vehicles"):
        Plan.from_indices(square, [[[0]]])


def test_vehicles_in_any_order_or_missing(square):
    plan = Plan("hcvrp", (Route("blue", (("south", "west"), ())),))
    assert as_lists(plan.to_indices(square)) == [[], [[3, 2]]]


def test_unknown_ids(square):
    with pytest.raises(KeyError):
        Plan("hcvrp", (Route("red", (("moon",),)),)).to_indices(square)
    with pytest.raises(KeyError):
        Plan("hcvrp", (Route("green", ()),)).to_indices(square)


def test_another_claim(square):
    plan = Plan.from_indices(square, [[[0, 1]], [[2, 3]]], 5.0)
    assert plan.with_objective(6.0) == Plan("hcvrp", plan.routes, 6.0)
    assert plan.objective == 5.0


@given(problems_with_plans())
def test_ids_to_indices_and_back(case):
    problem, plan = case
    assert Plan.from_indices(problem, plan.to_indices(problem)) == plan


@given(problems_with_plans())
def test_flat_and_back(case):
    problem, plan = case
    routes = plan.to_indices(problem)
    tasks, bounds, vehicle = flatten(routes)
    assert tasks.dtype == bounds.dtype == vehicle.dtype == np.int64
    assert sorted(tasks.tolist()) == list(range(problem.num_tasks))
    assert (len(bounds), bounds[0], bounds[-1]) == (len(vehicle) + 1, 0, len(tasks))
    assert as_lists(unflatten(tasks, bounds, vehicle, problem.num_vehicles)) == as_lists(routes)


@given(problems(), st.integers(0, 3))
def test_nothing_planned_is_flat_too(problem, empties):
    routes = [[np.zeros(0, dtype=np.int64)] * empties for _ in range(problem.num_vehicles)]
    tasks, bounds, vehicle = flatten(routes)
    assert (tasks.tolist(), bounds.tolist(), vehicle.tolist()) == ([], [0], [])
    assert tasks.dtype == bounds.dtype == vehicle.dtype == np.int64
    assert unflatten(tasks, bounds, vehicle, 2) == [[], []]


def test_a_plan_is_short_in_a_console_and_a_table_in_a_notebook():
    plan = plan_of({"red": [["east", "north"], ["west"]], "<b>": [["south"]], "idle": []})
    assert repr(plan) == "<Plan for hcvrp: 4 tasks, 3 trips, 2 vehicles>"
    assert repr(plan.with_objective(2.5)).endswith(", 2.5>")
    shown = plan._repr_html_()
    assert "east → north" in shown
    assert "<b><" not in shown.replace("<b>Plan", "")
    assert "&lt;b&gt;" in shown


def test_a_plan_by_numbers_is_the_same_plan(square):
    plan = Plan.from_indices(square, [[[2, 0], [1]], [[3]]], 1.5)
    named = Plan(
        "hcvrp", (Route("red", (("west", "east"), ("north",))), Route("blue", (("south",),))), 1.5
    )
    assert plan.numbers(square) is not None
    assert plan == named
    assert hash(plan) == hash(named)
    assert replace(plan, objective=None) == plan.with_objective(None) != plan
    assert plan.with_objective(2.0).numbers(square) is not None
    with pytest.raises(FrozenInstanceError):
        plan.objective = 2.0  # type: ignore[misc]


def test_numbers_stay_behind(square):
    plan = Plan.from_indices(square, [[[2, 0], [1]], [[3]]])
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan
    assert again.numbers(square) is None
    assert copy(plan) == plan


def test_numbers_are_those_of_one_problem(square):
    plan = Plan.from_indices(square, [[[2, 0], [1]], [[3]]])
    other = square.replace(customer_ids=("a", "b", "c", "d"))
    assert plan.numbers(other) is None
    with pytest.raises(KeyError):
        plan.to_indices(other)


def test_who_asks_for_numbers_may_change_them(square):
    plan = Plan.from_indices(square, [[[2, 0], [1]], [[3]]])
    plan.to_indices(square)[0][0][:] = 3
    assert as_lists(plan.to_indices(square)) == [[[2, 0], [1]], [[3]]]


def test_numbers_outside_of_the_problem_are_named_at_once(square):
    plan = Plan.from_indices(square, [[[-1]], []])
    assert plan.routes[0].tasks == ("south",)
    assert plan.numbers(square) is None
    with pytest.raises(IndexError):
        Plan.from_indices(square, [[[4]], []])
