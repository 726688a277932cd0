"""First plans: by insertion, and from plans that fit or do not."""

import numpy as np
import pytest

import instances
from day_audit import audit
from geopar.checking import check
from geopar.plan import Plan, flatten
from geopar.problems.day import Day
from geopar.search import day as search
from geopar.search.day.state import BEST, BEST_MISSING


def line(**parts):
    """Customers at 1, 2 and 3 on a line from the depot; two vehicles of speed one."""
    customers = [[1, 0], [2, 0], [3, 0]]
    return instances.HCVRP([0, 0], customers, [1, 1, 1], [3, 3], [1, 1]).replace(day=Day(**parts))


def begun(problem, routes):
    data = search.prepare(problem)
    given = [[np.array(trip) for trip in trips] for trips in routes]
    state = search.from_routes(data, 0, flatten(given))
    audit(data, state)
    plan = Plan.from_indices(problem, search.best_routes(data, state))
    report = check(problem, plan)
    return [[trip.tolist() for trip in trips] for trips in search.best_routes(data, state)], report


def test_a_plan_that_fits_stays():
    routes, report = begun(line(service=[1, 1, 1]), [[[2, 0]], [[1]]])
    assert routes == [[[2, 0]], [[1]]]
    assert report.objective == 8.0


def test_a_plan_that_lacks_somebody_is_completed():
    routes, report = begun(line(minimise="distance"), [[[0, 2]], []])
    assert sorted(c for trips in routes for trip in trips for c in trip) == [0, 1, 2]
    assert report.objective == 6.0


def test_who_is_late_in_a_plan_is_served_otherwise():
    # The first vehicle would be at 0 at 5 on its way back.
    windows = [[(0, 2)], [], []]
    routes, report = begun(line(windows=windows, minimise="distance"), [[[2, 1, 0]], []])
    assert report.feasible
    assert routes != [[[2, 1, 0]], []]
    assert not report.left_out


def test_who_cannot_be_in_time_is_left_out():
    routes, report = begun(line(windows=[[], [], [(0, 2)]]), [[[0, 1, 2]], []])
    assert report.feasible
    assert sorted(c for trips in routes for trip in trips for c in trip) == [0, 1]
    assert len(report.left_out) == 1


def test_a_vehicle_without_a_shift_beside_one_with():
    _, report = begun(line(available=[[2, 20], [-np.inf, np.inf]]), [[], []])
    assert not report.left_out
    assert report.objective == 6.0


def test_locked_trips_stay_and_come_first():
    day = {"locked": [[[2], [0]], []], "minimise": "distance"}
    routes, report = begun(line(**day), [[[0, 1, 2]], []])
    assert routes[0][:2] == [[2], [0]]
    assert report.feasible


def test_what_is_on_board_is_the_first_trip_from_where_the_vehicle_is():
    day = {"on_board": [[2], []], "start": [[2.5, 0], [np.nan, np.nan]], "minimise": "distance"}
    routes, report = begun(line(**day), [[], []])
    assert routes[0][0] == [2]
    assert report.feasible
    # Half a unit there and three home, and the others on the way out and back.
    assert report.objective == pytest.approx(0.5 + 3.0 + 4.0)


def test_what_is_on_board_is_served_in_the_order_of_the_plan():
    day = {"on_board": [[0, 1, 2], []], "start": [[0, 0], [np.nan, np.nan]]}
    routes, report = begun(line(**day), [[[1, 2, 0]], []])
    assert routes == [[[1, 2, 0]], []]
    assert report.objective == 6.0


def test_without_a_depot_each_vehicle_makes_one_trip_from_its_start():
    day = Day(has_depot=False, start=[[0, 0], [4, 0]], end=[[np.inf, np.inf]] * 2)
    routes, report = begun(line().replace(day=day), [[], []])
    assert all(len(trips) <= 1 for trips in routes)
    assert report.feasible
    assert not report.left_out


def test_the_important_one_is_served():
    # Time for one of the two that are far away in opposite directions.
    problem = instances.HCVRP([0, 0], [[5, 0], [-5, 0]], [1, 1], [2], [1])
    day = Day(available=[[0, 11]], priority=[1, 3])
    data = search.prepare(problem.replace(day=day))
    state = search.initial(data, 0)
    search.anneal(data, state, search.parameters_for(data, 100.0), 100, 0.0, 1.0)
    assert state.totals[BEST_MISSING] == 1.0
    assert [[trip.tolist() for trip in trips] for trips in search.best_routes(data, state)] == [
        [[1]]
    ]


@pytest.mark.parametrize("goal", ["makespan", "arrivals", "duration", "distance"])
def test_the_best_of_some_insertions_is_no_worse_than_the_first(goal):
    problem = instances.handful()
    data = search.prepare(problem.replace(day=Day(service=np.ones(12) * 0.1, minimise=goal)))
    first, best = search.initial(data, 0), search.best_initial(data, 5)
    assert best.totals[BEST] <= first.totals[BEST]
