"""The rules of a working day: by hand, and against a second checker."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

import instances
from days import days_with_plans
from geopar.checking import check
from geopar.plan import Plan
from geopar.problems.day import Day
from geopar.schedule import schedule
from geopar.testing.second_checker import second_opinion


@given(days_with_plans())
def test_two_checkers_agree(case):
    problem, plan = case
    report = check(problem, plan)
    codes, goal = second_opinion(problem, plan)
    assert Counter(violation.code for violation in report.violations) == codes
    if not codes:
        assert report.objective == pytest.approx(goal, rel=1e-6, abs=1e-6)


@given(days_with_plans())
def test_the_schedule_says_what_the_checker_says(case):
    problem, plan = case
    report = check(problem, plan)
    tables = schedule(problem, plan.to_indices(problem))
    finish = [table.finish - problem.first_start if table.trips else 0.0 for table in tables]
    assert finish == pytest.approx(report.completion.tolist(), rel=1e-9, abs=1e-9)
    if not report.feasible:
        return
    if problem.goal == "duration":
        assert sum(t.finish - t.begin for t in tables) == pytest.approx(report.objective, abs=1e-9)
    if problem.goal == "distance":
        assert sum(table.distance for table in tables) == pytest.approx(report.objective, abs=1e-9)
    for table in tables:
        for visit in table.visits:
            assert visit.waiting >= 0
            assert visit.service >= 0
            assert visit.departure == pytest.approx(
                visit.arrival + visit.waiting + visit.service, abs=1e-9
            )


def far_and_near(**parts):
    """Two customers on a line, 1 and 2 from the depot, and one vehicle of speed one."""
    line = instances.HCVRP([0, 0], [[1, 0], [2, 0]], [1, 1], [2], [1])
    return line.replace(day=Day(**parts))


ONE_TRIP = [[[0, 1]]]


def judged(problem, routes=ONE_TRIP):
    return check(problem, Plan.from_indices(problem, routes))


def test_service_and_loading_take_time():
    assert judged(far_and_near(service=[0.5, 0.25], loading=1.0)).objective == 4 + 0.75 + 1


def test_each_trip_is_loaded():
    assert judged(far_and_near(loading=1.0), [[[0], [1]]]).objective == 2 + 4 + 2


def test_who_is_early_waits():
    assert judged(far_and_near(windows=[[(5, 6)], []])).objective == 5 + 3


def test_who_is_late_is_told_by_how_much():
    report = judged(far_and_near(windows=[[], [(0, 1.5)]]))
    assert [violation.code for violation in report.violations] == ["late"]
    assert "0.5 too late" in report.violations[0].message


def test_times_are_told_by_the_clock_and_with_their_unit():
    day = {"windows": [[], [(0, 1.5)]], "clock": "HH:MM", "available": [(0, 2)]}
    late, over = judged(far_and_near(**day)).violations
    assert "at 02:00, 0.5 h too late" in late.message
    assert "h after its shift" in over.message


def test_the_second_window_will_do():
    assert judged(far_and_near(windows=[[(0, 0.5), (3, 4)], []])).objective == 3 + 3


def test_goods_that_come_later():
    assert judged(far_and_near(released=[0, 7])).objective == 7 + 4
    assert judged(far_and_near(released=[0, 7], loading=1.0)).objective == 7 + 4


def test_duration_counts_from_the_latest_departure():
    window = [[(5, 6)], []]
    assert judged(far_and_near(windows=window, minimise="duration")).objective == 4
    assert judged(far_and_near(windows=window, minimise="distance")).objective == 4


def test_shifts():
    assert judged(far_and_near(available=[[10, 14]])).objective == 4
    report = judged(far_and_near(available=[[10, 13]], longest=[3.5], most_trips=[0]))
    assert {v.code for v in report.violations} == {
        "shift-over", "on-duty-too-long", "too-many-trips"
    }  # fmt: skip


def test_own_start_goes_by_the_depot_and_an_open_end_stays():
    assert judged(far_and_near(start=[[0, 3]], end=[[np.inf, np.inf]])).objective == 3 + 2
    assert judged(far_and_near(start=[[0, 3]], has_depot=False)).objective == pytest.approx(
        math.hypot(3, 1) + 1 + 2
    )


def test_on_board_leaves_from_where_it_is():
    parts = {"start": [[1, 1]], "on_board": [[0]]}
    assert judged(far_and_near(**parts), [[[0], [1]]]).objective == 1 + 1 + 4
    wrong = judged(far_and_near(**parts))
    assert [violation.code for violation in wrong.violations] == ["not-as-locked"]


def test_what_is_left_out_has_a_reason():
    problem = far_and_near(available=[[0, 3]], priority=[1, 5])
    report = judged(problem, [[[0]]])
    assert report.feasible
    assert report.left_out_priority == 5
    assert report.left_out[0].request == "c2"
    assert not report.left_out[0].fits_alone
    assert "after its shift" in report.left_out[0].reason
    assert str(report.left_out[0]).startswith(f"{report.left_out[0].request}: no vehicle")
    assert judged(far_and_near(), [[[0]]]).violations[0].code == "unserved"


def test_left_out_though_it_would_have_fitted_alone():
    report = judged(far_and_near(available=[[0, 30]]), [[[0]]])
    assert report.left_out[0].fits_alone
    assert "alone could serve it" in report.left_out[0].reason


def test_released_after_its_last_window_is_late():
    order = instances.one_order().replace(day=Day(windows=[[(0, 1)], []], released=[2, 0]))
    report = judged(order, [[[0, 1]]])
    assert [violation.code for violation in report.violations] == ["late"]


def test_goods_on_board_that_nobody_can_serve_in_time_are_left_out():
    late = far_and_near(start=[[1, 1]], on_board=[[0]], windows=[[(0, 0.5)], []])
    report = judged(late, [[[1]]])
    assert report.feasible
    assert [one.request for one in report.left_out] == ["c1"]
