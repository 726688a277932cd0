from typing import Any

import pytest

from classical_laws import Laws
from geopar.errors import InputError
from geopar.peers.classical.genetic import GeneticParameters, evolve, genetic, warm_up


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


@pytest.mark.parametrize("change", [{"P_c": 0.0}, {"P_m": 0.0}, {"tournament": 1}])
def test_operators_can_be_switched_off(change, handful):
    parameters = GeneticParameters(population=6, **change)
    TestGenetic().run(handful, 20, parameters=parameters)


def test_warm_up_leaves_nothing_to_compile(handful):
    warm_up("hcvrp", lambda text: None)
    before = len(evolve.signatures)
    TestGenetic().run(handful, 2)
    assert len(evolve.signatures) == before == 1
