"""Tiny days with known answers, one for each goal, through the face that all engines share."""

import numpy as np
import pytest

import instances
from geopar.checking import check
from geopar.plan import Plan
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.search.engines import make_engine


def solved(problem, iterations=300, seed=0, threads=1):
    engine = make_engine(problem, None, seed, float(iterations), threads)
    cost = engine.advance(iterations, 0.0, 1.0)
    routes = engine.best_routes()
    report = check(problem, Plan.from_indices(problem, routes))
    assert report.feasible
    assert not report.left_out
    assert report.objective == pytest.approx(cost)
    return cost, routes


def square(**parts):
    return instances.square().replace(day=Day(**parts))


def test_the_makespan_of_the_plain_problem():
    cost, _ = solved(square())
    assert cost == pytest.approx(instances.SQUARE_OPTIMUM)


def test_service_and_loading_are_part_of_the_makespan():
    cost, _ = solved(square(service=[1, 1, 1, 1], loading=0.5))
    assert cost == pytest.approx(instances.SQUARE_OPTIMUM + 2.5)


def test_the_least_distance_needs_one_vehicle_less():
    # Both trips by one vehicle or by two are equally far; the depot is open for one trip only.
    cost, routes = solved(square(minimise="distance", opens=0, closes=5))
    assert cost == pytest.approx(2 * instances.SQUARE_OPTIMUM)
    assert all(len(trips) == 1 for trips in routes)


def test_duration_does_not_count_waiting_at_home():
    windows = [[(10, 11)], [(10, 12)], [(10, 11)], [(10, 12)]]
    cost, _ = solved(square(minimise="duration", windows=windows))
    assert cost == pytest.approx(2 * instances.SQUARE_OPTIMUM)


def test_arrivals_are_the_sum_of_when_service_begins():
    cost, _ = solved(square(minimise="arrivals"))
    # Everybody's second stop is across from the first.
    assert cost == pytest.approx(2 * (1 + 1 + np.sqrt(2)))


def test_released_goods_are_waited_for():
    # One of the late ones each, after whatever came before.
    cost, _ = solved(square(released=[0, 0, 7, 7]))
    assert cost == pytest.approx(7 + 2)


def test_roads_may_differ_by_direction():
    # Round the square one way is quick, the other way slow.
    ring = np.full((5, 5), 9.0)
    for i in range(5):
        ring[i, (i + 1) % 5], ring[i, i] = 1.0, 0.0
    day = Day(matrices={"van": ring}, minimise="distance")
    cost, routes = solved(instances.square().replace(capacity=[4, 4], day=day))
    assert cost == 5.0
    assert [trip.tolist() for trips in routes for trip in trips] == [[0, 1, 2, 3]]


def test_only_who_may_serves():
    allowed = [[True, False], [False, True], [True, False], [False, True]]
    _, routes = solved(square(allowed=allowed))
    assert sorted(c for trip in routes[0] for c in trip.tolist()) == [0, 2]


def test_a_seed_gives_the_same_plan_again():
    problem = instances.handful().replace(
        day=Day(service=np.full(12, 0.1), available=[[0, 8]] * 3, minimise="duration")
    )
    (one, routes), (again, same) = solved(problem, 500, 3), solved(problem, 500, 3)
    assert one == again
    assert [[t.tolist() for t in trips] for trips in routes] == [
        [t.tolist() for t in trips] for trips in same
    ]


def test_searches_side_by_side():
    problem = square(service=[1, 1, 1, 1])
    cost, _ = solved(problem, threads=2)
    assert cost == pytest.approx(instances.SQUARE_OPTIMUM + 2)


@pytest.mark.parametrize("seed", range(5))
def test_where_a_window_decides_when_the_last_is_home_the_rest_is_short(seed):
    # One stop opens late: there is time for any detour before.
    places = np.random.default_rng(seed).random((15, 2))
    day = Day(windows=[[]] * 14 + [[(200, 300)]])
    problem = HCVRP((0.5, 0.5), places, [1] * 15, [4, 4, 4], [1, 1, 1]).replace(day=day)
    cost, routes = solved(problem, 20_000, seed)
    assert cost == pytest.approx(200 + np.hypot(*(places[14] - 0.5)))
    short, _ = solved(problem.replace(day=Day(windows=day.windows, minimise="distance")), 20_000)
    driven = sum(
        float(np.hypot(*np.diff([(0.5, 0.5), *places[trip], (0.5, 0.5)], axis=0).T).sum())
        for trips in routes for trip in map(np.asarray, trips)
    )  # fmt: skip
    assert driven <= 1.05 * short
