import numpy as np
import pytest

from geopar.problems.hcvrp.generate import generate


def test_the_papers_distribution():
    problem = generate(20_000, 10_000, np.random.default_rng(0))
    assert problem.customers.min() >= 0.0
    assert problem.customers.max() < 1.0
    assert problem.customers.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.01)
    assert np.unique(problem.demand).tolist() == list(range(1, 10))
    assert np.bincount(problem.demand.astype(int))[1:] == pytest.approx(20_000 / 9, rel=0.1)
    assert np.unique(problem.capacity).tolist() == list(range(20, 41))
    assert np.bincount(problem.capacity.astype(int))[20:] == pytest.approx(10_000 / 21, rel=0.2)
    assert problem.speed.min() >= 0.5
    assert problem.speed.max() < 1.0
    assert problem.speed.mean() == pytest.approx(0.75, abs=0.01)


def test_depots_are_anywhere():
    rng = np.random.default_rng(1)
    depots = np.array([generate(1, 1, rng).depot for _ in range(500)])
    assert depots.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.05)
    assert depots.std(axis=0) == pytest.approx([12**-0.5] * 2, abs=0.02)
