import numpy as np
import pytest

from geopar.problems import HCVRP
from geopar.problems.random import generate
from geopar.search.hcvrp import best_initial, prepare
from geopar.search.hcvrp.sketches import MOST_ALL_PAIRS, best_insertions


def on_a_grid(tasks, vehicles, seed):
    """Many customers are equally near, and some in one place."""
    rng = np.random.default_rng(seed)
    return HCVRP(
        depot=(4, 4),
        customers=rng.integers(0, 8, (tasks, 2)),
        demand=rng.integers(1, 10, tasks),
        capacity=rng.integers(20, 41, vehicles),
        speed=rng.integers(1, 4, vehicles),
    )


def drawn(tasks, vehicles, seed):
    return generate(f"hcvrp/{tasks}/{vehicles}", seed=seed)


def all_at_once(problems, tries):
    places = [np.vstack([p.customers_xy, p.depot_xy]) for p in problems]
    return best_insertions(
        np.stack(places),
        np.stack([np.append(p.demand, 0.0) for p in problems]),
        np.stack([p.capacity for p in problems]),
        np.stack([p.speed for p in problems]),
        tries,
    )


@pytest.mark.parametrize("make", [drawn, on_a_grid])
@pytest.mark.parametrize(
    ("tasks", "vehicles"), [(1, 1), (2, 3), (22, 2), (40, 3), (MOST_ALL_PAIRS + 1, 2)]
)
def test_each_is_the_best_first_plan_of_its_instance(make, tasks, vehicles):
    problems = [make(tasks, vehicles, seed) for seed in range(4)]
    found = all_at_once(problems, 3)
    for row, problem in enumerate(problems):
        alone = best_initial(prepare(problem), 3)
        assert found.following[row].tolist() == alone.best_next.tolist()
        assert found.trips[row].tolist() == alone.best_trip.tolist()


def test_all_customers_at_the_depot():
    problem = HCVRP(depot=(1, 1), customers=[(1, 1)] * 3, demand=[1] * 3, capacity=[2], speed=[1])
    alone = best_initial(prepare(problem), 2)
    assert all_at_once([problem], 2).trips[0].tolist() == alone.best_trip.tolist()
