"""Plans of yesterday for the problem of today."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from days import days_with_plans
from geopar.checking import check
from geopar.plan import Plan, Route
from geopar.problems import HCVRP
from geopar.problems.day import Day
from geopar.replan import keep, repaired
from strategies import problems_with_plans, random_plan


@given(problems_with_plans(), st.integers(0, 2**32 - 1))
def test_a_plan_with_new_stops_and_a_vehicle_gone_is_mended(case, seed):
    problem, plan = case
    rng = np.random.default_rng(seed)
    # Yesterday there were fewer requests, and one vehicle more.
    gone = set(rng.choice(problem.request_ids, len(problem.request_ids) // 2, replace=False))

    def stays(task):
        return (task if isinstance(task, str) else task.order) not in gone

    routes = tuple(
        Route(route.vehicle if v else "gone", tuple(tuple(filter(stays, t)) for t in route.trips))
        for v, route in enumerate(plan.routes)
    )
    mended = repaired(problem, Plan(plan.kind, routes))
    assert check(problem, mended).feasible


@given(days_with_plans())
def test_a_plan_that_breaks_the_rules_of_a_day_is_mended(case):
    problem, plan = case
    if problem.day.may_leave_out:
        mended = repaired(problem, plan)
        assert check(problem, mended).feasible


@given(problems_with_plans())
def test_a_feasible_plan_stays_as_it_is(case):
    problem, plan = case
    assert repaired(problem, plan).routes == plan.routes


def test_what_is_served_twice_is_served_first_only(square: HCVRP):
    twice = Plan("hcvrp", (Route("red", (("east",),)), Route("blue", (("east", "west"),))))
    mended = repaired(square, twice)
    assert "east" in mended.routes[0].tasks
    assert "east" not in mended.routes[1].tasks


def test_trips_that_have_begun_are_kept(square: HCVRP):
    plan = Plan.from_indices(square, [[[0], [1]], [[2, 3]]])
    assert keep(square, plan, 0.0).day.locked == (((0,),), ((2, 3),))
    assert keep(square, plan, 2.0).day.locked == (((0,), (1,)), ((2, 3),))
    kept = keep(square, plan, 0.0)
    assert check(kept, plan).feasible
    other = Plan.from_indices(kept, [[[1], [0]], [[2, 3]]])
    assert [violation.code for violation in check(kept, other).violations] == ["not-as-locked"]
    assert check(kept, repaired(kept, other)).feasible


def test_stops_that_are_served_soon_are_kept(one_order):
    plan = Plan.from_indices(one_order, [[[0, 1]]])
    assert keep(one_order, plan, 5.0).day.locked == (((0,),),)
    assert keep(one_order, plan, 4.0).day.locked == ((),)


def test_locks_that_cannot_be_kept_are_left_out(square: HCVRP):
    late = square.replace(day=Day(windows=[[(0.0, 0.5)], [], [], []], locked=[[[0]], []]))
    mended = repaired(late, random_plan(square, np.random.default_rng(0)))
    report = check(late, mended)
    assert report.feasible
    assert "east" in [one.request for one in report.left_out]


def test_a_vehicle_without_trips_keeps_none(square: HCVRP):
    plan = Plan.from_indices(square, [[[0, 1, 2, 3]], []])
    assert keep(square, plan, 0.0).day.locked == (((0, 1, 2, 3),), ())


def test_what_the_file_locks_comes_before_what_is_kept(square: HCVRP):
    told = square.replace(day=Day(locked=[[[2]], []]))
    plan = Plan.from_indices(square, [[[0]], [[1, 2]]])
    assert keep(told, plan, 0.0).day.locked == (((2,), (0,)), ((1,),))


def test_what_a_vehicle_may_not_serve_any_more_is_not_kept(square: HCVRP):
    day = Day(allowed=[[False, True], [True, True], [True, True], [True, True]])
    plan = Plan.from_indices(square, [[[0, 1]], [[2, 3]]])
    kept = keep(square.replace(day=day), plan, 0.0)
    assert kept.day.locked == (((1,),), ((2, 3),))
