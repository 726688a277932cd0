import math

import numpy as np
import pytest

from geopar.checking import check
from geopar.compiled.jit import compiled
from geopar.plan import Plan, flatten
from geopar.problems import HCVRP
from geopar.search.hcvrp import Parameters, anneal, best_cost, best_routes, from_routes, prepare
from geopar.search.hcvrp.audit import largest_discrepancy
from geopar.search.hcvrp.state import COST, DRIVEN, TRIPS, WEIGHT
from geopar.search.hcvrp.trips import move_trip

# Nothing but moves of whole trips, and ruins that give trips to other vehicles.
HOT = Parameters(first_temperature=2.0, last_temperature=2.0, exchanges=0.0)
MOVES = HOT._replace(trip_moves=1.0)
RUINS = HOT._replace(trip_moves=0.0, reassign=1.0)


def ship_and_barrows() -> HCVRP:
    """What the ship has room for is rounded to more than a barrow can carry."""
    customers = [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1), (2, 0)]
    demand = [7e-5, 4e-5, 8e-5, 3e-5, 9e-5, 6e-5, 9e11]
    return HCVRP((0, 0), customers, demand, [1e12, 1e-4, 1e-4], [1, 1, 1])


@pytest.mark.parametrize("parameters", [MOVES, RUINS])
def test_a_trip_of_a_huge_vehicle_goes_to_a_tiny_one_only_if_it_fits(parameters):
    problem = ship_and_barrows()
    data = prepare(problem)
    pairs = [np.array(trip) for trip in ([0, 1], [2, 3], [4, 5], [6])]
    state = from_routes(data, 1, flatten([pairs, [], []]))
    for _ in range(100):
        anneal(data, state, parameters, 10, 0.5, 0.5)
        anneal(data, state, parameters, 0, 0.5, 0.5)  # sums up what was rounded
        assert largest_discrepancy(data, state) < 1e-6
        plan = Plan.from_indices(problem, best_routes(data, state), best_cost(data, state))
        assert check(problem, plan).feasible


@compiled(allocates=True)
def one_move(data, state):
    return move_trip(data, state, math.inf)


def test_what_rounding_left_goes_when_a_trip_is_moved_away():
    problem = HCVRP((0, 0), [(1, 0), (0, 1)], [1, 1], [2, 2], [1, 1])
    data = prepare(problem)
    state = from_routes(data, 1, flatten([[np.array([0, 1])], []]))
    anneal(data, state, MOVES, 0, 0.5, 0.5)
    idle = state.drive[1, WEIGHT]
    state.drive[0, DRIVEN] += 0.25  # as much as would take years to pile up
    while not one_move(data, state):
        pass
    assert state.vehicle[:, TRIPS].tolist() == [0, 1]
    assert state.drive[0, DRIVEN] == 0.0
    assert state.drive[0, WEIGHT] == pytest.approx(idle)
    assert state.totals[COST] == pytest.approx(state.drive[:, WEIGHT].sum())
