import numpy as np
import pytest
from hypothesis import given

from geopar.checking import check
from geopar.plan import Plan, Route
from geopar.problems.day import Day
from geopar.schedule import schedule
from strategies import problems_with_plans


@given(problems_with_plans())
def test_days_end_when_the_checker_says(case):
    problem, plan = case
    days = schedule(problem, plan.to_indices(problem))
    assert [day.finish for day in days] == pytest.approx(check(problem, plan).completion.tolist())


@given(problems_with_plans())
def test_every_task_is_visited_in_time_and_within_room(case):
    problem, plan = case
    days = schedule(problem, plan.to_indices(problem))
    visits = [visit for day in days for visit in day.visits]
    tasks = sorted(visit.task for visit in visits if visit.task is not None)
    assert tasks == list(range(problem.num_tasks))
    for day, room in zip(days, problem.capacity, strict=True):
        arrivals = [visit.arrival for visit in day.visits]
        assert arrivals == sorted(arrivals)
        assert all(visit.load <= room * (1 + 1e-9) for visit in day.visits)
        assert 0 <= day.load_factor <= 1 + 1e-9


def test_trips_end_at_the_depot(two_speeds):
    plan = Plan("hcvrp", (Route("fast", (("far",), ("near",))),))
    day, idle = schedule(two_speeds, plan.to_indices(two_speeds))
    assert [[visit[:3] for visit in trip] for trip in day.trips] == [
        [(0, 1.0, 0.0), (None, 2.0, 0.0)],
        [(1, 2.5, 0.0), (None, 3.0, 0.0)],
    ]
    assert (day.distance, day.load_factor) == (6.0, 1.0)
    assert (idle.trips, idle.finish, idle.distance, idle.load_factor) == ([], 0.0, 0.0, 0.0)


def test_open_routes_end_at_their_last_stop(one_order):
    (day,) = schedule(one_order, Plan.from_indices(one_order, [[[0, 1]]]).to_indices(one_order))
    assert [visit[:3] for visit in day.visits] == [(0, 5.0, 1.0), (1, 9.0, 0.0)]


def test_who_is_under_way_goes_on_at_once_unless_its_time_counts(square):
    """The window of the second stop is far off: others leave late, so as not to wait there."""
    late = Day(windows=[[], [(10, 20)], [], []], on_board=[[0, 1], []])
    routes = [[np.array([0, 1])], []]
    [out, _] = schedule(square.replace(day=late), routes)
    assert (out.begin, out.visits[0].arrival) == (0, 1)
    for counted in (late.replace(longest=[30, 30]), late.replace(minimise="duration")):
        [waits, _] = schedule(square.replace(day=counted), routes)
        assert waits.begin > 7
        assert waits.finish == out.finish


def test_time_to_spare_lies_before_windows_close_unless_time_on_duty_counts(square):
    """The first stop is open from 3 to 9, the second from 10 on."""
    day = Day(windows=[[(3, 9)], [(10, 20)], [], []])
    routes = [[np.array([0, 1])], []]
    [early, _] = schedule(square.replace(day=day), routes)
    assert (early.begin, early.visits[0].arrival) == (2, 3)
    for counted in (day.replace(longest=[30, 30]), day.replace(minimise="duration")):
        [late, _] = schedule(square.replace(day=counted), routes)
        assert late.visits[0].arrival == pytest.approx(10 - 2**0.5)
        assert late.finish == early.finish
