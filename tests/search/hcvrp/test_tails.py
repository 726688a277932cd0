import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.plan import flatten
from geopar.problems import HCVRP
from geopar.search.hcvrp import Parameters, anneal, best_routes, from_routes, prepare
from geopar.search.hcvrp.audit import largest_discrepancy
from search_plans import stays_whole
from strategies import hcvrps

# Nothing but tails swapped and stretches turned round, and none that makes the plan worse.
ONLY = Parameters(
    trip_moves=0.0, exchanges=0.0, reconnections=1.0, first_temperature=1e-9, last_temperature=1e-9
)


def test_trips_that_change_sides_halfway_swap_their_tails():
    left, right = [(-1, i) for i in range(1, 6)], [(1, i) for i in range(1, 6)]
    problem = HCVRP((0, 0), left + right, [1] * 10, [5, 5], [1, 1])
    data = prepare(problem)
    crossing = [np.array([0, 1, 2, 8, 9]), np.array([5, 6, 7, 3, 4])]
    state = from_routes(data, 0, flatten([[crossing[0]], [crossing[1]]]))
    anneal(data, state, ONLY, 500, 0.0, 1.0)
    assert largest_discrepancy(data, state) < 1e-6
    served = {frozenset(trip.tolist()) for trips in best_routes(data, state) for trip in trips}
    assert served == {frozenset(range(5)), frozenset(range(5, 10))}


def test_a_trip_may_be_hung_behind_another():
    problem = HCVRP((0, 0), [(10, 0), (10, 1)], [1, 1], [2], [1])
    data = prepare(problem)
    state = from_routes(data, 0, flatten([[np.array([0]), np.array([1])]]))
    anneal(data, state, ONLY, 50, 0.0, 1.0)
    assert largest_discrepancy(data, state) < 1e-6
    assert [len(trip) for trip in best_routes(data, state)[0]] == [2]


@given(hcvrps(), st.integers(0, 99), st.floats(1e-6, 3.0))
@settings(max_examples=40)
def test_every_reconnection_leaves_a_whole_plan(problem, seed, temperature):
    stays_whole(problem, seed, temperature, ONLY)
