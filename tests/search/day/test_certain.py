"""What is locked or on board: kept as far as it can be, and otherwise nobody's."""

import numpy as np

import instances
from day_audit import audit
from geopar.checking import check
from geopar.plan import Plan
from geopar.problems.day import Day
from geopar.search import day as search

HOME = [np.nan, np.nan]


def line(**parts):
    """Customers at 1, 2 and 3 on a line from the depot; two vehicles of speed one, for three."""
    customers = [[1, 0], [2, 0], [3, 0]]
    return instances.HCVRP([0, 0], customers, [1, 1, 1], [3, 3], [1, 1]).replace(day=Day(**parts))


def planned(problem, iterations=50):
    data = search.prepare(problem)
    state = search.initial(data, 0)
    audit(data, state)
    search.anneal(data, state, search.parameters_for(data, 100.0), iterations, 0.0, 1.0)
    audit(data, state)
    routes = search.best_routes(data, state)
    report = check(problem, Plan.from_indices(problem, routes))
    assert report.feasible, report.violations
    assert report.objective == search.best_cost(data, state) - data.dear * report.left_out_priority
    return [[trip.tolist() for trip in trips] for trips in routes], report.left_out


def test_a_locked_stop_that_is_late_is_left_out_and_the_rest_of_its_trip_stays():
    routes, left_out = planned(line(locked=[[[2, 1, 0]], []], windows=[[], [], [(0, 2)]]))
    assert routes[0][0] == [1, 0]
    assert [one.request for one in left_out] == ["c3"]
    assert "locked to v1" in left_out[0].reason


def test_nobody_else_takes_a_locked_stop_that_cannot_be_kept():
    # The second vehicle could, but the first is told to.
    day = {"locked": [[[2]], []], "available": [[0, 1], [0, 100]]}
    routes, left_out = planned(line(**day))
    assert 2 not in [c for trips in routes for trip in trips for c in trip]
    assert [one.request for one in left_out] == ["c3"]


def test_the_more_important_of_two_locked_stops_is_kept():
    # There and back takes 6; both together are there too late for one of them.
    day = {"locked": [[[2], [1]], []], "available": [[0, 7], [0, 1]], "priority": [1, 5, 1]}
    routes, left_out = planned(line(**day))
    assert routes[0][0] == [1]
    assert "c3" in [one.request for one in left_out]


def test_locked_trips_that_carry_too_much_lose_a_stop():
    problem = line(locked=[[[0, 1, 2]], []]).replace(capacity=[2, 3])
    routes, left_out = planned(problem)
    assert routes[0][0] == [0, 1]
    assert len(left_out) == 1


def test_more_locked_trips_than_it_may_make():
    day = {"locked": [[[0], [1], [2]], []], "most_trips": [2, 9]}
    routes, left_out = planned(line(**day))
    assert routes[0] == [[0], [1]]
    assert [one.request for one in left_out] == ["c3"]


def test_goods_on_board_that_come_too_late_are_left_out():
    day = {"on_board": [[0, 2], []], "start": [[4, 0], HOME], "windows": [[(0, 1)], [], []]}
    routes, left_out = planned(line(**day))
    assert routes[0][0] == [2]
    assert [one.request for one in left_out] == ["c1"]


def test_a_vehicle_whose_goods_are_all_too_late_drives_to_the_depot_first():
    day = {
        "on_board": [[2], []], "start": [[10, 0], HOME], "windows": [[], [], [(0, 1)]],
        "available": [[0, 100], [0, 0]],
    }  # fmt: skip
    problem = line(**day)
    routes, left_out = planned(problem)
    assert [one.request for one in left_out] == ["c3"]
    # Ten to the depot, then two and back.
    assert check(problem, Plan.from_indices(problem, routes)).objective == 14.0
