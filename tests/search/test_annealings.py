from itertools import pairwise

import numpy as np
import pytest

from geopar.checking import check
from geopar.plan import Plan
from geopar.problems.random import generate
from geopar.search.annealings import Annealings
from geopar.search.engines import make_engine, operations_of
from geopar.search.hcvrp.breed import breed

PROBLEM = generate("hcvrp/20/2", seed=3)
LONG = 300_000


def run(seed: int, threads: int = 1, pieces: int = 40) -> list[float]:
    engine = make_engine(PROBLEM, None, seed, LONG, threads)
    costs = [engine.advance(1000, i / pieces, (i + 1) / pieces) for i in range(pieces)]
    plan = Plan.from_indices(PROBLEM, engine.best_routes())
    report = check(PROBLEM, plan)
    assert report.feasible
    assert report.objective == pytest.approx(costs[-1])
    return costs


def test_never_worse_and_the_same_again():
    assert isinstance(make_engine(PROBLEM, None, 0, LONG, 1), Annealings)
    costs = run(0)
    assert all(after <= before for before, after in pairwise(costs))
    assert run(0) == costs


def test_the_same_again_with_threads_which_breed_from_each_others_plans():
    assert run(1, threads=3) == run(1, threads=3)


def test_what_is_run_does_not_depend_on_how_long_the_run_was_meant_to_be():
    short = make_engine(PROBLEM, None, 5, LONG, 1)
    long = make_engine(PROBLEM, None, 5, 50 * LONG, 1)
    assert short.advance(30_000, 0.0, 0.1) == long.advance(30_000, 0.0, 0.002)


def test_the_last_annealing_is_cold_when_the_run_ends():
    ends = []

    def advance(data, state, settings, iterations, begin, end):
        ends.append(end)

    operations = operations_of(PROBLEM)._replace(advance=advance)
    data = operations.prepare(PROBLEM)
    for run in (3_000, 20_000, 31_000, 200_000):
        settings = operations.settings(data, LONG)
        engine = Annealings(operations, data, operations.initial(data, 0), settings, 0)
        for i in range(50):
            engine.advance(run // 50, i / 50, (i + 1) / 50)
        assert ends[-1] == pytest.approx(1.0)


def test_bred_plans_serve_nobody_twice_and_each_trip_by_its_vehicle():
    one = [[np.array([0, 1]), np.array([2])], [np.array([3, 4, 5])]]
    other = [[np.array([0, 2])], [np.array([1, 3]), np.array([4, 5])]]
    for seed in range(20):
        routes = breed(one, other, 6, np.random.default_rng(seed))
        served = [c for trips in routes for trip in trips for c in trip.tolist()]
        assert len(served) == len(set(served))
        assert len(routes) == 2
        assert all(len(trip) for trips in routes for trip in trips)
