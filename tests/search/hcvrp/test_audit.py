"""The search audited after every iteration and every piece, on fleets of which many stay idle."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.problems import HCVRP
from geopar.search.hcvrp import Parameters, anneal, initial, parameters_for, prepare
from geopar.search.hcvrp.audit import is_whole, largest_discrepancy
from geopar.search.hcvrp.state import AFTER, COST, DRIVEN, FREE, HEAD, TRIPS

# So hot that nearly everything is accepted, with late vehicles always looked at first.
HOT = Parameters(
    reconnections=0.2, first_temperature=2.0, last_temperature=2.0, on_late=1.0, trip_moves=0.3
)


def fleet(seed: int, customers: int, capacity: list[float], *, far: float = 1.0) -> HCVRP:
    """Random customers, the first of them far away; the first vehicle can carry any of them."""
    rng = np.random.default_rng(seed)
    places = rng.random((customers, 2))
    places[0] *= far
    demand = rng.integers(1, int(max(capacity)) + 1, customers)
    return HCVRP(rng.random(2), places, demand, capacity, rng.uniform(0.5, 1.0, len(capacity)))


FLEETS = {
    "a truck and vans with half its room": fleet(1, 19, [20.0] + [10.0] * 10),
    "a truck and vans with a fifth of its room": fleet(2, 34, [10.0] + [2.0] * 13),
    "a truck and vans with a twentieth": fleet(3, 25, [40.0] + [2.0] * 8),
    "few customers and many vehicles": fleet(4, 6, [30.0] * 16),
    "one far customer": fleet(5, 9, [30.0] + [10.0] * 6, far=100.0),
    "one customer and many vehicles": fleet(6, 1, [5.0] * 6),
    "all at the depot but one": HCVRP((0, 0), [(0, 0)] * 6 + [(1, 0)], [1] * 7, [2] * 9, [1] * 9),
    "snails": fleet(7, 8, [30.0] * 8).replace(speed=[1, 1, 1, 1, 1e-6, 1e-6, 1e-9, 1e-12]),
}


def audit(problem: HCVRP, seed: int, parameters: Parameters, pieces: Iterable[int]) -> None:
    """Run pieces of so many iterations, and look closely after each."""
    data = prepare(problem)
    state = initial(data, seed)
    for length in pieces:
        anneal(data, state, parameters, length, 0.5, 0.5)
        assert is_whole(data, state)
        # When a plan gets much better at once, rounding is all that is left of the cost; the next
        # piece sums it up anew.
        anneal(data, state, parameters, 0, 0.5, 0.5)
        assert largest_discrepancy(data, state) < 1e-6


@pytest.mark.parametrize("name", FLEETS)
def test_every_iteration_leaves_a_whole_plan(name):
    audit(FLEETS[name], 1, HOT, [1] * 200)


@pytest.mark.parametrize("name", FLEETS)
def test_no_rounding_piles_up_in_idle_vehicles(name):
    problem = FLEETS[name]
    usual = parameters_for(problem.num_tasks, problem.num_vehicles, 5, 20_000)
    for parameters in (HOT, usual):
        audit(problem, 1, parameters, [2, 3, 5, 10, 20, 50, 100] * 10)


@st.composite
def mixed_fleets(draw: Any) -> HCVRP:
    """Customers of any number, near or far; a truck and any number of vans of any size and speed.

    The truck's room is within a hundred thousand times theirs, so that all can be compared.
    """
    customers, vans = draw(st.integers(1, 12)), draw(st.integers(0, 12))
    ratio = draw(st.sampled_from([1.0, 2.0, 5.0, 20.0, 1e5]))
    far = draw(st.sampled_from([1.0, 30.0, 1e4]))
    speeds = st.sampled_from([1.0, 0.5, 0.75, 5.0, 1e-3])
    problem = fleet(draw(st.integers(0, 2**32)), customers, [60.0] + [60.0 / ratio] * vans, far=far)
    return problem.replace(speed=draw(st.lists(speeds, min_size=vans + 1, max_size=vans + 1)))


@given(mixed_fleets(), st.integers(0, 2**32))
@settings(max_examples=100)
def test_fleets_of_every_sort_keep_a_whole_plan(problem, seed):
    audit(problem, seed, HOT, [1] * 20 + [20] * 10)


def damaged(damage) -> float:
    data = prepare(FLEETS["few customers and many vehicles"])
    state = initial(data, seed=1)
    assert largest_discrepancy(data, state) < 1e-9
    damage(state)
    return largest_discrepancy(data, state)


def let_trips_go_round_in_a_circle(state) -> None:
    first = state.vehicle[:, HEAD].max()
    state.trip[first, AFTER] = first


def lose_a_free_trip(state) -> None:
    state.counters[FREE] -= 1


def let_an_idle_vehicle_drive(state) -> None:
    state.drive[np.argmin(state.vehicle[:, TRIPS]), DRIVEN] = 1e-15


def lose_a_customer_of_the_best_plan(state) -> None:
    state.best_trip[np.argmax(state.best_trip[:, 1]), 1] = -1


@pytest.mark.parametrize(
    "damage",
    [
        let_trips_go_round_in_a_circle,
        lose_a_free_trip,
        let_an_idle_vehicle_drive,
        lose_a_customer_of_the_best_plan,
    ],
)
def test_the_audit_sees_a_broken_plan(damage):
    assert damaged(damage) == math.inf


def test_the_audit_sees_a_wrong_number():
    def add_to_the_cost(state) -> None:
        state.totals[COST] *= 1.01

    assert damaged(add_to_the_cost) == pytest.approx(0.01)
