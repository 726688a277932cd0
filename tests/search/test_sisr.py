import numpy as np
import pytest
from hypothesis import given, settings

import instances
from classical_laws import Laws
from geopar.errors import InputError
from geopar.search.decode import makespan_of, normalised
from geopar.search.linked import linked, to_routes
from geopar.search.random import seed_state
from geopar.search.sisr import (
    BEST,
    CURRENT,
    SisrParameters,
    _nearest,
    _rules,
    _search,
    anneal,
    sisr,
    warm_up,
)
from strategies import hcvrps, random_plan


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
    with pytest.raises(InputError) as caught:
        SisrParameters(c_bar=0, L_max=2.5, beta=1.0, T0=float("nan"), epsilon=-1)
    assert [fault.field for fault in caught.value.faults] == [
        "c_bar", "L_max", "beta", "T0", "epsilon",
    ]  # fmt: skip


@settings(max_examples=25)
@given(problem=hcvrps(max_tasks=12))
def test_incremental_costs_are_the_recomputed_ones(problem):
    instance, unit = normalised(problem)
    rng = np.random.default_rng(0)
    trips = linked(instance, random_plan(problem, rng).to_indices(problem))
    parameters = SisrParameters(beta=0.3, alpha=0.5, neighbours=4)
    search = _search(instance, trips, parameters.neighbours, parameters.epsilon)
    random = seed_state(1)
    for step in range(8):
        anneal(instance, search, _rules(parameters), random, 5, step / 8, (step + 1) / 8)
        for side in (search.kept, search.work):
            finish = side.finish.copy()
            fresh = linked(instance, to_routes(side)).finish
            np.testing.assert_allclose(finish, fresh, atol=1e-9)
        seen = search.kept.finish.max() + parameters.epsilon * search.kept.finish.sum()
        assert search.costs[CURRENT] == pytest.approx(seen, abs=1e-9)
    best = makespan_of(problem, to_routes(search.best))
    assert search.costs[BEST] * unit == pytest.approx(best, abs=1e-9 * unit)


def test_every_customer_finds_itself_nearest():
    crowd = instances.handful().replace(customers=[(0.5, 0.5)] * 11 + [(0, 0)])
    near = _nearest(normalised(crowd)[0], 5)
    np.testing.assert_array_equal(near[:, 0], np.arange(12))
    assert all(len(set(row)) == 6 for row in near.tolist())


def test_few_neighbours_are_enough_to_stay_feasible(handful):
    parameters = SisrParameters(neighbours=1)
    TestSisr().run(handful, 50, parameters=parameters)


def test_warm_up_leaves_nothing_to_compile(handful):
    warm_up("hcvrp", lambda text: None)
    before = len(anneal.signatures)
    TestSisr().run(handful, 5)
    assert len(anneal.signatures) == before == 1
