import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import instances
from geopar.plan import Plan
from geopar.problems import OMDCPDP
from geopar.problems.omdcpdp.generate import generate
from geopar.search import omdcpdp as search
from search_plans import objective
from strategies import omdcpdps


def solved(problem: OMDCPDP, iterations: int = 300, seed: int = 1) -> search.State:
    data = search.prepare(problem)
    state = search.initial(data, seed)
    search.run(data, state, iterations, 0.0, 1.0, search.cooling_for(data, iterations))
    return state


def dozen() -> OMDCPDP:
    """Thirty orders for four vehicles with different room."""
    return generate(60, 4, np.random.default_rng(5)).replace(capacity=[3, 1, 2, 30])


@settings(max_examples=30)
@given(omdcpdps(), st.integers(0, 2**32))
def test_plans_are_feasible_and_cost_what_is_claimed(problem, seed):
    data = search.prepare(problem)
    state = search.initial(data, seed)
    first = search.best_cost(state)
    assert objective(problem, search.best_routes(state)) == pytest.approx(first)
    search.run(data, state, 50, 0.0, 1.0, search.cooling_for(data, 50))
    assert search.best_cost(state) <= first
    for routes, cost in (
        (search.best_routes(state), search.best_cost(state)),
        (search.current_routes(state), search.current_cost(state)),
    ):
        assert objective(problem, routes) == pytest.approx(cost)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_costs_are_exact_after_every_accepted_move(scale):
    problem = dozen()
    problem = problem.replace(
        pickups=problem.pickups * scale,
        deliveries=problem.deliveries * scale,
        starts=problem.starts * scale,
    )
    data = search.prepare(problem)
    state = search.initial(data, 3)
    search.watch_costs(state)
    search.run(data, state, 2000, 0.0, 1.0, search.cooling_for(data, 2000))
    assert search.largest_discrepancy(state) < 1e-9 * scale


def scattered(orders: int, capacity: list[int], far: float = 1.0) -> OMDCPDP:
    """Random orders, the first of them far away."""
    rng = np.random.default_rng(orders)
    pickups, deliveries = rng.random((2, orders, 2))
    pickups[0] *= far
    return OMDCPDP(pickups, deliveries, rng.random((len(capacity), 2)), capacity)


IDLE = {
    "few orders and many vehicles": scattered(4, [1, 2, 3] * 6),
    "one order and many vehicles": scattered(1, [2] * 9),
    "one far order": scattered(7, [2] * 5, far=100.0),
    "room that differs fivefold": scattered(12, [10] + [2] * 9),
    "as many vehicles as orders": scattered(8, [1] * 8),
}


@pytest.mark.parametrize("name", IDLE)
@pytest.mark.parametrize("heat", [0.0, 0.9])
def test_every_iteration_leaves_a_whole_plan_also_where_vehicles_are_idle(name, heat):
    problem = IDLE[name]
    data = search.prepare(problem)
    state = search.initial(data, 1)
    search.watch_costs(state)
    for _ in range(200):
        search.run(data, state, 1, heat, heat, search.cooling_for(data, 1000))
        for routes, cost in (
            (search.current_routes(state), search.current_cost(state)),
            (search.best_routes(state), search.best_cost(state)),
        ):
            assert cost == pytest.approx(objective(problem, routes))
        assert (state.load == [len(route) // 2 for route in search.current_routes(state)]).all()
    assert search.largest_discrepancy(state) < 1e-9 * search.current_cost(state)


def test_a_seed_repeats_the_search():
    first, second = solved(dozen()), solved(dozen())
    np.testing.assert_array_equal(first.best, second.best)
    np.testing.assert_array_equal(first.following, second.following)
    assert search.best_cost(first) == search.best_cost(second)


def test_another_seed_searches_elsewhere():
    assert search.current_cost(solved(dozen(), seed=1)) != search.current_cost(
        solved(dozen(), seed=2)
    )


def test_the_plan_does_not_depend_on_the_unit_of_length():
    problem = dozen()
    larger = problem.replace(
        pickups=problem.pickups * 1024,
        deliveries=problem.deliveries * 1024,
        starts=problem.starts * 1024,
    )
    np.testing.assert_array_equal(solved(problem).best, solved(larger).best)


@pytest.mark.parametrize(
    ("make", "optimum"),
    [
        (instances.corridor, instances.CORRIDOR_OPTIMUM),
        (instances.one_order, instances.ONE_ORDER_OPTIMUM),
    ],
)
def test_tiny_problems_are_solved(make, optimum):
    assert search.best_cost(solved(make())) == pytest.approx(optimum)


def test_idle_vehicles_find_work():
    # Every order has a vehicle at its pickup, the last one far from all others.
    pickups = np.array([(0, 0), (0, 1), (50, 0)])
    problem = OMDCPDP(pickups, pickups + np.array([1, 0]), pickups, [1, 1, 1])
    data = search.prepare(problem)
    state = search.from_routes(data, [np.array([0, 3, 1, 4, 2, 5]), [], []], 1)
    assert search.run(data, state, 500, 0.0, 1.0, search.cooling_for(data, 500)) == pytest.approx(
        3.0
    )


@pytest.mark.parametrize(
    "problem",
    [
        OMDCPDP(np.zeros((5, 2)), np.zeros((5, 2)), np.zeros((2, 2)), [1, 2]),
        OMDCPDP(np.zeros((200, 2)), np.ones((200, 2)), np.zeros((1, 2)), [1]),
        OMDCPDP([(0, 1)], [(1, 1)], np.arange(20).reshape(10, 2), np.ones(10)),
        OMDCPDP(np.eye(2), -np.eye(2), [(0, 0)], [1e12]),
    ],
    ids=["one place", "two places", "more vehicles than orders", "huge capacity"],
)
def test_odd_instances(problem):
    state = solved(problem)
    cost = objective(problem, search.best_routes(state))
    assert search.best_cost(state) == pytest.approx(cost)


def test_routes_make_a_plan():
    problem = instances.mixed_load()
    routes = search.best_routes(solved(problem))
    plan = Plan.from_indices(problem, [[route] for route in routes])
    assert [len(route.tasks) for route in plan.routes] == [len(route) for route in routes]
