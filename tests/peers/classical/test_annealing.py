from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classical_laws import Laws
from geopar.compiled.jit import compiled
from geopar.compiled.random import seed_state
from geopar.errors import InputError
from geopar.peers.classical.annealing import (
    AnnealingParameters,
    anneal,
    annealing,
    disturb,
    exchange,
    sort_by_vehicle,
    two_opt,
    warm_up,
)
from geopar.peers.classical.decode import Individual, draw_plan, idle_fleet, normalised
from geopar.problems import HCVRP
from strategies import hcvrps

EXCHANGE, SORT, TWO_OPT, DISTURB = range(4)


@compiled(allocates=True)
def apply(operator, instance, fleet, random, plan, scratch, i, j):
    """The way in from Python: the operators themselves have none."""
    if operator == EXCHANGE:
        exchange(instance, plan, i, j)
    elif operator == SORT:
        sort_by_vehicle(fleet, plan, scratch)
    elif operator == TWO_OPT:
        two_opt(instance, plan.order, i, j)
    else:
        disturb(instance, random, plan)


def applied(operator: int, problem: HCVRP, order, vehicle, i: int = 0, j: int = 0) -> Individual:
    plan = Individual(np.array(order, dtype=np.int32), np.array(vehicle, dtype=np.int32))
    fleet, scratch = idle_fleet(problem.num_vehicles), np.zeros_like(plan.order)
    apply(operator, normalised(problem)[0], fleet, seed_state(i), plan, scratch, i, j)
    return plan


class TestAnnealing(Laws):
    name = "sa"
    solver = annealing
    parameters = AnnealingParameters(L=1, cooling=0.5, T0=10, Tf=1e-6)
    enough = 3000


def test_defaults_are_the_papers():
    p = AnnealingParameters()
    assert (p.T0, p.Tf, p.L, p.cooling) == (100, 1e-7, 20, 0.98)
    assert p.levels == 1026
    assert p.full(60) == 1026 * 20 * 60


def test_bad_parameters_are_all_told_at_once():
    with pytest.raises(InputError) as caught:
        AnnealingParameters(T0=0, Tf=float("inf"), L=0, cooling=1.0, population=0)
    assert [fault.field for fault in caught.value.faults] == [
        "T0", "Tf", "L", "cooling", "population",
    ]  # fmt: skip


@pytest.mark.parametrize(("capacity", "vehicle"), [([5, 5], [0, 1]), ([5, 1], [1, 0])])
def test_an_exchange_swaps_vehicles_where_they_can_carry_the_load(capacity, vehicle):
    problem = HCVRP((0, 0), [(1, 0), (2, 0)], [1, 5], capacity, [1, 1])
    plan = applied(EXCHANGE, problem, [0, 1], [1, 0], 0, 1)
    assert plan.order.tolist() == [1, 0]
    assert plan.vehicle.tolist() == vehicle


def test_sorting_by_vehicle_keeps_the_sequence_of_each():
    problem = HCVRP((0, 0), [(i, 0) for i in range(5)], [1] * 5, [9, 9, 9], [1, 1, 1])
    plan = applied(SORT, problem, [3, 0, 4, 1, 2], [2, 0, 0, 2, 2])
    assert plan.order.tolist() == [1, 2, 3, 0, 4]


def test_two_opt_reverses_what_crosses_and_no_more():
    # Along the sides of a square, but for the first two, which are the wrong way round.
    problem = HCVRP((0, 0), [(0, 1), (1, 1), (1, 0), (9, 9)], [1] * 4, [9], [1])
    assert applied(TWO_OPT, problem, [1, 0, 2, 3], [0] * 4, 0, 2).order.tolist() == [0, 1, 2, 3]
    assert applied(TWO_OPT, problem, [0, 1, 2, 3], [0] * 4, 0, 2).order.tolist() == [0, 1, 2, 3]


@given(problem=hcvrps(), seed=st.integers(0, 1000))
def test_a_move_keeps_every_customer_with_a_vehicle_that_can_carry_it(problem, seed):
    plan = Individual(*(np.zeros(problem.num_tasks, dtype=np.int32) for _ in range(2)))
    draw_plan(normalised(problem)[0], seed_state(seed), plan)
    moved = applied(DISTURB, problem, plan.order, plan.vehicle, seed)
    assert sorted(moved.order) == list(range(problem.num_tasks))
    assert (problem.demand <= problem.capacity[moved.vehicle]).all()


def test_a_population_of_one_has_nobody_to_cross_with(handful):
    parameters = AnnealingParameters(population=1)
    TestAnnealing().run(handful, 500, parameters=parameters)


def test_two_opt_uncrosses_a_trip():
    # Twelve customers on a circle and one trip: the best tour is the circle. Hardly any moves,
    # so that it is 2-opt, once for each of many temperatures, that finds it.
    corners = [(round(10 * x), round(10 * y)) for x, y in CIRCLE]
    problem = HCVRP((10, 0), corners, [1] * 11, [11], [1])
    found = TestAnnealing().run(problem, 1026, parameters=AnnealingParameters(population=1))
    ring = [(10, 0), *corners, (10, 0)]
    length = sum(((a - c) ** 2 + (b - d) ** 2) ** 0.5 for (a, b), (c, d) in pairwise(ring))
    assert found.plan.objective == pytest.approx(length)


CIRCLE = [
    (0.87, 0.5), (0.5, 0.87), (0, 1), (-0.5, 0.87), (-0.87, 0.5), (-1, 0),
    (-0.87, -0.5), (-0.5, -0.87), (0, -1), (0.5, -0.87), (0.87, -0.5),
]  # fmt: skip


def test_warm_up_leaves_nothing_to_compile(handful):
    warm_up("hcvrp", lambda text: None)
    before = len(anneal.signatures)
    TestAnnealing().run(handful, 5)
    assert len(anneal.signatures) == before == 1
