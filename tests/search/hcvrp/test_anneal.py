from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from geopar.checking import check
from geopar.plan import Plan, flatten
from geopar.problems import HCVRP
from geopar.search.hcvrp import (
    Parameters,
    anneal,
    best_cost,
    best_routes,
    from_routes,
    initial,
    prepare,
)
from geopar.search.hcvrp.audit import largest_discrepancy
from geopar.search.hcvrp.state import ITERATION, LAST_STAMP, STAMP
from instances import SQUARE_OPTIMUM, TWO_SPEEDS_OPTIMUM, handful, square, town, two_speeds
from strategies import hcvrps

# So hot that nearly everything is accepted, and so cold that hardly anything is.
HOT = Parameters(first_temperature=2.0, last_temperature=2.0)
COLD = Parameters(first_temperature=1e-6, last_temperature=1e-6)


def plan_of(problem, data, state):
    return Plan.from_indices(problem, best_routes(data, state), best_cost(data, state))


@pytest.mark.parametrize(
    "kinds", [{"reassign": 0.0}, {"reassign": 1.0}, {"trip_moves": 0.0, "exchanges": 1.0}]
)
@pytest.mark.parametrize("parameters", [HOT, COLD])
def test_every_kept_number_equals_its_recomputation_after_every_iteration(parameters, kinds):
    data = prepare(handful())
    state = initial(data, seed=1)
    parameters = parameters._replace(**kinds)
    for _ in range(300):
        anneal(data, state, parameters, 1, 0.5, 0.5)
        assert largest_discrepancy(data, state) < 1e-6


def test_many_iterations_in_one_piece_keep_every_number_too():
    data = prepare(town())
    state = initial(data, seed=2)
    anneal(data, state, Parameters(), 3000, 0.0, 1.0)
    assert largest_discrepancy(data, state) < 1e-6


@given(hcvrps())
@settings(max_examples=30)
def test_the_best_plan_is_feasible_and_costs_what_is_claimed(problem):
    data = prepare(problem)
    state = initial(data, seed=3)
    first = check(problem, plan_of(problem, data, state))
    assert first.feasible, first
    anneal(data, state, HOT, 50, 0.0, 0.5)
    anneal(data, state, COLD, 50, 0.5, 1.0)
    last = check(problem, plan_of(problem, data, state))
    assert last.feasible, last
    assert last.objective <= first.objective


@pytest.mark.parametrize(
    ("problem", "optimum"), [(square(), SQUARE_OPTIMUM), (two_speeds(), TWO_SPEEDS_OPTIMUM)]
)
def test_the_optimum_is_found(problem, optimum):
    data = prepare(problem)
    state = initial(data, seed=0)
    anneal(data, state, Parameters(), 2000, 0.0, 1.0)
    assert check(problem, plan_of(problem, data, state)).objective == pytest.approx(optimum)


def test_same_seed_same_trace():
    data = prepare(handful())
    traces = []
    for _ in range(2):
        state = initial(data, seed=5)
        trace = []
        for piece in range(20):
            anneal(data, state, Parameters(), 50, piece / 20, (piece + 1) / 20)
            trace.append((best_cost(data, state), state.customer[:, 0].tolist()))
        traces.append(trace)
    assert traces[0] == traces[1]


def test_another_seed_goes_another_way():
    data = prepare(handful())
    ends = []
    for seed in (1, 2):
        state = initial(data, seed)
        anneal(data, state, HOT, 200, 0.0, 0.1)
        ends.append(state.customer[:, 0].tolist())
    assert ends[0] != ends[1]


@pytest.mark.parametrize("scale", [1000.0, 0.001])
def test_units_do_not_matter(scale):
    problem = handful()
    scaled = problem.replace(
        depot=problem.depot * scale, customers=problem.customers * scale,
        demand=problem.demand * 4, capacity=problem.capacity * 4, speed=problem.speed * 8,
    )  # fmt: skip
    plans = []
    for p in (problem, scaled):
        data = prepare(p)
        state = initial(data, seed=7)
        anneal(data, state, Parameters(), 500, 0.0, 1.0)
        plans.append(check(p, plan_of(p, data, state)).objective)
    # The search may break ties differently after rounding, but not end far away.
    assert plans[1] == pytest.approx(plans[0] * scale / 8, rel=0.02)


def test_stamps_are_renewed_in_time():
    data = prepare(handful())
    state = initial(data, seed=1)
    state.counters[ITERATION] = LAST_STAMP + 1
    anneal(data, state, HOT, 100, 0.0, 1.0)
    assert state.customer[:, STAMP].max() <= 100
    assert largest_discrepancy(data, state) < 1e-6


EXTREMES = {
    "one customer": HCVRP((0, 0), [(3, 4)], [1], [1], [1]),
    "one vehicle": HCVRP((0, 0), [(1, 0), (0, 1), (1, 1)], [1, 1, 1], [2], [1]),
    "all in one place": HCVRP((0, 0), [(1, 1)] * 30, [1] * 30, [7, 9], [1, 2]),
    "all at the depot": HCVRP((1, 1), [(1, 1)] * 5, [1] * 5, [2, 3], [1, 2]),
    "a snail": HCVRP((0, 0), [(i % 7, i % 5) for i in range(40)], [1] * 40, [9, 9], [1, 0.001]),
    "capacity equals demand": HCVRP((0, 0), [(i, 1) for i in range(9)], [2] * 9, [2, 2], [1, 1]),
    "only one can carry": HCVRP((0, 0), [(i, 1) for i in range(9)], [2] * 9, [1, 2], [9, 1]),
    "huge capacity": HCVRP((0, 0), [(i % 9, i % 11) for i in range(60)], [1] * 60, [1e9], [1]),
    "some without limit": HCVRP(
        (0, 0), [(i % 9, i % 7) for i in range(40)], [0.1, 0.7] * 20, [1e9, 1.4, 2.1], [1, 2, 2]
    ),
    "no demand": HCVRP((0, 0), [(i, 1) for i in range(9)], [0] * 9, [1, 2], [1, 1]),
    "a far one": HCVRP((0, 0), [(0.001, 0), (0, 0.001), (1e6, 0)], [1, 1, 1], [1, 1], [1, 1]),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes(name):
    problem = EXTREMES[name]
    data = prepare(problem)
    state = initial(data, seed=0)
    start = best_cost(data, state)
    for _ in range(100):
        anneal(data, state, Parameters(), 10, 0.3, 0.9)
    report = check(problem, plan_of(problem, data, state))
    assert report.feasible, report
    assert report.objective <= start * (1 + 1e-9)


def test_starts_from_a_given_plan_and_never_returns_worse():
    problem = handful()
    data = prepare(problem)
    # every customer its own trip, on the first vehicle that can carry it
    trips: list[list[Any]] = [[] for _ in range(problem.num_vehicles)]
    for c in range(problem.num_tasks):
        trips[int(np.flatnonzero(problem.capacity >= problem.demand[c])[0])].append(np.array([c]))
    state = from_routes(data, 0, flatten(trips))
    given_cost = check(problem, Plan.from_indices(problem, trips)).objective
    assert best_cost(data, state) == pytest.approx(given_cost)
    anneal(data, state, COLD, 500, 0.0, 1.0)
    assert best_cost(data, state) < given_cost
