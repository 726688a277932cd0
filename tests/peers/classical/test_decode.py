import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.checking import check
from geopar.compiled.random import seed_state
from geopar.peers.classical.decode import (
    Individual,
    draw_plan,
    drive,
    idle_fleet,
    join,
    makespan_of,
    normalised,
    split,
)
from geopar.plan import Plan
from geopar.problems import HCVRP
from strategies import hcvrps, problems_with_plans


def empty(problem: HCVRP) -> Individual:
    return Individual(*(np.zeros(problem.num_tasks, dtype=np.int32) for _ in range(2)))


def genes(problem: HCVRP, seed: int = 0) -> Individual:
    plan = empty(problem)
    draw_plan(normalised(problem)[0], seed_state(seed), plan)
    return plan


@settings(max_examples=30)
@given(problem=hcvrps(), seed=st.integers(0, 1000))
def test_any_genes_are_a_feasible_plan_that_costs_what_drive_says(problem, seed):
    instance, unit = normalised(problem)
    plan = genes(problem, seed)
    fleet = idle_fleet(problem.num_vehicles)
    makespan = drive(instance, fleet, plan) * unit
    routes = split(instance, plan)
    report = check(problem, Plan.from_indices(problem, routes))
    assert report.feasible, report.violations
    assert makespan == pytest.approx(report.objective, rel=1e-9, abs=1e-12 * unit)
    assert makespan_of(problem, routes) == pytest.approx(report.objective)
    assert fleet.time.max() * unit == makespan


@given(pair=problems_with_plans(hcvrps()))
def test_joined_trips_stay_with_their_vehicle_and_in_sequence(pair):
    problem, plan = pair
    routes, joined = plan.to_indices(problem), empty(problem)
    join(routes, joined)
    again = split(normalised(problem)[0], joined)
    for before, after in zip(routes, again, strict=True):
        assert [t for trip in before for t in trip] == [t for trip in after for t in trip]
        assert len(after) <= len(before)


def test_normalised_is_free_of_units():
    problem = HCVRP((100, 300), [(300, 300), (100, 400)], [1, 9], [5, 10, 1], [10, 20, 40])
    instance, unit = normalised(problem)
    assert max(np.ptp(instance.x), np.ptp(instance.y)) == 1.0
    np.testing.assert_allclose(instance.home, [1.0, 0.5, 0.0])
    np.testing.assert_allclose(instance.slowness, [4, 2, 1])
    assert unit == 200 / 40
    np.testing.assert_array_equal(instance.by_capacity, [1, 0, 2])
    np.testing.assert_array_equal(instance.fitting, [3, 1])


def test_a_trip_ends_when_the_next_customer_does_not_fit():
    problem = HCVRP((0, 0), [(1, 0), (2, 0), (3, 0)], [2, 2, 1], [3], [1])
    instance, _ = normalised(problem)
    plan = Individual(np.array([0, 1, 2], dtype=np.int32), np.zeros(3, dtype=np.int32))
    trips = split(instance, plan)[0]
    assert [trip.tolist() for trip in trips] == [[0], [1, 2]]
    assert makespan_of(problem, [trips]) == 2 + 6


def test_draws_cover_all_that_fits():
    problem = HCVRP((0, 0), [(1, 0), (2, 0)], [1, 5], [5, 1, 9], [1, 1, 1])
    drawn = [genes(problem, seed) for seed in range(60)]
    assert {tuple(order) for order, _ in drawn} == {(0, 1), (1, 0)}
    assert {int(vehicle[0]) for _, vehicle in drawn} == {0, 1, 2}
    assert {int(vehicle[1]) for _, vehicle in drawn} == {0, 2}
