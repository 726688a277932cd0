"""First plans: by insertion, and from plans that fit or do not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.problems.day import Day
from geopar.problems.omdcpdp.generate import generate
from geopar.search import day_orders as search
from geopar.search.day_orders.data import NOBODY
from geopar.search.day_orders.start import take
from geopar.search.day_orders.state import ABSENT, CURRENT, OUTSIDE
from order_days import judge
from order_plans import contents, mixed_days, tours_of
from search_plans import random_routes


@settings(max_examples=100)
@given(mixed_days(), st.integers(0, 99))
def test_a_plan_that_can_be_driven_stays_and_the_rest_joins_it(problem, seed):
    data = search.prepare(problem)
    first = search.initial(data, seed)
    routes = search.best_routes(data, first)
    state = search.from_routes(data, routes, 0)
    for before, after in zip(routes, search.best_routes(data, state), strict=True):
        kept = [task for task in after.tolist() if task in before]
        assert kept == before.tolist()
    assert state.value[ABSENT] <= first.value[ABSENT] + 1e-9


@settings(max_examples=100)
@given(mixed_days(), st.integers(0, 99))
def test_any_plan_is_made_one_that_can_be_driven(problem, seed):
    data = search.prepare(problem)
    roomy = problem.replace(day=None, capacity=np.full(problem.num_vehicles, problem.num_orders))
    routes = random_routes(roomy, seed)
    state = search.from_routes(data, routes, 0)
    judge(problem, search.best_routes(data, state))
    listed = sorted(state.absent[: state.counter[OUTSIDE]].tolist())
    out = [o for o in range(data.orders) if state.vehicle[o] < 0 and data.home[o] != NOBODY]
    assert listed == out
    assert state.value[ABSENT] == pytest.approx(data.priority[out].sum())
    assert state.value[CURRENT] == pytest.approx(state.cost.sum())
    # Each order that was in a tour that could be driven as it is has stayed with its vehicle.
    for v, route in enumerate(routes):
        alone = [np.array(r if w == v else [], dtype=np.int64) for w, r in enumerate(routes)]
        try:
            judge(problem, alone)
        except AssertionError:
            continue
        if (data.home[route[route < data.orders]] != NOBODY).all():
            assert [t for t in tours_of(data, state)[v] if t in route] == route.tolist()


@given(mixed_days(), st.integers(0, 99))
def test_a_tour_is_taken_whole_or_not_at_all(problem, seed):
    data = search.prepare(problem)
    state = search.initial(data, 0)
    roomy = problem.replace(day=None, capacity=np.full(problem.num_vehicles, problem.num_orders))
    tours = tours_of(data, state)
    for v, route in enumerate(random_routes(roomy, seed)):
        # Of what is not with another vehicle.
        mine = [t for t in route.tolist() if state.vehicle[t] in (-1, v)]
        mine = [t for t in mine if data.home[t % data.orders] != NOBODY]
        before = contents(data, state)
        if take(data, state, v, np.array(mine, dtype=np.int64)):
            tours[v] = mine
        else:
            assert contents(data, state) == before
        assert tours_of(data, state) == tours


def test_more_tries_are_no_worse():

    problem = generate(30, 3, np.random.default_rng(4)).replace(day=Day(available=[(0, 6)] * 3))
    data = search.prepare(problem)
    one, some = search.best_initial(data, 1), search.best_initial(data, 6)
    assert search.best_cost(data, some) <= search.best_cost(data, one)
    every = [search.best_cost(data, search.initial(data, seed)) for seed in range(6)]
    assert search.best_cost(data, some) == min(every) < max(every)
