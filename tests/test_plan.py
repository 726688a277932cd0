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
    with pytest.raises(ValueError, match="shorter"):
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
