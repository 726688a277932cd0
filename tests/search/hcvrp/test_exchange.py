import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.checking import check
from geopar.plan import Plan, flatten
from geopar.problems import HCVRP
from geopar.search.hcvrp import (
    Parameters,
    anneal,
    best_cost,
    best_routes,
    from_routes,
    prepare,
)
from geopar.search.hcvrp.audit import largest_discrepancy
from search_plans import stays_whole
from strategies import hcvrps

# Nothing but exchanges, and none that makes the plan worse.
ONLY = Parameters(
    trip_moves=0.0, exchanges=1.0, first_temperature=1e-9, last_temperature=1e-9, on_late=0.0
)


def crossed() -> HCVRP:
    """Two clusters far apart; each vehicle fits the customers of one of them exactly."""
    customers = [(-10, 0), (-10, 1), (-11, 0), (10, 0), (10, 1), (11, 0)]
    return HCVRP((0, 0), customers, [1] * 6, [3, 3], [1, 1])


@pytest.mark.parametrize("out_of_place", [1, 2])
def test_full_trips_swap_the_customers_that_are_out_of_place(out_of_place):
    problem = crossed()
    data = prepare(problem)
    first, second = [0, 1, 2], [3, 4, 5]
    first[:out_of_place], second[:out_of_place] = second[:out_of_place], first[:out_of_place]
    state = from_routes(data, 0, flatten([[np.array(first)], [np.array(second)]]))
    anneal(data, state, ONLY, 200, 0.0, 1.0)
    assert largest_discrepancy(data, state) < 1e-6
    routes = best_routes(data, state)
    served = {frozenset(trip.tolist()) for trips in routes for trip in trips}
    assert served == {frozenset({0, 1, 2}), frozenset({3, 4, 5})}
    report = check(problem, Plan.from_indices(problem, routes))
    assert report.feasible
    assert report.objective == pytest.approx(best_cost(data, state))


@given(hcvrps(), st.integers(0, 99), st.floats(1e-6, 3.0))
@settings(max_examples=40)
def test_every_exchange_leaves_a_whole_plan(problem, seed, temperature):
    stays_whole(problem, seed, temperature, ONLY)
