import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.problems import OMDCPDP
from geopar.problems.omdcpdp.generate import generate
from geopar.search import omdcpdp as search
from geopar.search.omdcpdp import ends, start
from geopar.search.omdcpdp.start import fill, insertion
from geopar.search.omdcpdp.state import ITERATIONS, empty
from search_plans import objective, random_routes
from strategies import omdcpdps


@settings(max_examples=30)
@given(omdcpdps(), st.integers(0, 2**32 - 1))
def test_a_given_plan_is_taken_as_it_is_and_never_gets_worse(problem, seed):
    routes = random_routes(problem, seed)
    data = search.prepare(problem)
    state = search.from_routes(data, routes, seed)
    for taken, given_route in zip(search.best_routes(state), routes, strict=True):
        np.testing.assert_array_equal(taken, given_route)
    start = objective(problem, routes)
    assert search.best_cost(state) == pytest.approx(start)
    assert search.run(data, state, 20, 0.0, 1.0, search.cooling_for(data, 20)) <= start * (
        1 + 1e-12
    )


def test_the_first_plan_beats_insertion_of_the_dearest_first():
    problem = generate(200, 5, np.random.default_rng(3))
    data = search.prepare(problem)
    dearest_first = empty(data, 0)
    fill(data, dearest_first, -np.ones(data.orders), 1.0, data.orders)
    assert search.best_cost(search.initial(data, 0)) < search.best_cost(dearest_first)


def test_a_hurried_first_plan_looks_at_fewer_places():
    problem = generate(400, 5, np.random.default_rng(3))
    data = search.prepare(problem)
    looks = []
    for hurry in (1.0, 1.5):
        state = empty(data, 0)
        fill(data, state, np.ones(data.orders), hurry, data.orders)
        objective(problem, search.best_routes(state))
        looks.append(int(state.counter[ITERATIONS]))
    assert data.orders <= looks[1] < looks[0]


def test_noise_gives_other_first_plans_for_other_seeds():
    problem = generate(40, 3, np.random.default_rng(5))
    data = search.prepare(problem)
    plain = search.best_cost(search.initial(data, 0))
    noisy = [insertion(data, seed, 0.3) for seed in range(6)]
    for state in noisy:
        found = objective(problem, search.best_routes(state))
        assert search.best_cost(state) == pytest.approx(found)
    costs = [search.best_cost(state) for state in noisy]
    assert costs[0] == plain
    assert len(set(costs)) > 3
    assert costs == [search.best_cost(insertion(data, seed, 0.3)) for seed in range(6)]


def test_the_best_of_more_tries_is_never_worse():
    data = search.prepare(generate(40, 3, np.random.default_rng(5)))
    costs = [search.best_cost(search.best_initial(data, tries)) for tries in (1, 2, 4, 8, 16)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0] == search.best_cost(search.initial(data, 0))


def test_orders_can_be_shared_out_evenly():
    problem = generate(120, 4, np.random.default_rng(5))
    data = search.prepare(problem)
    state = insertion(data, 0, most=15)
    assert state.load.tolist() == [15] * 4
    assert search.best_cost(state) == pytest.approx(objective(problem, search.best_routes(state)))
    before = search.best_cost(state)
    assert search.run(data, state, 3000, 0.0, 1.0, search.cooling_for(data, 3000)) < before


def test_an_even_share_is_not_worth_everything():
    # All work is where one vehicle is; the others would come from far away.
    rng = np.random.default_rng(1)
    starts = np.array([[0.5, 0.5], [90, 0], [0, 90]])
    problem = OMDCPDP(rng.random((40, 2)), rng.random((40, 2)), starts, [4, 4, 4])
    state = search.best_initial(search.prepare(problem), 4)
    assert state.load.tolist() == [40, 0, 0]


def test_in_haste_everybody_is_appended_where_a_vehicle_is_soonest():
    problem = generate(400, 5, np.random.default_rng(3))
    data = search.prepare(problem)
    state = empty(data, 0)
    fill(data, state, np.ones(data.orders), 1.0, data.orders, pause=lambda: 1e-9)
    assert search.best_cost(state) == pytest.approx(objective(problem, search.best_routes(state)))
    assert state.counter[ITERATIONS] == data.orders  # nobody is looked at twice
    assert search.best_cost(state) > search.best_cost(search.initial(data, 0))


def test_the_less_time_is_left_the_less_choosy_it_is(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(start.time, "perf_counter", lambda: clock[0])
    haste = start.Haste(100_000)
    seen = []
    for orders in range(100_000, 0, -1000):
        haste.look(orders, left=200.0 - clock[0])
        seen.append((haste.hurry, haste.neighbours))
        clock[0] += 4.0 / haste.LEVELS.index(seen[-1]) if seen[-1][0] > 1.0 else 4.0
    assert list(dict.fromkeys(seen)) == list(start.Haste.LEVELS[: len(set(seen))])
    assert 2 <= len(set(seen)) < len(start.Haste.LEVELS)
    assert clock[0] <= 200.0


def test_without_an_end_there_is_no_haste():
    haste = start.Haste(1000)
    for orders in (1000, 999, 998) * 10:
        haste.look(orders, left=np.inf)
    assert haste.hurry == 1.0


def test_many_vehicles_are_looked_through_by_a_tree_and_nothing_changes(monkeypatch):
    problem = generate(600, 40, np.random.default_rng(3))
    data = search.prepare(problem)
    plain = search.initial(data, 0)
    monkeypatch.setattr(ends, "MANY_VEHICLES", 10)
    by_tree = search.initial(data, 0)
    for one, other in zip(search.best_routes(plain), search.best_routes(by_tree), strict=True):
        np.testing.assert_array_equal(one, other)
