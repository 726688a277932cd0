import numpy as np
import pytest
from hypothesis import given, settings

import instances
from geopar.compiled.random import seed_state
from geopar.peers.classical.decode import makespan_of, normalised
from geopar.peers.classical.linked import linked, to_routes
from geopar.peers.classical.string_removal import BEST, CURRENT, Rules, anneal, nearest, new_search
from strategies import hcvrps, random_plan


@settings(max_examples=25)
@given(problem=hcvrps(max_tasks=12))
def test_incremental_costs_are_the_recomputed_ones(problem):
    instance, unit = normalised(problem)
    rng = np.random.default_rng(0)
    trips = linked(instance, random_plan(problem, rng).to_indices(problem))
    rules = Rules(
        c_bar=10.0, L_max=10.0, alpha=0.5, beta=0.3, split=0.5, epsilon=0.01,
        first_temperature=0.1, cooling=0.01,
    )  # fmt: skip
    search = new_search(instance, trips, 4, rules.epsilon)
    random = seed_state(1)
    for step in range(8):
        anneal(instance, search, rules, random, 5, step / 8, (step + 1) / 8)
        for side in (search.kept, search.work):
            finish = side.finish.copy()
            fresh = linked(instance, to_routes(side)).finish
            np.testing.assert_allclose(finish, fresh, rtol=1e-9, atol=1e-9)
        seen = search.kept.finish.max() + rules.epsilon * search.kept.finish.sum()
        assert search.costs[CURRENT] == pytest.approx(seen, rel=1e-9, abs=1e-9)
    best = makespan_of(problem, to_routes(search.best))
    assert search.costs[BEST] * unit == pytest.approx(best, rel=1e-9, abs=1e-9 * unit)


def test_every_customer_finds_itselfnearest():
    crowd = instances.handful().replace(customers=[(0.5, 0.5)] * 11 + [(0, 0)])
    near = nearest(normalised(crowd)[0], 5)
    np.testing.assert_array_equal(near[:, 0], np.arange(12))
    assert all(len(set(row)) == 6 for row in near.tolist())
