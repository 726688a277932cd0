from itertools import pairwise

import pytest

from classical_laws import Laws
from geopar.errors import InputError
from geopar.peers.classical.annealing import AnnealingParameters, anneal, annealing, warm_up
from geopar.problems import HCVRP


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
