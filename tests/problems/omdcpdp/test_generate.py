import numpy as np
import pytest

from geopar.errors import InputError
from geopar.problems.omdcpdp.generate import generate


def test_the_papers_distribution():
    problem = generate(20_000, 5_000, np.random.default_rng(0))
    for places in (problem.pickups, problem.deliveries, problem.starts):
        assert places.min() >= 0.0
        assert places.max() < 1.0
        assert places.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.02)
        assert places.std(axis=0) == pytest.approx([12**-0.5] * 2, abs=0.01)
    # The two ends of an order have nothing to do with each other.
    assert abs(np.corrcoef(problem.pickups[:, 0], problem.deliveries[:, 0])[0, 1]) < 0.05
    assert (problem.capacity == 3).all()
    assert problem.num_orders == 10_000


def test_no_odd_task_is_dropped():
    with pytest.raises(InputError, match=r"odd-tasks.*Maybe 8"):
        generate(7, 2, np.random.default_rng(0))
