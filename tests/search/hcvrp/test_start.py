import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import instances
from geopar.checking import check
from geopar.plan import Plan, flatten
from geopar.problems.hcvrp.generate import generate
from geopar.search.hcvrp.audit import largest_discrepancy
from geopar.search.hcvrp.data import FROM_DEPOT, prepare
from geopar.search.hcvrp.start import (
    best_cost,
    best_initial,
    best_routes,
    from_routes,
    initial,
    turns_and_horizon,
)
from strategies import hcvrps, random_plan


@given(hcvrps(), st.integers(0, 99))
def test_a_given_plan_is_taken_as_it_is(problem, seed):
    routes = random_plan(problem, np.random.default_rng(seed)).to_indices(problem)
    data = prepare(problem)
    state = from_routes(data, seed, flatten(routes))
    taken = best_routes(data, state)
    for given_trips, trips in zip(routes, taken, strict=True):
        assert sorted(map(tuple, given_trips)) == sorted(map(tuple, trips))
    report = check(problem, Plan.from_indices(problem, taken))
    assert report.objective == pytest.approx(best_cost(data, state), abs=1e-9)
    assert largest_discrepancy(data, state) < 1e-6


@given(hcvrps(), st.integers(1, 5))
def test_every_first_plan_is_whole_and_feasible(problem, tries):
    data = prepare(problem)
    state = best_initial(data, tries)
    assert largest_discrepancy(data, state) < 1e-6
    report = check(problem, Plan.from_indices(problem, best_routes(data, state)))
    assert report.feasible
    assert report.objective == pytest.approx(best_cost(data, state), abs=1e-9)


def test_the_best_of_more_tries_is_never_worse_and_the_first_is_undisturbed():
    data = prepare(generate(40, 3, np.random.default_rng(2)))
    costs = [best_cost(data, best_initial(data, tries)) for tries in (1, 2, 4, 8, 16)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
    # Nothing is drawn while customers come in their turn, so the seed has no say.
    assert {best_cost(data, initial(data, seed)) for seed in (0, 5)} == {costs[0]}


def test_the_farthest_come_first():
    data = prepare(instances.handful())
    (turns,), _ = turns_and_horizon(data.place[None], data.vehicle[None])
    assert sorted(turns) == list(range(12))
    assert (np.diff(data.place[turns, FROM_DEPOT]) <= 0.0).all()


@pytest.mark.parametrize("make", instances.HCVRPS)
def test_no_plan_is_done_before_the_least_of_work_and_way(make):
    data = prepare(make())
    _, (horizon,) = turns_and_horizon(data.place[None], data.vehicle[None])
    work_or_way = horizon / 1.2 * data.unit
    assert 0.0 < work_or_way <= best_cost(data, best_initial(data, 8))


def test_where_nothing_is_to_be_driven_the_horizon_is_one():
    data = prepare(instances.square().replace(customers=np.zeros((4, 2))))
    _, (horizon,) = turns_and_horizon(data.place[None], data.vehicle[None])
    assert horizon == 1.0
    assert best_cost(data, initial(data, 0)) == 0.0
