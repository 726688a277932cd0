from typing import Any

import pytest

from classical_laws import Laws
from geopar.errors import InputError
from geopar.peers.classical.sisr import SisrParameters, sisr, warm_up
from geopar.peers.classical.string_removal import anneal


class TestSisr(Laws):
    name = "sisr"
    solver = sisr
    parameters = SisrParameters(iterations_per_customer=100)
    enough = 300


def test_defaults_are_the_papers():
    p = SisrParameters()
    assert (p.c_bar, p.L_max, p.alpha, p.beta, p.T0, p.Tf) == (10, 10, 1e-3, 1e-2, 100, 1)
    assert p.full(60) == 18_000_000


def test_bad_parameters_are_all_told_at_once():
    bad: Any = {"c_bar": 0, "L_max": 2.5, "beta": 1.0, "T0": float("nan"), "epsilon": -1}
    with pytest.raises(InputError) as caught:
        SisrParameters(**bad)
    assert [fault.field for fault in caught.value.faults] == [
        "c_bar", "L_max", "beta", "T0", "epsilon",
    ]  # fmt: skip


def test_few_neighbours_are_enough_to_stay_feasible(handful):
    parameters = SisrParameters(neighbours=1)
    TestSisr().run(handful, 50, parameters=parameters)


def test_warm_up_leaves_nothing_to_compile(handful):
    warm_up("hcvrp", lambda text: None)
    before = len(anneal.signatures)
    TestSisr().run(handful, 5)
    assert len(anneal.signatures) == before == 1
