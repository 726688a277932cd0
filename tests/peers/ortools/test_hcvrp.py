import numpy as np
import pytest
from hypothesis import given

from geopar.errors import InputError
from geopar.peers.ortools import hcvrp
from geopar.peers.ortools import model as models
from geopar.plan import Plan
from strategies import hcvrps, problems_with_plans


@given(problems_with_plans(hcvrps()))
def test_trips_become_nodes_and_nodes_trips(case):
    problem, plan = case
    routes = plan.to_indices(problem)
    model = hcvrp.HCVRPModel(problem, 1.0, hcvrp.reloads_needed(problem, routes))
    again = model.routes(model.nodes(routes))
    assert Plan.from_indices(problem, again) == plan


def test_a_plan_with_too_many_reloads_has_no_place(one_customer):
    problem = one_customer.replace(customers=[(1, 0), (2, 0)], demand=[1, 1], customer_ids=None)
    model = hcvrp.HCVRPModel(problem, 1.0, 0)
    routes = [[np.array([0]), np.array([1])]]
    assert model.nodes(routes) is None
    assert model.assignment(routes) is None


def test_full_vehicles_get_the_reloads_that_they_need(one_customer):
    problem = one_customer.replace(
        customers=[(1, 0)] * 5, demand=[1] * 5, capacity=[1], customer_ids=None
    )
    assert hcvrp.reloads_needed(problem, [[np.arange(5)]]) == 4 + hcvrp.SPARE_RELOADS


def test_too_large(monkeypatch, handful):
    monkeypatch.setattr(models, "MOST_ENTRIES", 100)
    with pytest.raises(InputError, match=r"too-large.*Maybe --solver refine"):
        hcvrp.HCVRPModel(handful, 1.0, 3)
