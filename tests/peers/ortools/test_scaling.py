from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geopar.checking import check
from geopar.peers.ortools import scaling
from geopar.peers.ortools.omdcpdp import OMDCPDPModel, cost
from geopar.plan import Plan
from geopar.problems import OMDCPDP
from geopar.problems.setting import Setting
from geopar.search.dispatch import dispatch
from geopar.solver import Request
from geopar.stop import Budget, MaxIterations
from strategies import hcvrps, omdcpdps


def simple(problem) -> Plan:
    return dispatch(Request(problem, Budget(MaxIterations(0)), 0)).plan


def in_whole_numbers(problem: OMDCPDP, routes, per_unit: float) -> float:
    """The arrivals that OR-Tools sees, in the user's units."""
    places = np.concatenate([problem.tasks_xy, problem.starts_xy])
    lengths = scaling.rounded(scaling.distances(places), per_unit)
    total = 0
    for vehicle, trips in enumerate(routes):
        for trip in trips:
            stops = [problem.num_tasks + vehicle, *trip]
            at = np.cumsum(lengths[stops[:-1], stops[1:]])
            total += int(at[trip >= problem.num_orders].sum())
    return total / per_unit


@given(omdcpdps(max_orders=6))
def test_rounding_changes_the_arrivals_by_less_than_a_ten_thousandth(problem):
    plan = simple(problem)
    if not plan.objective:
        return
    model = OMDCPDPModel(problem, plan.objective, "arrival")
    routes = plan.to_indices(problem)
    seen = in_whole_numbers(problem, routes, model.per_unit)
    assert seen == pytest.approx(plan.objective, rel=1e-5)


def test_rounding_at_a_thousand_tasks():
    problem: Any = Setting("omdcpdp", 1000, 20).generate(np.random.default_rng(0))
    plan = simple(problem)
    per_unit = scaling.units(plan.objective, problem.num_orders * problem.num_tasks)
    seen = in_whole_numbers(problem, plan.to_indices(problem), per_unit)
    assert seen == pytest.approx(plan.objective, rel=1e-6)


@given(omdcpdps())
def test_arrivals_are_those_of_the_checker(problem):
    plan = simple(problem)
    assert cost(problem, plan.to_indices(problem)) == pytest.approx(check(problem, plan).objective)


@given(hcvrps(), st.data())
def test_what_fits_in_whole_numbers_passes_the_checker(problem, data):
    demand, capacity = scaling.loads(problem)
    count = data.draw(st.integers(1, problem.num_tasks))
    for vehicle in range(problem.num_vehicles):
        really = problem.demand[:count].sum()
        allowed = problem.capacity[vehicle]
        if demand[:count].sum() <= capacity[vehicle]:
            assert really <= allowed * (1 + 1e-9)
        if really <= allowed and allowed > 1e-3 * problem.capacity.max():
            assert demand[:count].sum() <= capacity[vehicle]


def test_ten_tenths_fit(square):
    problem = square.replace(
        customers=np.ones((10, 2)), demand=[0.1] * 10, capacity=[1, 1], customer_ids=None
    )
    demand, capacity = scaling.loads(problem)
    assert demand.sum() <= capacity[0]
    assert demand.sum() + demand[0] > capacity[0]


def test_arcs_beyond_measure_are_cut():
    assert scaling.rounded(np.array([1e300, 1.0]), 1e30).tolist() == [scaling.LONGEST] * 2
