import numpy as np
import pytest

from geopar.checking import check
from geopar.plan import Plan
from geopar.problems.random import generate
from geopar.search.engines import SideBySide, make_engine, operations_of
from strategies import random_plan

SETTINGS = ("hcvrp/12/3", "omdcpdp/12/3")


def cost(problem, routes) -> float:
    report = check(problem, Plan.from_indices(problem, routes))
    assert report.feasible
    return report.objective


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("threads", [1, 2])
def test_its_cost_is_that_of_its_plan_and_never_grows(setting, threads):
    problem = generate(setting)
    engine = make_engine(problem, None, 0, 1000.0, threads)
    costs = [engine.advance(0, 0.0, 0.0)]
    for begin in (0.0, 0.5):
        costs.append(engine.advance(500, begin, begin + 0.5))
        assert cost(problem, engine.best_routes()) == pytest.approx(costs[-1])
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_begins_with_the_plan_that_is_given(setting):
    problem = generate(setting)
    start = random_plan(problem, np.random.default_rng(0))
    engine = make_engine(problem, start.to_indices(problem), 0, 100.0, 1)
    assert engine.advance(0, 0.0, 0.0) == pytest.approx(check(problem, start).objective)


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_goes_on_from_another_plan(setting):
    problem = generate(setting)
    better = make_engine(problem, None, 0, 2000.0, 1)
    best = better.advance(2000, 0.0, 1.0)
    engine = make_engine(problem, None, 1, 100.0, 1)
    engine.rebase(better.best_routes())
    assert engine.advance(0, 0.0, 0.0) == pytest.approx(best)
    assert engine.advance(100, 0.9, 1.0) <= best * (1 + 1e-9)


def test_searches_side_by_side_meet(handful):
    engine = make_engine(handful, None, 3, 1000.0, 2)
    assert isinstance(engine, SideBySide)
    engine.advance(500, 0.0, 0.5)
    one, other = (search.advance(0, 0.5, 0.5) for search in engine._engines)
    assert one == pytest.approx(other)


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_best_of_some_insertions_is_no_worse_than_the_first(setting):
    problem = generate(setting)
    operations = operations_of(problem)
    data = operations.prepare(problem)
    one, many = operations.initial(data, 0), operations.best_initial(data, 8)
    assert operations.best_cost(data, many) <= operations.best_cost(data, one)
