"""Threads that share one plan: nothing is lost where it is divided, and runs repeat."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geopar.checking import check
from geopar.plan import Plan, flatten
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.problems.random import generate
from geopar.search.engines import SideBySide, make_engine, operations_of
from geopar.search.teams import Part, Size, Teams, parts_for, trips_of

SETTINGS = ("hcvrp/16/6", "omdcpdp/16/6")


def whole(problem, seed: int = 0, horizon: float = 1000.0):
    """The division of a problem, and all of it as one part."""
    operations = operations_of(problem)
    data = operations.prepare(problem)
    division = operations.divide(data, operations.settings(data, horizon))
    assert division is not None
    tasks, vehicles = np.arange(problem.num_tasks), np.arange(problem.num_vehicles)
    return division, Part(data, operations.initial(data, seed), tasks, vehicles)


def teams(problem, parts: int, seed: int = 0, horizon: float = 1000.0, threads: int = 2) -> Teams:
    division, everything = whole(problem, seed, horizon)
    return Teams(division, everything, seed, parts, min(parts, threads), horizon)


def cost(problem, routes) -> float:
    report = check(problem, Plan.from_indices(problem, routes))
    assert report.feasible, report.violations
    return report.objective


@pytest.mark.parametrize("setting", SETTINGS)
@given(
    seed=st.integers(0, 1000),
    parts=st.sampled_from([2, 4]),
    threads=st.integers(1, 2),
    pieces=st.lists(st.integers(1, 300)),
)
@settings(max_examples=30)
def test_its_cost_is_that_of_its_plan_and_never_grows(setting, seed, parts, threads, pieces):
    problem = generate(setting, seed)
    engine = teams(problem, parts, seed, threads=threads)
    costs = [engine.advance(0, 0.0, 0.0)]
    for i, count in enumerate(pieces):
        costs.append(engine.advance(count, i / len(pieces), (i + 1) / len(pieces)))
        assert cost(problem, engine.best_routes()) == pytest.approx(costs[-1], rel=1e-9)
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_improves(setting):
    problem = generate(setting, 1)
    engine = teams(problem, 2)
    assert engine.advance(1000, 0.0, 1.0) < engine.advance(0, 0.0, 0.0) * 1.0 + 1e-12
    first = whole(problem)
    assert cost(problem, engine.best_routes()) < 0.99 * first[0].best_cost(first[1])


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_repeats(setting):
    problem = generate(setting, 2)
    one, other = (teams(problem, 4, seed=5) for _ in range(2))
    for engine in (one, other):
        for k in range(10):
            engine.advance(130, k / 10, (k + 1) / 10)
    for some, same in zip(one.best_routes(), other.best_routes(), strict=True):
        assert [trip.tolist() for trip in some] == [trip.tolist() for trip in same]


@pytest.mark.parametrize("setting", SETTINGS)
def test_parts_cost_together_what_the_whole_costs(setting):
    problem = generate(setting, 3)
    division, everything = whole(problem)
    plan = division.best(everything)
    for chosen in ([0, 2, 4], [5]):
        rest = np.setdiff1d(np.arange(6), chosen)
        parts = [division.part(plan, np.array(some), 0) for some in (chosen, rest)]
        assert sorted(np.concatenate([part.tasks for part in parts])) == list(range(16))
        costs = [division.best_cost(part) for part in parts]
        assert division.together(costs) == pytest.approx(division.best_cost(everything))


def test_vehicles_that_stand_idle_are_nobodys_part():
    problem = HCVRP((0, 0), [(1, 0), (0, 1), (1, 1)], [1, 1, 1], [9] * 8, [1e-9] * 7 + [1.0])
    engine = teams(problem, 4)
    engine.advance(500, 0.0, 1.0)
    assert cost(problem, engine.best_routes()) == pytest.approx(4.0, rel=0.3)


def test_it_goes_on_from_another_plan():
    problem = generate("hcvrp/16/6", 4)
    good = teams(problem, 2, horizon=5000.0)
    best = good.advance(5000, 0.0, 1.0)
    engine = teams(problem, 2, seed=1)
    engine.advance(10, 0.0, 0.1)
    engine.rebase(good.best_routes())
    assert engine.advance(200, 0.95, 1.0) <= best * 1.001


def test_trips_of_some_vehicles():
    plan = flatten([[np.array([3, 1])], [], [np.array([0]), np.array([2, 4])]])
    tasks, bounds, driver = trips_of(plan, np.array([1, 2]), 3)
    assert (tasks.tolist(), bounds.tolist(), driver.tolist()) == ([0, 2, 4], [0, 1, 3], [1, 1])


@pytest.mark.parametrize(
    ("tasks", "vehicles", "threads", "size", "parts"),
    [
        (1000, 40, 2, Size(np.inf, 20), (2, 2)),
        (1000, 20, 64, Size(np.inf, 5), (4, 4)),
        (150, 40, 2, Size(np.inf, 5), (1, 1)),
        (1000, 30, 2, Size(np.inf, 20), (1, 1)),
        (4000, 80, 1, Size(1000, 5), (4, 1)),
        (4000, 80, 3, Size(1000, 5), (3, 3)),
        (20_000, 400, 3, Size(1000, 5), (18, 3)),
    ],
)
def test_parts_are_not_too_small_and_each_thread_has_as_many(tasks, vehicles, threads, size, parts):
    assert parts_for(tasks, vehicles, threads, size) == parts


@pytest.mark.parametrize("setting", ["hcvrp/200/40", "omdcpdp/200/20"])
def test_large_fleets_are_searched_by_teams(setting):
    problem = generate(setting)
    assert isinstance(make_engine(problem, None, 0, 1000.0, 2), Teams)
    start = make_engine(problem, None, 0, 1000.0, 1).best_routes()
    engine = make_engine(problem, start, 0, 1000.0, 2)
    assert engine.advance(500, 0.0, 1.0) <= cost(problem, start) * (1 + 1e-9)


def test_small_ones_are_searched_side_by_side(handful):
    assert isinstance(make_engine(handful, None, 0, 1000.0, 2), SideBySide)


def test_service_and_loading_are_divided_as_well():
    plain = generate("hcvrp/16/6", 5)
    problem = plain.replace(day=Day(service=np.full(16, 0.1), loading=0.2))
    engine = teams(problem, 2)
    found = engine.advance(1000, 0.0, 1.0)
    assert cost(problem, engine.best_routes()) == pytest.approx(found, rel=1e-9)
