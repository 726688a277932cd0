import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from geopar.checking import check
from geopar.plan import Plan
from geopar.problems import OMDCPDP
from geopar.problems.batch import make_batch
from geopar.problems.environment import make_environment
from geopar.problems.omdcpdp.insertion import InsertionEnvironment, PlannedRoutes
from geopar.problems.random import generate
from rollouts import random_joint_action


def road(capacity=2):
    """One vehicle at 0 and three orders along a road: 1 to 2, 3 to 4, 1.5 to 3.5."""
    return OMDCPDP(
        starts=[(0, 0)],
        pickups=[(1, 0), (3, 0), (1.5, 0)],
        deliveries=[(2, 0), (4, 0), (3.5, 0)],
        capacity=[capacity],
    )


def planned(problem, orders):
    """The environment and its state after one vehicle has planned some orders."""
    environment = make_environment(make_batch([problem]), inserts=True)
    state = environment.reset()
    for order in orders:
        state = environment.step(state, torch.tensor([[[order]]]))
    return environment, state


def test_orders_on_the_way_are_put_between():
    environment, state = planned(road(), [1, 0, 2])
    assert PlannedRoutes(state).routes(0) == [[[0, 2, 3, 1, 5, 4]]]
    assert float(environment.cost(state)) == pytest.approx(2 + 3.5 + 4, rel=1e-5)
    assert bool(state.done.all())


def test_a_full_vehicle_takes_no_more_before_it_has_delivered():
    environment, state = planned(road(capacity=1), [1, 0])
    assert PlannedRoutes(state).routes(0) == [[[0, 3, 1, 4]]]
    _, state = planned(road(capacity=1), [2, 1])
    # The second lies between the places of the first, but there is no room.
    assert PlannedRoutes(state).routes(0) == [[[2, 5, 1, 4]]]
    del environment


def brute_force(problem, route, order, half):
    """The least sum of arrivals with one order more, trying everything."""
    best = math.inf
    xy = problem.tasks_xy.tolist()
    for i, k in itertools.combinations(range(len(route) + 2), 2):
        stops = list(route)
        stops.insert(i, order)
        stops.insert(k, order + half)
        load, time, total = 0, 0.0, 0.0
        here, fits = problem.starts_xy[0].tolist(), True
        for j in stops:
            time += math.dist(here, xy[j])
            here = xy[j]
            load += 1 if j < half else -1
            fits = fits and load <= problem.capacity[0]
            total += time if j >= half else 0.0
        if fits:
            best = min(best, total)
    return best


@given(st.integers(0, 40), st.integers(1, 3))
def test_every_order_goes_where_it_adds_least(seed, capacity):
    problem = generate("omdcpdp/10/1", seed).replace(capacity=[capacity])
    environment = make_environment(make_batch([problem]), inserts=True)
    state = environment.reset()
    for order in range(5):
        routes = PlannedRoutes(state).routes(0)[0]
        least = brute_force(problem, routes[0] if routes else [], order, 5)
        state = environment.step(state, torch.tensor([[[order]]]))
        assert float(environment.cost(state)) == pytest.approx(least, rel=1e-5)


@given(st.integers(0, 60))
def test_plans_of_random_rollouts_are_feasible_and_cost_what_the_state_says(seed):
    problems = [generate("omdcpdp/12/3", seed), generate("omdcpdp/12/3", seed + 1)]
    environment = make_environment(make_batch(problems), inserts=True)
    assert isinstance(environment, InsertionEnvironment)
    generator, state = torch.Generator().manual_seed(seed), environment.reset(2)
    while not bool(state.done.all()):
        mask = environment.mask(state)
        state = environment.step(state, random_joint_action(mask, state.place, generator))
    for row, rollout in itertools.product(range(2), range(2)):
        plan = Plan.from_indices(problems[row], PlannedRoutes(state).routes(row, rollout))
        report = check(problems[row], plan)
        assert report.feasible
        cost = float(environment.cost(state)[row, rollout])
        assert report.objective == pytest.approx(cost, rel=1e-5)
        lengths = environment.walk(state)
        ends = lengths.times.gather(-1, lengths.last[..., None])[..., 0]
        torch.testing.assert_close(ends, state.length, rtol=1e-4, atol=1e-5)


def test_deliveries_and_waiting_plan_nothing():
    environment, state = planned(road(), [1])
    for action in (4, 6, 7):
        again = environment.step(state, torch.tensor([[[action]]]))
        assert torch.equal(again.follow[..., :-1], state.follow[..., :-1])
        assert torch.equal(again.start, state.start)
        assert torch.equal(again.open, state.open)
