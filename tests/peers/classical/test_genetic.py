from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classical_laws import Laws
from geopar.compiled.jit import compiled
from geopar.compiled.random import seed_state
from geopar.errors import InputError
from geopar.peers.classical.crossover import individual, new_population
from geopar.peers.classical.decode import draw_plan, normalised
from geopar.peers.classical.genetic import (
    GeneticParameters,
    beget,
    compete,
    evolve,
    genetic,
    mutate,
    warm_up,
)
from strategies import hcvrps


@compiled(allocates=True)
def winner(herd, random, tournament):
    return compete(herd, random, tournament)


@compiled(allocates=True)
def begotten(herd, random, child, P_c):
    beget(herd, random, child, P_c, 50)


@compiled(allocates=True)
def mutated(instance, random, child):
    mutate(instance, random, child)


def herd_of(*costs: float):
    """Two generations of three customers; the second one, of cheaper plans, is this one."""
    herd = new_population(2 * len(costs), 3, [len(costs), len(costs), len(costs), 0])
    herd.cost[: len(costs)], herd.cost[len(costs) :] = 0.0, costs
    for row in range(len(costs), 2 * len(costs)):
        herd.order[row], herd.vehicle[row] = [0, 1, 2], row
    return herd


class TestGenetic(Laws):
    name = "ga"
    solver = genetic
    parameters = GeneticParameters(population=4, generations_per_customer=100)
    enough = 30


def test_defaults_are_the_papers():
    p = GeneticParameters()
    assert (p.population, p.P_m, p.P_c) == (200, 0.8, 1.0)
    assert p.full(60) == 2400


def test_bad_parameters_are_all_told_at_once():
    bad: Any = {"population": 1, "P_m": 1.5, "P_c": -0.1, "factor": "much", "tournament": 0}
    with pytest.raises(InputError) as caught:
        GeneticParameters(**bad)
    assert [fault.field for fault in caught.value.faults] == [
        "population", "P_m", "P_c", "factor", "tournament",
    ]  # fmt: skip


def test_a_tournament_is_won_by_the_best_of_this_generation():
    herd = herd_of(3.0, 1.0, 2.0)
    assert {int(winner(herd, seed_state(seed), 50)) for seed in range(20)} == {4}
    # A tournament of one is a draw, and never among the generation before.
    assert {int(winner(herd, seed_state(seed), 1)) for seed in range(50)} == {3, 4, 5}


@pytest.mark.parametrize("P_c", [0.0, 1.0])
def test_a_child_of_winners_has_their_genes(P_c):
    herd = herd_of(3.0, 1.0, 2.0)
    child = individual(herd, 0)
    begotten(herd, seed_state(0), child, P_c)
    assert child.order.tolist() == [0, 1, 2]
    assert child.vehicle.tolist() == [4, 4, 4]


@given(problem=hcvrps(), seed=st.integers(0, 1000))
def test_a_mutation_keeps_every_customer_with_a_vehicle_that_can_carry_it(problem, seed):
    herd, (instance, _) = new_population(1, problem.num_tasks, [0]), normalised(problem)
    child, random = individual(herd, 0), seed_state(seed)
    draw_plan(instance, random, child)
    mutated(instance, random, child)
    assert sorted(child.order) == list(range(problem.num_tasks))
    assert (problem.demand <= problem.capacity[child.vehicle]).all()


@pytest.mark.parametrize("change", [{"P_c": 0.0}, {"P_m": 0.0}, {"tournament": 1}])
def test_operators_can_be_switched_off(change, handful):
    parameters = GeneticParameters(population=6, **change)
    TestGenetic().run(handful, 20, parameters=parameters)


def test_warm_up_leaves_nothing_to_compile(handful):
    warm_up("hcvrp", lambda text: None)
    before = len(evolve.signatures)
    TestGenetic().run(handful, 2)
    assert len(evolve.signatures) == before == 1
